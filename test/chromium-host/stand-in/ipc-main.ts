/** `ipcMain`: handlers of calls and listeners to messages, by channel. */
import { EventEmitter } from 'node:events'
import type { IpcMain } from 'electron'
import type { FromPage, ToPage } from '../page/messages.ts'
import type { HostFrame } from './frame.ts'
import type { Host } from './host.ts'
import type { HostWebContents } from './web-contents.ts'

export interface HostIpcEvent {
  readonly sender: HostWebContents
  readonly senderFrame: HostFrame | null
  readonly processId: number
  readonly frameId: number
  readonly ports: readonly never[]
  readonly type: 'frame'
}

type Handler = (event: HostIpcEvent, ...values: readonly unknown[]) => unknown

/** Any channel is an event here, so this emitter accepts every name, unlike the others. */
export class HostIpcMain extends EventEmitter implements Pick<IpcMain, 'removeHandler'> {
  readonly #handlers = new Map<string, Handler>()

  handle(channel: string, handler: Handler): void {
    if (this.#handlers.has(channel)) {
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    }
    this.#handlers.set(channel, handler)
  }

  handleOnce(channel: string, handler: Handler): void {
    this.handle(channel, (event, ...values) => {
      this.removeHandler(channel)
      return handler(event, ...values)
    })
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  /** For the page: returns what the handler returns. Rejects with Electron's own message. */
  async answer(event: HostIpcEvent, channel: string, values: readonly unknown[]): Promise<unknown> {
    try {
      const handler = this.#handlers.get(channel)
      if (!handler) throw new Error(`No handler registered for '${channel}'`)
      return await handler(event, ...values)
    } catch (error) {
      throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, { cause: error })
    }
  }
}

/**
 * Returns the reply to a call: the handler's value, or Electron's message for its error. Records the call and the
 * reply.
 */
export async function answerCall(
  { ipcMain, recorder }: Pick<Host, 'ipcMain' | 'recorder'>,
  event: HostIpcEvent,
  { call, channel, values }: Extract<FromPage, { kind: 'invoke' }>,
): Promise<Extract<ToPage, { kind: 'answer' }>> {
  recorder.record({ kind: 'invoke', channel, values })
  let failed = false
  let value: unknown
  try {
    value = await ipcMain.answer(event, channel, values)
  } catch (error) {
    failed = true
    value = error instanceof Error ? error.message : String(error)
  }
  recorder.record({ kind: 'answer', channel, values: [value] })
  return { kind: 'answer', call, failed, value }
}
