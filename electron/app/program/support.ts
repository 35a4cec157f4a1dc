/** **Support file…**: collects facts that are safe to share with support, and saves them to a file that the user chooses. */
import { arch, release, totalmem, version } from 'node:os'
import { platform, uptime, versions } from 'node:process'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { queueSection, type SupportSection, supportText } from '../../files/support-file.ts'
import { OWNER_ONLY, writeFileAtomically } from '../../files/write-file.ts'
import { createMask, redact } from '../../service/errors/redact.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { RequestLogStore } from '../../store/activity.ts'
import { resultOf } from '../../store/database.ts'
import { originOf } from '../connections/saved-connections.ts'
import type { ProgramFacts, SavedConnection, SaveDialog, SecretStore, SettingsStore } from '../ports.ts'

export interface SupportFileOptions {
  readonly program: ProgramFacts
  /** Left out of the text, since its path contains the user's name. */
  readonly userData: string
  /** Notices shown at the start. */
  readonly notices: readonly AppError[]
  readonly settings: SettingsStore
  readonly secrets: Pick<SecretStore, 'probe'>
  readonly scheduler: Pick<Scheduler, 'queues'>
  readonly log: Pick<RequestLogStore, 'list'>
  readonly dialog: SaveDialog
  /** The last lines of the log of unexpected errors. */
  readonly logLines: () => readonly string[]
  readonly clock: Pick<Clock, 'now'>
}

/** More than anyone reads. The log has the rest. */
const MAX_REQUESTS = 5_000

export interface SupportFile {
  /** Asks where to save, and writes the file atomically. An error of kind `file` if that fails. */
  save(): Promise<Result<SavedFile>>
}

export function createSupportFile(options: SupportFileOptions): SupportFile {
  const { settings, clock } = options
  return {
    async save() {
      const madeAt = timestamp(clock)
      const path = await options.dialog.choose(`Bookbridge support ${madeAt.slice(0, 10)}.txt`, 'txt')
      if (path === null) return ok({ saved: false })
      const requests = resultOf(() =>
        options.log.list({ connectionId: null, before: null, limit: MAX_REQUESTS + 1 }),
      )
      const keychain = await options.secrets.probe()
      const connections = settings.connections()
      const numberOf = (connectionId: string): number | null => {
        const at = connections.findIndex((each) => each.connectionId === connectionId)
        return at < 0 ? null : at + 1
      }
      const text = supportText({
        madeAt,
        sections: [
          programSection(options.program, keychain.ok),
          { title: 'Settings', lines: settingLines(settings.get()) },
          { title: 'Connections', lines: connections.map((each, index) => connectionLine(each, index + 1)) },
          ...options.scheduler.queues().map((queue) => queueSection(queue, numberOf(queue.connectionId))),
          {
            title: 'Messages at startup',
            lines: options.notices.map(({ kind, message }) => [kind, message]),
          },
          { title: 'Unexpected errors', lines: options.logLines().map(logLine) },
          ...(requests.ok ? [] : [unreadable(requests.error)]),
        ],
        requests: requests.ok ? requests.value.slice(0, MAX_REQUESTS) : [],
        hasOlder: requests.ok && requests.value.length > MAX_REQUESTS,
        connectionNumber: numberOf,
      })
      const shared = text.replaceAll(options.userData, '<folder of Bookbridge>')
      return writeFileAtomically(path, [ok(new TextEncoder().encode(shared))], { mode: OWNER_ONLY })
    },
  }
}

function programSection(program: ProgramFacts, hasKeychain: boolean): SupportSection {
  return {
    title: 'Program',
    lines: [
      ['Bookbridge', program.version],
      ['Electron', program.isChromiumHost ? 'none: the Chromium host' : program.electronVersion],
      ['Node', versions.node],
      ['system', `${platform} ${release()} ${arch()}, ${version()}`],
      ['language', program.locale],
      ['memory', `${String(Math.round(totalmem() / 1_048_576))} MiB`],
      ['running for', `${String(Math.round(uptime()))} s`],
      ['keychain', hasKeychain ? 'usable' : 'not usable: keys are in memory'],
    ],
  }
}

/** Leaves out names, the user's paths, the last company, and column layouts, which contain field names. */
function settingLines({
  columnStates: _columns,
  lastCompany: _company,
  certificateFile,
  firmName: _firm,
  preparer: _preparer,
  logo,
  ...plain
}: Settings): SupportSection['lines'] {
  return [
    ...Object.entries(plain).map(([name, value]) => [name, String(value)] as const),
    ['certificateFile', certificateFile === '' ? 'none' : 'one is chosen'],
    ['logo', logo === '' ? 'none' : 'one is chosen'],
  ]
}

