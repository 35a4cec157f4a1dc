/**
 * **Save a backup…** and **Restore…**: everything kept here except keys and tokens, as one file. Neither runs while
 * something is being sent, which would be missing from the backup or from the restored data.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { BackupContents } from '../../../shared/contract/backup.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../../../shared/result.ts'
import {
  backupPieces,
  isSealed,
  newerBackup,
  unpackBackup,
  unpackSealed,
  type BackupManifest,
} from '../../files/backup/backup-file.ts'
import { OWNER_ONLY, writeWholeFile } from '../../files/write-file.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import { resultOf } from '../../store/database.ts'
import {
  scheduleRestore,
  createRestoreFolder,
  discardRestore,
  createSaveFolder,
  prepareCopy,
} from '../../store/backup.ts'
import { SCHEMA_VERSION } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { HandlersOf } from '../calls.ts'
import { type Clock, timestamp } from '../../clock.ts'
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

interface Chosen {
  readonly restoreId: string
  readonly path: string
  /** When it was made; `null` while it is encrypted. */
  readonly madeAt: string | null
}

export function createBackup(options: BackupOptions): HandlersOf<'backup'> {
  const { userData, store, settings, settingsFile, clock } = options
  let chosen: Chosen | null = null
  let isReading = false

  const forget = (): void => {
    chosen = null
    discardRestore(userData)
  }

  /** Why the data here could not be read, as expected of a newer program's file. */
  const unreadable = (error: AppError): AppError => (store.isReadOnly ? newerHere(error) : error)

  /** Why a backup or restore has to wait; `null` if it doesn't. */
  const obstacle = (kinds: readonly UnfinishedItem['kind'][]): AppError | null => {
    if (options.scheduler.queues().some(({ running, waiting }) => running !== null || waiting.length > 0)) {
      return appError(
        'invalid-input',
        'Bookbridge is waiting for the service.',
        'Wait for the response, or stop the request in Activity. Then try again.',
      )
    }
    const items = resultOf(() => unfinishedItems(store.unfinished, settings))
    if (!items.ok) return unreadable(items.error)
    const found = items.value.find(({ kind }) => kinds.includes(kind))
    return found === undefined ? null : unfinishedError(found)
  }

  const save = async (passphrase: string | null): Promise<Result<SavedFile>> => {
    if (store.isReadOnly) return err(onlyRead())
    const obstacleFound = obstacle(BEING_SENT)
    if (obstacleFound !== null) return err(obstacleFound)
    const madeAt = timestamp(clock)
    const path = await options.dialog.choose(`Bookbridge backup ${madeAt.slice(0, 10)}.zip`, 'zip')
    if (path === null) return ok({ saved: false })
    // In the user-data folder, which only this user can read.
    const folder = createSaveFolder(userData)
    try {
      // Removes traces of deleted data first.
      await store.rewrite()
      await writeFile(join(folder, SETTINGS), JSON.stringify(portable(settingsFile.content()), null, 2))
      await store.backup.copyTo(join(folder, 'bookbridge.sqlite'))
      const facts = { madeAt, program: options.program.version, schema: SCHEMA_VERSION }
      return await writeWholeFile(path, backupPieces(folder, facts, passphrase), { mode: OWNER_ONLY })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  const choose = async (): Promise<Result<CallOutput<'backup.choose'>>> => {
    const obstacleFound = obstacle(IN_DOUBT)
    if (obstacleFound !== null) return err(obstacleFound)
    const path = await options.openDialog.chooseBackup()
    if (path === null) return ok(null)
    forget()
    const sealed = await isSealed(path)
    if (!sealed.ok) return sealed
    const [restoreId, fileName] = [options.newId(), basename(path)]
    if (sealed.value) {
      chosen = { restoreId, path, madeAt: null }
      return ok({ restoreId, fileName, contents: null })
    }
    const contents = await read(restoreId, path, (folder) => unpackBackup(path, folder))
    return contents.ok ? ok({ restoreId, fileName, contents: contents.value }) : contents
  }

  const unsealed = async (restoreId: string, passphrase: string): Promise<Result<BackupContents>> => {
    if (chosen?.restoreId !== restoreId) return err(notReady())
    const { path } = chosen
    const contents = await read(restoreId, path, (folder) => unpackSealed(path, passphrase, folder))
    if (!contents.ok && contents.error.kind === 'invalid-input') chosen = { restoreId, path, madeAt: null }
    return contents
  }

  /** Unpacks and checks a backup. Leaves nothing behind on failure. */
  const read = async (
    restoreId: string,
    path: string,
    unpack: (folder: string) => Promise<Result<BackupManifest>>,
  ): Promise<Result<BackupContents>> => {
    // Two restores would unpack into the same folder.
    if (isReading)
      return err(
        appError('invalid-input', 'Bookbridge is already reading a backup.', 'Wait until it’s done.'),
      )
    isReading = true
    try {
      forget()
      const folder = createRestoreFolder(userData)
      const contents = await contentsOf(folder, unpack)
      if (contents.ok) chosen = { restoreId, path, madeAt: contents.value.madeAt }
      else forget()
      return contents
    } finally {
      isReading = false
    }
  }

  const contentsOf = async (
    folder: string,
    unpack: (folder: string) => Promise<Result<BackupManifest>>,
  ): Promise<Result<BackupContents>> => {
    const manifest = await unpack(folder)
    if (!manifest.ok) return manifest
    if (manifest.value.schema > SCHEMA_VERSION) return err(newerBackup())
    const connections = await readySettings(join(folder, SETTINGS), settingsFile, settings.get().historyDays)
    if (!connections.ok) return connections
    const sent = resultOf(() => store.backup.sent())
    if (!sent.ok) return err(unreadable(sent.error))
    const copy = prepareCopy(join(folder, 'bookbridge.sqlite'), sent.value)
    if (!copy.ok) return copy
    const here = resultOf(() => unfinishedItems(store.unfinished, settings))
    if (!here.ok) return err(unreadable(here.error))
    const { madeAt, program } = manifest.value
    return ok({
      madeAt,
      program,
      connections: connections.value,
      ...copy.value,
      draftsHere: here.value.reduce((sum, { kind, count }) => sum + (kind === 'draft' ? count : 0), 0),
    })
  }

  return {
    'backup.save': ({ passphrase }) => save(passphrase),
    'backup.choose': choose,
    'backup.unseal': ({ restoreId, passphrase }) => unsealed(restoreId, passphrase),
    'backup.restore': ({ restoreId }) => {
      if (chosen?.restoreId !== restoreId || chosen.madeAt === null || isReading) return err(notReady())
      const obstacleFound = obstacle(IN_DOUBT)
      if (obstacleFound !== null) return err(obstacleFound)
      try {
        scheduleRestore(userData, chosen.madeAt, clock.now())
      } catch (cause) {
        forget()
        const raw = causeText(cause)
        return err(
          appError('file', 'The backup couldn’t be restored.', 'Check the disk, then try again.', { raw }),
        )
      }
      options.reopen()
      return ok({})
    },
    'backup.forget': () => {
      forget()
      return ok({})
    },
  }
}

function notReady(): AppError {
  return appError('not-found', 'This backup is no longer open.', 'Choose the file again.')
}

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

/** Leaves out what belongs to one computer. Whom it trusts never comes from a file. */
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
