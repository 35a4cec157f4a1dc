/**
 * **Save a backup…** and **Restore…**: everything kept here except keys and tokens, as one file. Neither runs while
 * something is being sent, which would be missing from the backup or from the restored data.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { BackupContents } from '../../../shared/contract/backup.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import {
  type BackupManifest,
  backupPieces,
  isSealed,
  newerBackupError,
  unpackBackup,
  unpackSealed,
} from '../../files/backup/backup-file.ts'
import { OWNER_ONLY, writeFileAtomically } from '../../files/write-file.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import { prepareCopy } from '../../store/backup/copy.ts'
import {
  createRestoreFolder,
  createSaveFolder,
  discardRestore,
  scheduleRestore,
} from '../../store/backup/restore.ts'
import { resultOf } from '../../store/database.ts'
import { SCHEMA_VERSION } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { HandlersOf } from '../calls.ts'
import type { OpenDialog, ProgramFacts, SaveDialog, SettingsFile, SettingsStore } from '../ports.ts'
import { unfinishedItems } from './activity.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

export interface BackupOptions {
  readonly userData: string
  readonly program: Pick<ProgramFacts, 'version'>
  readonly store: Pick<Store, 'backup' | 'unfinished' | 'isReadOnly' | 'rewrite'>
  readonly settings: Pick<SettingsStore, 'connections' | 'get'>
  readonly settingsFile: SettingsFile
  readonly scheduler: Pick<Scheduler, 'queues'>
  readonly dialog: SaveDialog
  readonly openDialog: Pick<OpenDialog, 'chooseBackup'>
  readonly clock: Pick<Clock, 'now'>
  /** A handle for a chosen backup. */
  readonly newId: () => string
  /** Closes the core and opens it on the restored files, without ending the program. */
  readonly reopen: () => void
}

/** Work that is being sent, or may be sent soon. */
const BEING_SENT: readonly UnfinishedItem['kind'][] = ['sending', 'queued']
/** Work that only this computer's journal can settle. */
const IN_DOUBT: readonly UnfinishedItem['kind'][] = [
  ...BEING_SENT,
  'not-confirmed',
  'provisioning',
  'deprovisioning',
]

const SETTINGS = 'settings.json'

