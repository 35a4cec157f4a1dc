/** **Support file…**: gathers what may be told about this Bookbridge, and saves it where the person says. */
import { arch, release, totalmem, version } from 'node:os'
import { platform, uptime, versions } from 'node:process'
import type { SavedFile } from '../../shared/contract/parts.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import { ok, type AppError, type Result } from '../../shared/result.ts'
import { laneSection, supportText, type SupportSection } from '../files/texts/support-file.ts'
import { OWNER_ONLY, writeWholeFile } from '../files/write-file.ts'
import type { Scheduler } from '../service/turns.ts'
import type { RequestLogStore } from '../store/store.ts'
import type { Clock } from '../clock.ts'
import type { ProgramFacts, SaveDialog, SavedConnection, SecretStore, SettingsStore } from './ports.ts'
import { timestamp } from './timestamp.ts'

export interface SupportFileOptions {
  readonly program: ProgramFacts
  /** Our folder: its path names the person, so it is not told. */
  readonly userData: string
  /** What was said at the start. */
  readonly notices: readonly AppError[]
  readonly settings: SettingsStore
  readonly secrets: Pick<SecretStore, 'probe'>
  readonly scheduler: Pick<Scheduler, 'lanes'>
  readonly log: Pick<RequestLogStore, 'list'>
  readonly dialog: SaveDialog
  /** The last lines of the log of unexpected errors. */
  readonly logLines: () => readonly string[]
  readonly clock: Pick<Clock, 'now'>
}

/** More than anybody reads; the log itself keeps the rest. */
const MOST_REQUESTS = 5_000

export interface SupportFile {
  /** Asks where to, and saves it whole or not at all; an error of kind `file` when it could not be written. */
  save(): Promise<Result<SavedFile>>
}

export function createSupportFile(options: SupportFileOptions): SupportFile {
  const { settings, clock } = options
  return {
    async save() {
      const madeAt = timestamp(clock)
      const path = await options.dialog.choose(`Bookbridge support ${madeAt.slice(0, 10)}.txt`, 'txt')
      if (path === null) return ok({ saved: false })
      const requests = options.log.list({ connectionId: null, before: null, limit: MOST_REQUESTS + 1 })
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
          ...options.scheduler.lanes().map((lane) => laneSection(lane, numberOf(lane.connectionId))),
          { title: 'Said at the start', lines: options.notices.map(({ kind, message }) => [kind, message]) },
          { title: 'Unexpected errors', lines: options.logLines().map(logLine) },
          ...(requests.ok ? [] : [unreadable(requests.error)]),
        ],
        requests: requests.ok ? requests.value.slice(0, MOST_REQUESTS) : [],
        hasOlder: requests.ok && requests.value.length > MOST_REQUESTS,
        connectionNumber: numberOf,
      })
      const told = text.replaceAll(options.userData, '<folder of Bookbridge>')
      return writeWholeFile(path, [ok(new TextEncoder().encode(told))], { mode: OWNER_ONLY })
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

/** All but where the person's files are, what was opened last, and the columns of lists, which name fields of theirs. */
function settingLines({
  columnStates: _columns,
  lastCompany: _company,
  certificateFile,
  ...plain
}: Settings): SupportSection['lines'] {
  return [
    ...Object.entries(plain).map(([name, value]) => [name, String(value)] as const),
    ['certificateFile', certificateFile === '' ? 'none' : 'one is chosen'],
  ]
}

/** A path below the address could be a tenant's name: only where it leads is told. */
function connectionLine(connection: SavedConnection, number: number): readonly [string, string] {
  if (connection.isSample) return [String(number), 'the sample service']
  const older = connection.legacyAddress === '' ? 'none' : originOf(connection.legacyAddress)
  const own = JSON.stringify(connection.settings)
  return [
    String(number),
    `${originOf(connection.address)}, older service ${older}${own === '{}' ? '' : `, own settings ${own}`}`,
  ]
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'no address'
}

/** Its time, and the rest. */
function logLine(line: string): readonly [string, string] {
  const at = line.indexOf(' ')
  return [line.slice(0, at), line.slice(at + 1)]
}

function unreadable(error: AppError): SupportSection {
  return { title: 'The log could not be read', lines: [[error.kind, error.message]] }
}
