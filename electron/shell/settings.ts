/**
 * Preferences and connections by electron-store: one JSON file, written whole or not at all. A damaged file is set
 * aside under another name, defaults are used, and the person is told. Never a key.
 */
import { existsSync, renameSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import type { SavedConnection, SettingsStore } from '../app/ports.ts'
import { DEFAULT_SETTINGS } from '../app/default-settings.ts'
import { connectionSettingsSchema, settingsSchema, type Settings } from '../../shared/contract/settings.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'

const connectionsSchema = z.array(
  z.object({
    connectionId: z.string().min(1),
    name: z.string(),
    address: z.string(),
    isSample: z.boolean(),
    legacyAddress: z.string(),
    // Until version 0.2 every connection had the program's settings. One that makes no sense is the program's again.
    settings: connectionSettingsSchema.catch({}).default({}),
  }),
)

interface Kept {
  settings: Record<string, unknown>
  connections: unknown
  currentConnectionId: string | null
}

/** Opens `<folder>/settings.json`. `notices` are said to the person once. */
export function openSettings(folder: string): { store: SettingsStore; notices: AppError[] } {
  const notices: AppError[] = []
  setAsideIfDamaged(join(folder, 'settings.json'), notices)
  const file = new ElectronStore<Kept>({ cwd: folder, name: 'settings', clearInvalidConfig: false })

  let settings = readSettings(file.get('settings'), notices)
  let connections: readonly SavedConnection[] = []
  const parsed = connectionsSchema.safeParse(file.get('connections') ?? [])
  if (parsed.success) connections = parsed.data
  else notices.push(damaged('The list of connections could not be read.'))
  let currentId: string | null = file.get('currentConnectionId') ?? null

  const write = (change: Partial<Kept>): Result<void> => {
    try {
      file.store = { ...file.store, ...change }
      return ok(undefined)
    } catch (cause) {
      return err(
        appError('file', 'The settings could not be saved.', 'Is the disk full, or the folder read-only?', {
          raw: cause instanceof Error ? cause.message : String(cause),
        }),
      )
    }
  }

  return {
    notices,
    store: {
      get: () => settings,
      set(change) {
        const next = { ...settings, ...change }
        const written = write({ settings: next })
        if (!written.ok) return written
        settings = next
        return ok(settings)
      },
      connections: () => connections,
      currentConnectionId: () => currentId,
      setConnections(next, nextId) {
        const written = write({ connections: next, currentConnectionId: nextId })
        if (!written.ok) return written
        connections = next
        currentId = nextId
        return ok(undefined)
      },
    },
  }
}

/** Each preference by itself: one that makes no sense falls back to its default, the others stay. */
function readSettings(value: unknown, notices: AppError[]): Settings {
  if (typeof value !== 'object' || value === null) return DEFAULT_SETTINGS
  const merged: Record<string, unknown> = { ...DEFAULT_SETTINGS }
  for (const [name, schema] of Object.entries(settingsSchema.shape)) {
    if (!Object.hasOwn(value, name)) continue
    const parsed = schema.safeParse((value as Record<string, unknown>)[name])
    if (parsed.success) merged[name] = parsed.data
    else notices.push(damaged(`The setting “${name}” made no sense and has its default again.`))
  }
  const whole = settingsSchema.safeParse(merged)
  return whole.success ? whole.data : DEFAULT_SETTINGS
}

function setAsideIfDamaged(path: string, notices: AppError[]): void {
  if (!existsSync(path)) return
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  } catch {
    // Set aside below.
  }
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  try {
    renameSync(path, aside)
    notices.push(
      damaged(`The settings file was damaged. It was set aside as ${aside}, and defaults are used.`),
    )
  } catch {
    notices.push(damaged('The settings file is damaged and could not be set aside.'))
  }
}

function damaged(message: string): AppError {
  return appError(
    'file',
    message,
    'Look at the settings; connections may have to be added again. Drafts and history are elsewhere and untouched.',
  )
}
