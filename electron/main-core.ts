/**
 * The core as it runs: opened on what lies in the folder, closed, and opened again on what lies there then, as after a
 * restored backup or **Restart**, without ending the program.
 */
import type { SettingsStore } from './app/ports.ts'
import type { Core } from './core-options.ts'
import { createCore } from './core.ts'
import type { CoreParts } from './main-parts.ts'
import { serveIpc, type Ipc, type IpcOptions } from './shell/ipc.ts'
import { openSettings } from './shell/settings.ts'
import { finishRestore } from './store/restoring.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../shared/result.ts'

/** The parts that are made anew when other files take the place of those that are open. */
export interface Running {
  readonly core: Core
  readonly settings: SettingsStore
  readonly ipc: Ipc
}

export interface RunningCore {
  /** `null` while it is opened anew. */
  current(): Running | null
  /** Opens what lies in the folder; a restored backup is put in its place first. An error when the store can't be used. */
  open(): Result<Running>
  close(): Promise<void>
}

export interface RunningOptions {
  readonly parts: CoreParts
  readonly contents: IpcOptions['contents']
  /** It was opened again, or could not be. */
  readonly reopened: (opened: Result<Running>) => void
}

/** Milliseconds in which the answer to a call reaches the window before what answered it is closed. */
const ANSWER_LEAVES = 50

export function createRunningCore({ parts, contents, reopened }: RunningOptions): RunningCore {
  let running: Running | null = null

  const open = (): Result<Running> => {
    const restored = restoreFinished(parts)
    if (!restored.ok) return restored
    const { store, file, notices } = openSettings(parts.userData, parts.clock)
    const core = createCore({
      ...parts,
      settings: store,
      settingsFile: file,
      startNotices: [...(restored.value === null ? [] : [restored.value]), ...notices],
      reopen,
    })
    if (!core.ok) return err(core.error)
    const ipc = serveIpc({ contents, defect: parts.defect, handlers: core.value.handlers })
    running = { core: core.value, settings: store, ipc }
    return ok(running)
  }

  const reopen = (): void => {
    const before = running
    running = null
    parts.clock.after(ANSWER_LEAVES, () => {
      void (before?.core.close() ?? Promise.resolve())
        .catch((cause: unknown) => {
          parts.defect('closing', cause)
        })
        .then(() => {
          before?.ipc.close()
          reopened(open())
        })
    })
  }

  return {
    current: () => running,
    open,
    close: () => running?.core.close() ?? Promise.resolve(),
  }
}

/** What is to be said of a restore; an error while it is half done, since nothing may be opened then. */
function restoreFinished({ userData, defect }: CoreParts): Result<AppError | null> {
  try {
    return ok(finishRestore(userData))
  } catch (cause) {
    defect('restore', cause)
    return err(
      appError(
        'file',
        'A backup is only half put in place, because a file in the folder of Bookbridge could not be moved.',
        'Is it open in another program? Close that one and start Bookbridge again: it goes on by itself.',
        { raw: causeText(cause) },
      ),
    )
  }
}
