/**
 * Writes a file completely or not at all: under a temporary name next to the target, flushed to disk, then
 * renamed. If anything fails, the existing file is unchanged, and the error names the likely cause.
 */
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SavedFile } from '../../shared/contract/parts.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'

/** The file system functions that are needed. Tests substitute a full disk or a locked file. */
export interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<Pick<FileHandle, 'writeFile' | 'sync' | 'close'>>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  pause(milliseconds: number): Promise<void>
}

const REAL: FileSystem = {
  open,
  rename,
  remove: (path) => rm(path, { force: true }),
  pause,
}

/** On Windows, a virus scanner may hold a new file for a moment. A program that has it open holds it longer. */
const RENAME_TRIES = 4
const RENAME_PAUSE_MS = 150

/** The file's bytes in order. An error among them ends the write, and nothing is saved. */
export type Pieces = AsyncIterable<Result<Uint8Array>> | Iterable<Result<Uint8Array>>

type Step = 'create' | 'write' | 'replace'

/** Yields one value, where a file is read or written in pieces. */
export async function* once<Value>(value: Value): AsyncGenerator<Result<Value>> {
  yield await Promise.resolve(ok(value))
}

/** Permissions of a file that only its owner can read. */
export const OWNER_ONLY = 0o600

/**
 * Returns a fingerprint of a file (size and modification time) to detect changes by someone else; empty if
 * there is none.
 */
export function fileFingerprint(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${String(stats.size)} ${String(stats.mtimeMs)}`
}

export interface WritingOptions {
  /** The file's permissions, even if it replaces another file. By default, those of any new file. */
  readonly mode?: number
  /**
   * Called when everything is written, right before the rename, with the fingerprints of the new file and the
   * existing one. An error keeps the existing file.
   */
  readonly claim?: (fingerprint: string, there: string) => Result<void>
  readonly files?: FileSystem
}

/**
 * Writes all pieces to `path`, replacing an existing file.
 * @returns the saved file; or an error of kind `file`, the first error among the pieces, or the error of
 * `claim`
 */
export async function writeFileAtomically(
  path: string,
  pieces: Pieces,
  { mode, claim, files = REAL }: WritingOptions = {},
): Promise<Result<SavedFile>> {
  // Keep a symbolic link and replace its target.
  const target = await realpath(path).catch(() => path)
  const temporary = join(dirname(target), `.bookbridge-${randomUUID()}.tmp`)
  let step: Step = 'create'
  try {
    const file = await files.open(temporary, 'wx', mode)
    step = 'write'
    const written = await writePieces(file, pieces)
    if (!written.ok) {
      await discard(files, temporary)
      return written
    }
    const claimed = claim?.(fileFingerprint(temporary), fileFingerprint(target)) ?? ok(undefined)
    if (!claimed.ok) {
      await discard(files, temporary)
      return claimed
    }
    step = 'replace'
    await replace(files, temporary, target)
    await flushFolder(dirname(target))
    return ok({ saved: true, path, name: basename(path), bytes: written.value })
  } catch (cause) {
    await discard(files, temporary)
    return err(fileError(step, target, cause))
  }
}

async function writePieces(
  file: Pick<FileHandle, 'writeFile' | 'sync' | 'close'>,
  pieces: Pieces,
): Promise<Result<number>> {
  let bytes = 0
  try {
    for await (const piece of pieces) {
      if (!piece.ok) return piece
      // On an open handle, this appends the whole piece.
      await file.writeFile(piece.value)
      bytes += piece.value.byteLength
    }
    await file.sync()
    return ok(bytes)
  } finally {
    await file.close()
  }
}

async function replace(files: FileSystem, temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await files.rename(temporary, target)
      return
    } catch (cause) {
      if (attempt === RENAME_TRIES || !['EBUSY', 'EPERM', 'EACCES'].includes(codeOf(cause))) throw cause
      await files.pause(RENAME_PAUSE_MS)
    }
  }
}

async function discard(files: FileSystem, temporary: string): Promise<void> {
  await files.remove(temporary).catch(() => undefined)
}

/**
 * Flushes the folder, so that the rename survives a power failure. Windows has no such call, and some network
 * drives refuse it.
 */
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The file itself is already on disk.
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
}

/** Describes a file error for the user, by the system's error code and the failed step. */
function fileError(step: Step, target: string, cause: unknown): AppError {
  const name = basename(target)
  const code = codeOf(cause)
  const details = { code, raw: causeText(cause) }
  const file = (message: string, advice: string): AppError => appError('file', message, advice, details)
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return file(
        'The disk is full, so the file was not saved.',
        'Free some space or choose another folder. An existing file with that name was not changed.',
      )
    case 'EFBIG':
      return file('The file is too large for this disk.', 'Choose another disk, or a shorter period.')
    case 'EBUSY':
    case 'ETXTBSY':
      return locked(name, details)
    case 'EPERM':
    case 'EACCES':
      if (step === 'replace') return locked(name, details)
      return file(
        'This folder can’t be written to.',
        'Choose another folder, or ask its owner for permission.',
      )
    case 'EROFS':
      return file('This folder is read-only.', 'Choose another folder.')
    case 'ENOENT':
    case 'ENOTDIR':
      return file(
        'The folder no longer exists.',
        'Choose another folder. A network drive may be disconnected.',
      )
    case 'EISDIR':
      return file(`${name} is a folder.`, 'Choose another name.')
    case 'ENAMETOOLONG':
      return file('The name is too long.', 'Choose a shorter name, or a folder with a shorter path.')
    default:
      return file('The file could not be saved.', 'Try again, or choose another folder.')
  }
}

function locked(name: string, details: AppError['details']): AppError {
  return appError(
    'file',
    `${name} is open in another program, so it was not replaced.`,
    'Close it there and save again. Excel locks files while they are open. The file was not changed.',
    details,
  )
}
