/**
 * Saves preferences and connections with electron-store: one JSON file, written atomically, without keys. A damaged
 * file is set aside under another name and replaced by defaults, and the user is told.
 */
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { id, line } from '../../shared/contract/parts.ts'
import { connectionSettingsSchema, type Settings, settingsSchema } from '../../shared/contract/settings.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import { isValidConnection } from '../app/connections/saved-connections.ts'
import type { SavedConnection, SettingsFile, SettingsStore } from '../app/ports.ts'
import { DEFAULT_SETTINGS } from '../app/program/settings.ts'
import type { Clock } from '../clock.ts'

/** Bytes, many times what settings and connections need. */
const LARGEST_FILE = 32 * 1024 * 1024

/** Opens `<folder>/settings.json`. Never fails; `notices` say what was wrong. */
export function openSettings(
  folder: string,
  clock: Pick<Clock, 'now'>,
): {
  readonly store: SettingsStore
  readonly file: SettingsFile
  readonly notices: readonly AppError[]
} {
  const path = join(folder, 'settings.json')
  const found = readFile(path, clock.now())
  const read = readKept(found.content)
  const notices = [...found.notices]
  let kept = read.file
  let settings = read.settings

  const write = (next: SettingsContent): Result<void> => {
    if (found.isUnreadable) return err(notSaved('The existing file can’t be read and was left as it is.'))
    try {
      // Created for each write: electron-store also reads the file, which could fail in between.
      const file = new ElectronStore<Record<string, unknown>>({
        cwd: folder,
        name: 'settings',
        clearInvalidConfig: true,
        configFileMode: 0o600,
      })
      file.store = next
    } catch (cause) {
      return err(notSaved(causeText(cause)))
    }
    kept = next
    return ok(undefined)
  }

  if (read.leftOut.length > 0) notices.push(mend(path, read.leftOut, clock.now(), () => write(kept)))

  return {
    notices,
    file: {
      content: () => kept,
      read(content) {
        if (typeof content !== 'object' || content === null || Array.isArray(content)) {
          return { content: {}, connections: 0, leftOut: ['all of it'] }
        }
        const { file, leftOut } = readKept(content)
        return { content: onlyKnown(file), connections: file.connections.length, leftOut }
      },
    },
    store: {
      get: () => settings,
      set(change) {
        const written = write({ ...kept, settings: { ...kept.settings, ...change } })
        if (!written.ok) return written
        settings = settingsIn(kept.settings)
        return ok(settings)
      },
      connections: () => kept.connections,
      currentConnectionId: () => kept.currentConnectionId,
      setConnections: (connections, currentConnectionId) =>
        write({ ...kept, connections, currentConnectionId }),
    },
  }
}

interface Found {
  readonly content: unknown
  readonly notices: readonly AppError[]
  /** The file can be neither read nor set aside, so nothing overwrites it. */
  readonly isUnreadable: boolean
}

/** Reads the file, and sets it aside if it isn't a settings file. */
function readFile(path: string, now: number): Found {
  let text: string
  try {
    // A larger file isn't ours. It is set aside like one that can't be parsed.
    text = statSync(path).size > LARGEST_FILE ? '' : readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
      return { content: {}, notices: [], isUnreadable: false }
    }
    return {
      content: {},
      notices: [damaged('The settings file can’t be read.', causeText(cause))],
      isUnreadable: true,
    }
  }
  const content = parsed(text)
  if (content !== null) return { content, notices: [], isUnreadable: false }
  const aside = asideOf(path, now)
  try {
    renameSync(path, aside)
    const message = `The settings file was damaged. It was set aside as ${aside}.`
    return { content: {}, notices: [damaged(message)], isUnreadable: false }
  } catch (cause) {
    const message = 'The settings file is damaged and could not be set aside.'
    return { content: {}, notices: [damaged(message, causeText(cause))], isUnreadable: true }
  }
}

/** Parses an object; `null` for anything else. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Keeps a copy of the file, then replaces it with a valid one. */
function mend(path: string, leftOut: readonly string[], now: number, write: () => Result<void>): AppError {
  const what = `The settings file had invalid values, which were left out: ${leftOut.join(', ')}.`
  const aside = asideOf(path, now)
  try {
    copyFileSync(path, aside)
  } catch (cause) {
    return damaged(what, causeText(cause))
  }
  const written = write()
  return damaged(
    `${what} The file as it was is kept as ${aside}.`,
    written.ok ? undefined : written.error.message,
  )
}

function asideOf(path: string, now: number): string {
  return `${path}.damaged-${new Date(now).toISOString().replaceAll(':', '-')}`
}

function notSaved(raw: string): AppError {
  return appError(
    'file',
    'The settings couldn’t be saved.',
    'Is the disk full, or Bookbridge’s folder read-only? Until that is fixed, settings can’t change.',
    { raw },
  )
}