export function createBackup(options: BackupOptions): HandlersOf<'backup'> {
  const { userData, store, clock } = options
  const chosen = new ChosenBackup(options)

  const save = async (passphrase: string | null): Promise<Result<SavedFile>> => {
    if (store.isReadOnly) return err(onlyRead())
    const obstacle = obstacleTo(BEING_SENT, options)
    if (obstacle !== null) return err(obstacle)
    const madeAt = timestamp(clock)
    const path = await options.dialog.choose(`Bookbridge backup ${madeAt.slice(0, 10)}.zip`, 'zip')
    if (path === null) return ok({ saved: false })
    // In the user-data folder, which only this user can read.
    const folder = createSaveFolder(userData)
    try {
      // Removes traces of deleted data first.
      await store.rewrite()
      const content = JSON.stringify(portable(options.settingsFile.content()), null, 2)
      await writeFile(join(folder, SETTINGS), content)
      await store.backup.copyTo(join(folder, 'bookbridge.sqlite'))
      const facts = { madeAt, program: options.program.version, schema: SCHEMA_VERSION }
      return await writeFileAtomically(path, backupPieces(folder, facts, passphrase), { mode: OWNER_ONLY })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    'backup.save': ({ passphrase }) => save(passphrase),
    'backup.choose': async () => {
      const obstacle = obstacleTo(IN_DOUBT, options)
      if (obstacle !== null) return err(obstacle)
      const path = await options.openDialog.chooseBackup()
      return path === null ? ok(null) : chosen.open(path)
    },
    'backup.unseal': ({ restoreId, passphrase }) => chosen.unseal(restoreId, passphrase),
    'backup.restore': ({ restoreId }) => {
      const madeAt = chosen.readyToRestore(restoreId)
      if (madeAt === null) return err(NOT_OPEN)
      const obstacle = obstacleTo(IN_DOUBT, options)
      if (obstacle !== null) return err(obstacle)
      try {
        scheduleRestore(userData, madeAt, clock.now())
      } catch (cause) {
        chosen.forget()
        const raw = causeText(cause)
        return err(
          appError('file', 'The backup couldn’t be restored.', 'Check the disk, then try again.', { raw }),
        )
      }
      options.reopen()
      return ok({})
    },
    'backup.forget': () => {
      chosen.forget()
      return ok({})
    },
  }
}

type Unpack = (folder: string) => Promise<Result<BackupManifest>>

/** The backup that the user chose to restore. Once it is read, its files lie unpacked in a folder of their own. */
class ChosenBackup {
  readonly #options: BackupOptions
  #chosen: {
    readonly restoreId: string
    readonly path: string
    /** When it was made; `null` while it is encrypted. */
    readonly madeAt: string | null
  } | null = null
  #isReading = false

  constructor(options: BackupOptions) {
    this.#options = options
  }

  /** Opens a file in place of the one before. Reads it, unless it is encrypted. */
  async open(path: string): Promise<Result<CallOutput<'backup.choose'>>> {
    this.forget()
    const sealed = await isSealed(path)
    if (!sealed.ok) return sealed
    const [restoreId, fileName] = [this.#options.newId(), basename(path)]
    if (sealed.value) {
      this.#chosen = { restoreId, path, madeAt: null }
      return ok({ restoreId, fileName, contents: null })
    }
    const contents = await this.#read(restoreId, path, (folder) => unpackBackup(path, folder))
    return contents.ok ? ok({ restoreId, fileName, contents: contents.value }) : contents
  }

  /** Reads an encrypted backup. After a wrong passphrase, it stays open. */
  async unseal(restoreId: string, passphrase: string): Promise<Result<BackupContents>> {
    if (this.#chosen?.restoreId !== restoreId) return err(NOT_OPEN)
    const { path } = this.#chosen
    const contents = await this.#read(restoreId, path, (folder) => unpackSealed(path, passphrase, folder))
    if (!contents.ok && contents.error.kind === 'invalid-input')
      this.#chosen = { restoreId, path, madeAt: null }
    return contents
  }

  /** When the backup was made, once it was read; `null` before, or if it is no longer open. */
  readyToRestore(restoreId: string): string | null {
    return this.#chosen?.restoreId === restoreId && !this.#isReading ? this.#chosen.madeAt : null
  }

  forget(): void {
    this.#chosen = null
    discardRestore(this.#options.userData)
  }

  /** Unpacks and checks a backup. Leaves nothing behind on failure. */
  async #read(restoreId: string, path: string, unpack: Unpack): Promise<Result<BackupContents>> {
    // Two restores would unpack into the same folder.
    if (this.#isReading)
      return err(
        appError('invalid-input', 'Bookbridge is already reading a backup.', 'Wait until it’s done.'),
      )
    this.#isReading = true
    try {
      this.forget()
      const folder = createRestoreFolder(this.#options.userData)
      const contents = await contentsOf(folder, unpack, this.#options)
      if (contents.ok) this.#chosen = { restoreId, path, madeAt: contents.value.madeAt }
      else this.forget()
      return contents
    } finally {
      this.#isReading = false
    }
  }
}

async function contentsOf(
  folder: string,
  unpack: Unpack,
  { store, settings, settingsFile }: Pick<BackupOptions, 'store' | 'settings' | 'settingsFile'>,
): Promise<Result<BackupContents>> {
  const manifest = await unpack(folder)
  if (!manifest.ok) return manifest
  if (manifest.value.schema > SCHEMA_VERSION) return err(newerBackupError())
  const connections = await readySettings(join(folder, SETTINGS), settingsFile, settings.get().historyDays)
  if (!connections.ok) return connections
  const sent = resultOf(() => store.backup.sent())
  if (!sent.ok) return err(unreadable(sent.error, store))
  const copy = prepareCopy(join(folder, 'bookbridge.sqlite'), sent.value)
  if (!copy.ok) return copy
  const here = resultOf(() => unfinishedItems(store.unfinished, settings))
  if (!here.ok) return err(unreadable(here.error, store))
  const { madeAt, program } = manifest.value
  return ok({
    madeAt,
    program,
    connections: connections.value,
    ...copy.value,
    draftsHere: here.value.reduce((sum, { kind, count }) => sum + (kind === 'draft' ? count : 0), 0),
  })
}

/** Why a backup or restore has to wait; `null` if it doesn't. */
function obstacleTo(
  kinds: readonly UnfinishedItem['kind'][],
  { scheduler, store, settings }: Pick<BackupOptions, 'scheduler' | 'store' | 'settings'>,
): AppError | null {
  if (scheduler.queues().some(({ running, waiting }) => running !== null || waiting.length > 0)) {
    return appError(
      'invalid-input',
      'Bookbridge is waiting for the service.',
      'Wait for the response, or stop the request in Activity. Then try again.',
    )
  }
  const items = resultOf(() => unfinishedItems(store.unfinished, settings))
  if (!items.ok) return unreadable(items.error, store)
  const found = items.value.find(({ kind }) => kinds.includes(kind))
  return found === undefined ? null : unfinishedError(found)
}

/** Why the data here could not be read, as expected of a newer program's file. */
function unreadable(error: AppError, { isReadOnly }: Pick<Store, 'isReadOnly'>): AppError {
  return isReadOnly ? newerHere(error) : error
}

const NOT_OPEN = appError('not-found', 'This backup is no longer open.', 'Choose the file again.')

function unfinishedError({ kind, companyName }: UnfinishedItem): AppError {
  const whose = companyName === '' ? '' : ` (${companyName})`
  return kind === 'queued' || kind === 'sending'
    ? appError(
        'invalid-input',
        `Changes are waiting to be sent${whose}.`,
        'Send or discard them first. You’ll find them under Activity, Unfinished.',
      )
    : appError(
        'invalid-input',
        `Some sent changes aren’t confirmed yet${whose}.`,
        'Wait for confirmation, or decide under Activity, Unfinished. Only the data on this computer can show what happened.',
      )
}

/** Leaves out settings that belong to one computer. The trusted certificate never comes from a backup. */
function portable(content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { settings } = content
  if (typeof settings !== 'object' || settings === null) return content
  const { certificateFile: _file, ...others } = settings as Readonly<Record<string, unknown>>
  return { ...content, settings: others }
}

function withHistoryDays(
  content: Readonly<Record<string, unknown>>,
  least: number,
): Readonly<Record<string, unknown>> {
  const settings = content['settings'] as Partial<Settings> | undefined
  const { historyDays } = { ...DEFAULT_SETTINGS, ...settings }
  return { ...content, settings: { ...settings, historyDays: Math.max(least, historyDays) } }
}

/**
 * Checks unpacked settings, and rewrites them for this computer.
 * @param historyDays this computer's retention. A backup can't shorten it, since that also trims the files a restore
 * sets aside.
 * @returns the number of connections, or an error if anything is invalid
 */
async function readySettings(
  path: string,
  settingsFile: SettingsFile,
  historyDays: number,
): Promise<Result<number>> {
  try {
    const content: unknown = (await stat(path)).size === 0 ? null : JSON.parse(await readFile(path, 'utf8'))
    const read = settingsFile.read(content)
    if (read.leftOut.length > 0) return err(senseless(`Invalid value: ${read.leftOut.join(', ')}.`))
    const taken = withHistoryDays(portable(read.content), historyDays)
    await writeFile(path, JSON.stringify(taken, null, 2), { flush: true })
    return ok(read.connections)
  } catch (cause) {
    return err(senseless(causeText(cause)))
  }
}

/** This program can't describe a newer program's data correctly. */
function onlyRead(): AppError {
  return appError(
    'store',
    'The data on this computer was saved by a newer version of Bookbridge, so this version can only read it.',
    'Save the backup with the newer Bookbridge.',
  )
}

/** Without this computer's list of what was sent, a draft in the backup could be sent again. */
function newerHere({ details, message }: AppError): AppError {
  return appError(
    'store',
    'The data on this computer was saved by a newer version of Bookbridge, and this version can’t read it.',
    'Restore the backup with the newer Bookbridge. Nothing was changed here.',
    { ...details, raw: details.raw ?? message },
  )
}

function senseless(raw: string): AppError {
  return appError(
    'file',
    'The settings in this backup can’t be read.',
    'Choose another file. Nothing was changed here.',
    { raw },
  )
}
