/**
 * The log of unexpected errors: one file, and the one before it. It contains no secrets and no records, because
 * `electron/app/program/support.ts` redacts each error.
 */
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, timestamp } from '../clock.ts'

const LARGEST = 1024 * 1024
/** Lines for the support file. */
const LAST_LINES = 100

export interface Log {
  /** Never throws, even if the log can't be written. */
  write(where: string, cause: unknown): void
  /** The last lines, oldest first. */
  lastLines(): readonly string[]
}

/**
 * Writes to `<folder>/bookbridge.log`.
 * @param wordsOf describes an error on one line, redacted
 */
export function createLog(
  folder: string,
  wordsOf: (cause: unknown) => string,
  clock: Pick<Clock, 'now'>,
): Log {
  const path = join(folder, 'bookbridge.log')
  return {
    write(where, cause) {
      try {
        const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
        if (size > LARGEST) renameSync(path, `${path}.1`)
        appendFileSync(path, `${timestamp(clock)} ${where}: ${wordsOf(cause)}\n`, {
          mode: 0o600,
        })
      } catch {
        // There is nowhere left to report it.
      }
    },
    lastLines() {
      try {
        return readFileSync(path, 'utf8').split('\n').filter(Boolean).slice(-LAST_LINES)
      } catch {
        return []
      }
    },
  }
}
