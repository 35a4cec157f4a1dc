/** The folder in which everything of ours lies: nobody else on this computer looks into it. */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { getuid, platform } from 'node:process'
import { appError, causeText, type AppError } from '../../shared/result.ts'

/** By these a folder is known to be ours, or by its emptiness; any other that somebody names keeps its rights. */
const OURS = ['bookbridge.sqlite', 'settings.json']
const WRITABLE_BY_OTHERS = 0o022

/**
 * Makes the folder where there is none, for its owner alone; one of ours that others may enter is closed. A folder that
 * belongs to another user, or to which others may have added files, is refused: they could choose what is sent.
 * @returns why the program can't work there; `null` when it can
 */
export function secureUserDataFolder(path: string): AppError | null {
  try {
    const refused = makeOwn(path)
    if (refused !== null) return refused
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

function makeOwn(path: string): AppError | null {
  const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  // Windows keeps a person's application data apart by itself.
  if (isMade || platform === 'win32') return null
  const { mode, uid } = statSync(path)
  if (uid !== getuid?.()) {
    return appError(
      'file',
      `The folder in which Bookbridge keeps its work belongs to another user: ${path}`,
      'Start Bookbridge as that user, or choose a folder of your own.',
    )
  }
  const names = readdirSync(path)
  if (names.length > 0 && (mode & WRITABLE_BY_OTHERS) !== 0) {
    return appError(
      'file',
      `Other users of this computer can change the folder in which Bookbridge keeps its work: ${path}`,
      'Check that nobody has put files there. Then take the right to write from everybody but you (chmod go-w), or choose another folder.',
    )
  }
  const isOurs = names.length === 0 || OURS.some((name) => names.includes(name))
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  return null
}
