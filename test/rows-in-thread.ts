import type { Rows } from '../electron/rows/rows.ts'
import { createRowsHandlers } from '../electron/rows/rows-handlers.ts'

/** The rows worker's methods in this thread, so that virtual time and a simulated disk apply to them. */
export function createRowsInThread(): Rows {
  const methods = Object.fromEntries(
    Object.entries(createRowsHandlers()).map(([name, handler]) => [
      name,
      (...input: never[]) =>
        Promise.resolve().then(() => (handler as (...given: never[]) => unknown)(...input)),
    ]),
  )
  return { ...methods, close: () => Promise.resolve() } as unknown as Rows
}