function damaged(message: string, raw?: string): AppError {
  return appError(
    'file',
    message,
    'Defaults are used for missing settings. Check the settings. You may have to add connections again. Drafts and history are stored elsewhere and are fine.',
    raw === undefined ? {} : { raw },
  )
}

/*
 * Reads a settings file preference by preference and connection by connection, so that an invalid one doesn't affect
 * the others. Pure functions. Keeps what a newer program added.
 */

type Members = Readonly<Record<string, unknown>>

/** The file's content: known members, and any that a newer program added. */
export interface SettingsContent {
  /** Preferences that were set. The others have their defaults. */
  readonly settings: Members
  readonly connections: readonly SavedConnection[]
  readonly currentConnectionId: string | null
  readonly [member: string]: unknown
}

export interface ReadSettings {
  readonly file: SettingsContent
  readonly settings: Settings
  /** Descriptions of the invalid parts that were dropped. */
  readonly leftOut: readonly string[]
}

const connectionSchema = z
  .looseObject({
    connectionId: id,
    name: line,
    address: line,
    isSample: z.boolean(),
    legacyAddress: line,
    // Instead of invalid ones, the program's apply.
    settings: connectionSettingsSchema.catch({}),
  })
  .refine(isValidConnection)

/** @param content the parsed file. Anything but an object is empty. */
function readKept(content: unknown): ReadSettings {
  const members = membersOf(content) ?? {}
  const preferences = readPreferences(members['settings'])
  const connections = readConnections(members['connections'])
  const current = readCurrent(members['currentConnectionId'], connections.read)
  return {
    file: {
      ...members,
      settings: preferences.kept,
      connections: connections.read,
      currentConnectionId: current.read,
    },
    settings: preferences.settings,
    leftOut: [...preferences.leftOut, ...connections.leftOut, ...current.leftOut],
  }
}

/** Keeps only our own members: unknown ones of another computer's file could mean something later. */
function onlyKnown({ settings, connections, currentConnectionId }: SettingsContent): SettingsContent {
  return {
    settings: Object.fromEntries(
      Object.entries(settings).filter(([name]) => Object.hasOwn(settingsSchema.shape, name)),
    ),
    connections: connections.map(
      ({ connectionId, name, address, isSample, legacyAddress, settings: own }) => ({
        connectionId,
        name,
        address,
        isSample,
        legacyAddress,
        settings: own,
      }),
    ),
    currentConnectionId,
  }
}

/** The effective settings: the defaults, and over them what was set. */
function settingsIn(kept: Members): Settings {
  const own = Object.entries(settingsSchema.shape).flatMap(([name, schema]) => {
    const parsed = Object.hasOwn(kept, name) ? schema.safeParse(kept[name]) : null
    return parsed?.success === true ? [[name, parsed.data] as const] : []
  })
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(own) }
}

function readPreferences(value: unknown): { kept: Members; settings: Settings; leftOut: readonly string[] } {
  const members = value === undefined ? {} : membersOf(value)
  if (members === null) return { kept: {}, settings: DEFAULT_SETTINGS, leftOut: ['all preferences'] }
  const shape: Readonly<Record<string, z.ZodType>> = settingsSchema.shape
  const senseless = Object.keys(members).filter(
    (name) => Object.hasOwn(shape, name) && shape[name]?.safeParse(members[name]).success === false,
  )
  const kept = Object.fromEntries(Object.entries(members).filter(([name]) => !senseless.includes(name)))
  return { kept, settings: settingsIn(kept), leftOut: senseless.map((name) => `the setting “${name}”`) }
}

function readConnections(value: unknown): { read: readonly SavedConnection[]; leftOut: readonly string[] } {
  if (value === undefined) return { read: [], leftOut: [] }
  if (!Array.isArray(value)) return { read: [], leftOut: ['all connections'] }
  const parsed = value.map((entry) => connectionSchema.safeParse(entry))
  const seen = new Set<string>()
  const read = parsed.flatMap(({ data }): SavedConnection[] => {
    if (data === undefined || seen.has(data.connectionId)) return []
    seen.add(data.connectionId)
    return [data]
  })
  const lost = parsed.length - read.length
  return { read, leftOut: lost === 0 ? [] : [lost === 1 ? 'one connection' : `${String(lost)} connections`] }
}

/** The current connection, or the first one if that doesn't exist. */
function readCurrent(
  value: unknown,
  connections: readonly SavedConnection[],
): { read: string | null; leftOut: readonly string[] } {
  const named = connections.find(({ connectionId }) => connectionId === value)
  if (named !== undefined) return { read: named.connectionId, leftOut: [] }
  const first = connections[0]?.connectionId ?? null
  const isKnownForm = value === undefined || value === null || typeof value === 'string'
  return { read: first, leftOut: isKnownForm ? [] : ['which connection was in use'] }
}

function membersOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
}
