/**
 * Where errors that nobody expected are written: one file, and the one before it. No secret and no record is in it:
 * what is said of an error passes `electron/app/program/support.ts`.
 */
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'

const LARGEST = 1024 * 1024
/** What somebody who helps looks at. */
const LAST_LINES = 100

export interface Log {
  /** A log that can't be written stops nothing. */
  write(where: string, cause: unknown): void
  /** The last lines, oldest first. */
  lastLines(): readonly string[]
}

/** Writes to `<folder>/bookbridge.log`. @param wordsOf what may be told of an error, on one line */
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
        appendFileSync(path, `${new Date(clock.now()).toISOString()} ${where}: ${wordsOf(cause)}\n`, {
          mode: 0o600,
        })
      } catch {
        // There is nowhere left to say it.
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
