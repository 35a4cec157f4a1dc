/**
 * The only file that uses `ipcMain`. Every call is checked before its handler runs: its sender (the main frame of our
 * window, at our exact origin), its name, its size, and its shape. Anything else is refused and counted.
 */
import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron'
import { CALL_CHANNEL, EVENT_CHANNEL } from '../../shared/contract/channels.ts'
import { type CallName, CALLS, type EventName, type EventPayload } from '../../shared/contract/contract.ts'
import { appError, err, type Result } from '../../shared/result.ts'
import { type Handlers, runCall } from '../app/calls.ts'
import { ORIGIN } from './protocol.ts'

interface IpcCounts {
  answered: number
  refused: number
}

export interface Ipc {
  readonly counts: () => Readonly<IpcCounts>
  emit<Name extends EventName>(event: Name, payload: EventPayload<Name>): void
  close(): void
}

export interface IpcOptions {
  readonly handlers: Handlers
  /** The only window whose calls are accepted. */
  readonly contents: () => WebContents | null
  /** Logs a defect, without secrets or records. */
  readonly defect: (where: string, cause: unknown) => void
}

export function serveIpc(options: IpcOptions): Ipc {
  const counts: IpcCounts = { answered: 0, refused: 0 }

  const refuse = (reason: string): Result<never> => {
    counts.refused += 1
    return err(appError('invalid-input', 'Bookbridge refused a call from its window.', '', { raw: reason }))
  }

  ipcMain.handle(CALL_CHANNEL, async (event, name: unknown, input: unknown): Promise<Result<unknown>> => {
    const sender = senderRefusal(event, options.contents())
    if (sender !== null) return refuse(sender)
    if (!isCallName(name)) return refuse('no such call')
    const answer = await runCall(options.handlers, name, input)
    if (answer.refused !== null) return refuse(`${name}: ${answer.refused}`)
    counts.answered += 1
    if (answer.defect !== null) {
      options.defect(name, answer.defect)
      return err(
        appError(
          'internal',
          'Something went wrong inside Bookbridge.',
          'Try again. What went wrong is in bookbridge.log, in the folder that Settings names.',
          { code: name },
        ),
      )
    }
    return answer.result
  })

  return {
    counts: () => counts,
    emit(event, payload) {
      const contents = options.contents()
      if (contents !== null && !contents.isDestroyed()) contents.send(EVENT_CHANNEL, event, payload)
    },
    close() {
      ipcMain.removeHandler(CALL_CHANNEL)
    },
  }
}

function isCallName(name: unknown): name is CallName {
  return typeof name === 'string' && Object.hasOwn(CALLS, name)
}

/** Returns why a sender is refused, or `null` for our window's main frame at our origin. */
function senderRefusal(
  event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'>,
  contents: WebContents | null,
): string | null {
  if (contents === null || event.sender !== contents) return 'not our window'
  const frame = event.senderFrame
  if (frame === null) return 'no frame'
  if (frame !== contents.mainFrame) return 'not the main frame'
  if (!frame.url.startsWith(`${ORIGIN}/`)) return 'not our page'
  return null
}
