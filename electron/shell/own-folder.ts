/** Makes the user-data folder private to this user. */
import { accessSync, chmodSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { getuid, platform } from 'node:process'
import { type AppError, appError, causeText } from '../../shared/result.ts'

/** A folder that has one of these files, or is empty, is ours. Any other keeps its permissions. */
const OURS = ['bookbridge.sqlite', 'settings.json']
const WRITABLE_BY_OTHERS = 0o022

/**
 * Creates the folder for its owner alone, or removes other users' access to an existing one of ours. Refuses a folder
 * that belongs to another user, or to which others may have added files: they could choose what is sent.
 * @returns why the program can't use it, or `null`
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
      `Bookbridge’s data folder can’t be used${path === '' ? ': none is named.' : `: ${path}`}`,
      'Check its name and permissions, and that its drive is connected.',
      { raw: causeText(cause) },
    )
  }
}

function makeOwn(path: string): AppError | null {
  const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  // Windows keeps users' application data private.
  if (isMade || platform === 'win32') return null
  const { mode, uid } = statSync(path)
  if (uid !== getuid?.()) {
    return appError(
      'file',
      `Bookbridge’s data folder belongs to another user: ${path}`,
      'Start Bookbridge as that user, or choose a folder of your own.',
    )
  }
  const names = readdirSync(path)
  if (names.length > 0 && (mode & WRITABLE_BY_OTHERS) !== 0) {
    return appError(
      'file',
      `Other users of this computer can change Bookbridge’s data folder: ${path}`,
      'Check that no one has added files. Then remove write permission for everyone else (chmod go-w), or choose another folder.',
    )
  }
  const isOurs = names.length === 0 || OURS.some((name) => names.includes(name))
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  return null
}
