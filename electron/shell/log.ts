/**
 * Where errors that nobody expected are written: one file, and the one before it. No secret and no record is in it;
 * the callers give messages and stacks of our own code.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

const LARGEST = 1024 * 1024

export type Log = (where: string, cause: unknown) => void

/** Writes to `<folder>/bookbridge.log`; a log that can't be written stops nothing. */
export function createLog(folder: string): Log {
  const path = join(folder, 'bookbridge.log')
  return (where, cause) => {
    const words = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size > LARGEST) renameSync(path, `${path}.1`)
      appendFileSync(path, `${new Date().toISOString()} ${where}: ${words}\n`, { mode: 0o600 })
    } catch {
      // There is nowhere left to say it.
    }
  }
}
