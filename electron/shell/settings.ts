/**
 * Preferences and connections by electron-store: one JSON file, written whole or not at all. What is damaged is set
 * aside under another name, defaults take its place, and the person is told. Never a key.
 */
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import type { Clock } from '../clock.ts'
import type { SettingsFile, SettingsStore } from '../app/ports.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { onlyKnown, readKept, settingsIn, type KeptFile } from './kept-settings.ts'

/** Bytes: many times what all settings and connections take. */
const LARGEST_FILE = 32 * 1024 * 1024

/** Opens `<folder>/settings.json`. Never fails: `notices` say what was not as it should be, once. */
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

  const write = (next: KeptFile): Result<void> => {
    if (found.isUnreadable)
      return err(notSaved('The file that is there can’t be read, and is left as it is.'))
    try {
      // Made anew for each writing: its own reading, in between, could fail where ours did not.
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
  /** There is something that is neither read nor set aside: nothing is written over it. */
  readonly isUnreadable: boolean
}

/** Reads the file, and sets it aside when it is no settings file at all. */
function readFile(path: string, now: number): Found {
  let text: string
  try {
    // A larger one is none of ours, and is set aside as what can't be parsed is.
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
    const said = `The settings file was damaged. It was set aside as ${aside}.`
    return { content: {}, notices: [damaged(said)], isUnreadable: false }
  } catch (cause) {
    const said = 'The settings file is damaged and could not be set aside.'
    return { content: {}, notices: [damaged(said, causeText(cause))], isUnreadable: true }
  }
}

/** The object in a text; `null` when there is none. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** Keeps the file as it was under another name, then puts one that makes sense in its place. */
function mend(path: string, leftOut: readonly string[], now: number, write: () => Result<void>): AppError {
  const what = `Something in the settings file made no sense and was left out: ${leftOut.join(', ')}.`
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
    'The settings could not be saved.',
    'Is the disk full, or the folder of Bookbridge read-only? Until that is put right, settings stay as they are.',
    { raw },
  )
}

function damaged(message: string, raw?: string): AppError {
  return appError(
    'file',
    message,
    'What is missing has its default. Look at the settings; connections may have to be added again. Drafts and history are elsewhere and untouched.',
    raw === undefined ? {} : { raw },
  )
}
