/**
 * Replaces the files with a restored backup before anything is opened: all of it or nothing, even if the program ends
 * in between. The backup is unpacked into a folder beside them. A file in it, written last, marks it as ready. The
 * replaced files are kept under another name.
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
import { type AppError, appError, causeText } from '../../../shared/result.ts'

/** The folder in the user-data folder that holds copies of lists. No backup includes them. */
export const KEPT_LISTS = 'lists'

/** Each file, and what SQLite may have left beside it. */
const FILES = [
  { name: 'bookbridge.sqlite', beside: ['-wal', '-shm'] },
  { name: 'settings.json', beside: [] },
] as const

const FOLDER = 'restore'
/** Followed by six characters that are unique for each save. */
const SAVING = 'backup-'
const IS_SAVING = new RegExp(`^${SAVING}[A-Za-z0-9]{6}$`)
const READY = 'ready.json'
const SET_ASIDE = '.before-restore-'

/** Creates the folder into which a backup is unpacked, and removes what an earlier attempt left there. */
export function createRestoreFolder(userData: string): string {
  const folder = join(userData, FOLDER)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Creates a folder in which the parts of a backup are assembled. */
export function createSaveFolder(userData: string): string {
  return mkdtempSync(join(userData, SAVING))
}

/** Whatever can't be removed now is removed at the next start. */
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

/** Removes an unpacked backup that isn't wanted. */
export function discardRestore(userData: string): void {
  rmSync(join(userData, FOLDER), { recursive: true, force: true })
}

/** Makes the next start restore what is in the folder. If it throws, nothing will be restored. */
export function scheduleRestore(userData: string, madeAt: string, now: number): void {
  const folder = join(userData, FOLDER)
  const path = join(folder, READY)
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  writeFileSync(`${path}.new`, JSON.stringify({ stamp, madeAt }), { mode: 0o600 })
  flush(`${path}.new`)
  renameSync(`${path}.new`, path)
  flush(folder)
}

/**
 * Finishes a scheduled restore, and removes what an interrupted save of a backup left behind, which is a full copy of
 * the books. Call before the files are opened.
 * @returns what to show at startup; `null` if there was nothing to do. Throws the disk's error if the restore could be
 * neither finished nor undone. In that case, nothing may be opened, and the next start tries again
 */
export function finishRestore(userData: string): AppError | null {
  removeUnsaved(userData)
  const folder = join(userData, FOLDER)
  const decided = decidedIn(folder)
  if (decided === null) {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  // What was saved after a list was copied is in the history of the replaced database.
  rmSync(join(userData, KEPT_LISTS), { recursive: true, force: true })
  const move = (from: string, to: string): void => {
    if (existsSync(from)) renameSync(from, to)
  }
  try {
    for (const { name, beside } of FILES) {
      // An earlier attempt already moved it.
      if (!existsSync(join(folder, name))) continue
      for (const suffix of [...beside, '']) {
        move(join(userData, name + suffix), join(userData, name + SET_ASIDE + decided.stamp + suffix))
      }
      move(join(folder, name), join(userData, name))
    }
  } catch (cause) {
    // Checks which files exist, so that an earlier attempt is undone, too. Books and settings belong together.
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

/** Databases that the last restore set aside. Those of earlier restores are deleted (`removeOlder`). */
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

/** Keeps one earlier version. More would outlive what retention has deleted. */
function removeOlder(userData: string, stamp: string): void {
  for (const name of readdirSync(userData)) {
    if (name.includes(SET_ASIDE) && !name.includes(SET_ASIDE + stamp)) {
      rmSync(join(userData, name), { force: true })
    }
  }
}

/** Makes a rename survive a power failure. Windows has no such call for folders. */
function flush(path: string): void {
  try {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // The names are already right. Only a power failure right now could matter.
  }
}

function restored({ stamp, madeAt }: Decided): AppError {
  return appError(
    'file',
    'The backup was restored.',
    'Before you send its drafts, check the accounting application: the backup doesn’t know what was sent after it was saved, from here or from another computer. Backups contain no keys. Enter missing ones under Settings, Connections.',
    { raw: `Backup of ${madeAt}. The names of the files it replaced end in ${SET_ASIDE}${stamp}.` },
  )
}

function notRestored(raw: string): AppError {
  return appError(
    'file',
    'The backup couldn’t be restored, so everything is as it was.',
    'If a file in Bookbridge’s folder is open in another program, close it and restore again.',
    { raw },
  )
}
