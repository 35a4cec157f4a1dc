/**
 * Records the messages between the main process and the page for the search for secrets: one line of JSON each, in the
 * file that `BOOKBRIDGE_HOST_RECORD` names. Without it, nothing is recorded.
 */
import { appendFileSync } from 'node:fs'

export const RECORD_VARIABLE = 'BOOKBRIDGE_HOST_RECORD'

export interface RecordedMessage {
  /**
   * `invoke` and `send` go to the main process. `answer` and `event` come from it. `outside` is a request to the
   * machine. `printed` is a line of the program's output.
   */
  readonly kind: 'invoke' | 'send' | 'answer' | 'event' | 'outside' | 'printed'
  readonly channel: string
  readonly values: readonly unknown[]
}

const decoder = new TextDecoder()

/** Writes values that JSON would omit or write as numbers as text. */
function legible(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]
  if (original instanceof Uint8Array) return decoder.decode(original)
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)]
  if (value instanceof Error) return String(value)
  return typeof value === 'bigint' ? String(value) : value
}

export class Recorder {
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
  }

  record(message: RecordedMessage): void {
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(message, legible)}\n`)
  }
}
