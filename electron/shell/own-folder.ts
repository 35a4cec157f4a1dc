/** The folder in which everything of ours lies: nobody else on this computer looks into it. */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { getuid, platform } from 'node:process'
import { appError, causeText, type AppError } from '../../shared/result.ts'

/** By these a folder is known to be ours, or by its emptiness; any other that somebody names keeps its rights. */
const OURS = ['bookbridge.sqlite', 'settings.json']

/**
 * Makes the folder where there is none, for its owner alone; one of ours that others may enter is closed.
 * @returns why the program can't work there; `null` when it can
 */
export function ownFolder(path: string): AppError | null {
  try {
    makeOwn(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (cause) {
    return appError(
      'file',
      `The folder in which Bookbridge keeps its work can’t be used${path === '' ? ': none is named.' : `: ${path}`}`,
      'Look at its name and its rights, and whether its drive is there.',
      { raw: causeText(cause) },
    )
  }
}

function makeOwn(path: string): void {
  const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  // Windows keeps a person's application data apart by itself.
  if (isMade || platform === 'win32') return
  const { mode, uid } = statSync(path)
  const names = readdirSync(path)
  const isOurs = uid === getuid?.() && (names.length === 0 || OURS.some((name) => names.includes(name)))
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
}
