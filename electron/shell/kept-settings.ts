/**
 * What a settings file holds, read for what makes sense in it: each preference and each connection by itself, so that
 * one that makes no sense costs none of the others. Pure; what a newer program has written beside ours is kept.
 */
import { z } from 'zod'
import { DEFAULT_SETTINGS } from '../app/default-settings.ts'
import type { SavedConnection } from '../app/ports.ts'
import { isSensible } from '../app/saved-connections.ts'
import { id, line } from '../../shared/contract/parts.ts'
import { connectionSettingsSchema, settingsSchema, type Settings } from '../../shared/contract/settings.ts'

type Members = Readonly<Record<string, unknown>>

/** The file as it is written: our members, and any that a newer program has added. */
export interface KeptFile {
  /** Preferences that were set; the others have their defaults. */
  readonly settings: Members
  readonly connections: readonly SavedConnection[]
  readonly currentConnectionId: string | null
  readonly [member: string]: unknown
}

export interface ReadFile {
  readonly file: KeptFile
  readonly settings: Settings
  /** What made no sense and was left out, in words; empty when all did. */
  readonly leftOut: readonly string[]
}

const connectionSchema = z
  .looseObject({
    connectionId: id,
    name: line,
    address: line,
    isSample: z.boolean(),
    legacyAddress: line,
    // Until version 0.2 every connection had the program's settings. One that makes no sense is the program's again.
    settings: connectionSettingsSchema.catch({}).default({}),
  })
  .refine(isSensible)

/** @param content the parsed file; what is no object holds nothing */
export function readKept(content: unknown): ReadFile {
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

/** The file with our own members alone: what else another computer's holds could come to mean something one day. */
export function onlyKnown({ settings, connections, currentConnectionId }: KeptFile): KeptFile {
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

/** What is in force: the defaults, and over them what was set. Each member was checked before. */
export function settingsIn(kept: Members): Settings {
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

/** The connection in use; one that is not there gives way to the first that is. */
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
