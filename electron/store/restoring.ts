/**
 * Puts a restored backup in the place of what is here, before anything is opened: all of it or nothing, whatever ends
 * the program in between. What is ready lies in a folder beside; one file in it, written last, says that it is to be
 * taken. What was here before is set aside under another name.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { appError, causeText, type AppError } from '../../shared/result.ts'

/** Each file, and what SQLite may have left beside it. */
const FILES = [
  { name: 'bookbridge.sqlite', beside: ['-wal', '-shm'] },
  { name: 'settings.json', beside: [] },
] as const

const FOLDER = 'restore'
/** With six characters after it, for each save its own. */
const SAVING = 'backup-'
const IS_SAVING = new RegExp(`^${SAVING}[A-Za-z0-9]{6}$`)
const READY = 'ready.json'
const SET_ASIDE = '.before-restore-'

/** Where a backup is unpacked; what an earlier try left there goes. */
export function emptyRestoreFolder(userData: string): string {
  const folder = join(userData, FOLDER)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Makes a folder in which the parts of a backup are put together. */
export function makeSaveFolder(userData: string): string {
  return mkdtempSync(join(userData, SAVING))
}

/** What can't be taken away now is at the next start; it keeps nobody from working. */
function removeUnsaved(userData: string): void {
  for (const name of readdirSync(userData)) {
    if (!IS_SAVING.test(name)) continue
    try {
      rmSync(join(userData, name), { recursive: true, force: true })
    } catch {
      // Held open by another program.
    }
  }
}

/** Takes away what was unpacked and is not wanted. */
export function forgetRestore(userData: string): void {
  rmSync(join(userData, FOLDER), { recursive: true, force: true })
}

/** From now on the next opening takes what lies in the folder. Throws what the disk throws; then nothing will be. */
export function decideRestore(userData: string, madeAt: string, now: number): void {
  const folder = join(userData, FOLDER)
  const path = join(folder, READY)
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  writeFileSync(`${path}.new`, JSON.stringify({ stamp, madeAt }), { mode: 0o600 })
  flush(`${path}.new`)
  renameSync(`${path}.new`, path)
  flush(folder)
}

/**
 * Finishes a restore that was decided, and takes away what a save of a backup left that was cut off: a full copy of
 * the books. To be called before the files are opened.
 * @returns what is to be said at the start; `null` when there was nothing to do. Throws what the disk throws when it
 *   could neither be finished nor undone: nothing may be opened then, and the next start tries again
 */
export function finishRestore(userData: string): AppError | null {
  removeUnsaved(userData)
  const folder = join(userData, FOLDER)
  const decided = decidedIn(folder)
  if (decided === null) {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  const move = (from: string, to: string): void => {
    if (existsSync(from)) renameSync(from, to)
  }
  try {
    for (const { name, beside } of FILES) {
      // Not there any more: an earlier try has taken it already.
      if (!existsSync(join(folder, name))) continue
      for (const suffix of [...beside, '']) {
        move(join(userData, name + suffix), join(userData, name + SET_ASIDE + decided.stamp + suffix))
      }
      move(join(folder, name), join(userData, name))
    }
  } catch (cause) {
    // By what lies there, so that what an earlier try did is undone with it: books and settings belong together.
    for (const { name, beside } of FILES.toReversed()) {
      if (!existsSync(join(folder, name))) move(join(userData, name), join(folder, name))
      for (const suffix of ['', ...beside]) {
        move(join(userData, name + SET_ASIDE + decided.stamp + suffix), join(userData, name + suffix))
      }
    }
    rmSync(join(folder, READY), { force: true })
    return notRestored(causeText(cause))
  }
  flush(userData)
  removeOlder(userData, decided.stamp)
  rmSync(folder, { recursive: true, force: true })
  return restored(decided)
}

/** Files that a restore has set aside, of the one before last never. */
export function databasesSetAside(userData: string): readonly string[] {
  return readdirSync(userData)
    .filter((name) => name.startsWith(FILES[0].name + SET_ASIDE) && !/-(wal|shm)$/.test(name))
    .map((name) => join(userData, name))
}

interface Decided {
  readonly stamp: string
  readonly madeAt: string
}

function decidedIn(folder: string): Decided | null {
  try {
    const content = JSON.parse(readFileSync(join(folder, READY), 'utf8')) as Partial<Decided>
    const { stamp, madeAt } = content
    return typeof stamp === 'string' && typeof madeAt === 'string' ? { stamp, madeAt } : null
  } catch {
    return null
  }
}

/** One step back is kept: more would keep for ever what retention has taken out of the file itself. */
function removeOlder(userData: string, stamp: string): void {
  for (const name of readdirSync(userData)) {
    if (name.includes(SET_ASIDE) && !name.includes(SET_ASIDE + stamp)) {
      rmSync(join(userData, name), { force: true })
    }
  }
}

/** So that a new name outlives a power cut. Windows has no such call for folders. */
function flush(path: string): void {
  try {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // The names are right all the same; only a power cut in this moment could tell.
  }
}

function restored({ stamp, madeAt }: Decided): AppError {
  return appError(
    'file',
    'The backup was restored.',
    'Look in the accounting application before you send its drafts: what was sent after the backup was made, from here or from another computer, is not known to it. Keys are not in a backup; type those that are missing under Settings, Connections.',
    { raw: `Backup of ${madeAt}. What was here before ends in ${SET_ASIDE}${stamp}.` },
  )
}

function notRestored(raw: string): AppError {
  return appError(
    'file',
    'The backup could not be put in place, so everything is as it was.',
    'Is a file in the folder of Bookbridge open in another program? Close it and restore again.',
    { raw },
  )
}