/** Only the origin: the path could contain a tenant's name. */
function connectionLine(connection: SavedConnection, number: number): readonly [string, string] {
  if (connection.isSample) return [String(number), 'the sample service']
  const origin = (address: string): string => originOf(address) ?? 'no address'
  const older = connection.legacyAddress === '' ? 'none' : origin(connection.legacyAddress)
  const own = JSON.stringify(connection.settings)
  return [
    String(number),
    `${origin(connection.address)}, older service ${older}${own === '{}' ? '' : `, own settings ${own}`}`,
  ]
}

/** Splits a line into its time and the rest. */
function logLine(line: string): readonly [string, string] {
  const at = line.indexOf(' ')
  return [line.slice(0, at), line.slice(at + 1)]
}

function unreadable(error: AppError): SupportSection {
  return { title: 'The log could not be read', lines: [[error.kind, error.message]] }
}

/*
 * Describes an unexpected error for the log: its name, code, message, and stack frames. The platform's messages quote
 * their input (`Unexpected token … in "{"Name":"Cedar…"`), which may be a record, so quoted text and long numbers are
 * left out. Names, codes, and frames must look like names, codes, and frames: an error may come from the window, which
 * can write anything into them.
 */

const LONGEST_MESSAGE = 300
const MAX_FRAMES = 12
const LONGEST_FRAME = 200

/** From the first to the last quote of a line: quoted text may contain quotes itself. */
const QUOTED = /(["'`“‘«]).*["'`”’»]/g
/** Also if the closing quote was cut off. */
const OPENED = /["`“«].*$/g
const LONG_FIGURE = /\d[\d.,]{4,}/g
/** API keys, tokens, and IDs. Our own messages contain none. */
const LONG_WORD = /[A-Za-z0-9_+/=-]{24,}/g
const MAIL_ADDRESS = /\S+@\S+/g
/** Characters that would start another line of the log, or change how it reads. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** `TypeError`, `AbortError`, `SqliteError`. */
const ERROR_NAME = /^[A-Za-z]{1,40}$/
/** `ENOENT`, `ERR_TLS_CERT_ALTNAME_INVALID`, or SQLite's number. */
const ERROR_CODE = /^(?:[A-Z][A-Z0-9_]{1,60}|-?\d{1,6})$/
/** `at function (file:line:column)` or `at file:line:column`. A function's name has spaces only after these words. */
const FRAME = /^\s+at (?:(?:async |new |get |set )*[\w$.#<>[\]]+ (?:\[as [\w$]+\] )?)?\(?\S+:\d+:\d+\)?$/

/**
 * Describes anything that was thrown on one line. Never throws.
 * @param secrets keys in this process's memory
 */
export function describeError(cause: unknown, secrets: readonly string[]): string {
  try {
    return redact(oneLine(wordsOf(cause)), createMask(secrets))
  } catch {
    return 'An error that can’t be described.'
  }
}

function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return quiet(String(cause))
  const code = 'code' in cause ? ` ${known(cause.code, ERROR_CODE)}` : ''
  // These contain the text that could not be parsed, quoted or not.
  const message = cause instanceof SyntaxError ? '…' : quiet(cause.message)
  return [`${known(cause.name, ERROR_NAME)}${code}: ${message}`, ...placesOf(cause)].join(' | ')
}

function known(value: unknown, form: RegExp): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return form.test(text) ? text : '…'
}

/** A message without quoted text. */
function quiet(text: string): string {
  const [first = ''] = text.split(/[\n\r]/)
  return first
    .slice(0, LONGEST_MESSAGE)
    .replace(QUOTED, '$1…$1')
    .replace(OPENED, '…')
    .replace(MAIL_ADDRESS, '…')
    .replace(LONG_FIGURE, '…')
    .replace(LONG_WORD, '…')
}

/** The lines after the message, which may look like frames itself. */
function placesOf({ message, stack = '' }: Error): readonly string[] {
  const at = message === '' ? -1 : stack.indexOf(message)
  return stack
    .slice(at < 0 ? 0 : at + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => placeOf(line))
}

/** `at function (file:line:column)` with only the file's name: its folder may contain the user's name. */
function placeOf(frame: string): string {
  return frame
    .trim()
    .replace(/(?:[a-z]+:\/\/)?[^\s()]*[/\\]([^\s()/\\]+)/gi, '$1')
    .slice(0, LONGEST_FRAME)
}

function oneLine(text: string): string {
  return text.replace(CONTROL, ' ')
}
