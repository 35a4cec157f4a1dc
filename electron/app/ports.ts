/**
 * What the use cases need from outside. The shell gives the real ones (keytar, electron-store, dialogs);
 * tests give their own, on real files where there are any.
 */
import type { Result } from '../../shared/result.ts'
import type { SampleControl, SampleState } from '../../shared/contract/sample.ts'
import type { About, GuidePage } from '../../shared/contract/app.ts'
import type { EventName, EventPayload } from '../../shared/contract/contract.ts'
import type { ConnectionSettings, Settings } from '../../shared/contract/settings.ts'

/** The computer's keychain. Every call has a time limit. */
export interface SecretStore {
  /** Whether it can be used at all, and why not. */
  probe(): Promise<Result<void>>
  get(service: string, account: string): Promise<Result<string | null>>
  set(service: string, account: string, secret: string): Promise<Result<void>>
  remove(service: string, account: string): Promise<Result<void>>
}

/** A connection as settings keep it: never its key. */
export interface SavedConnection {
  readonly connectionId: string
  readonly name: string
  readonly address: string
  readonly isSample: boolean
  /** Of the older service; empty when there is none. Its key is its own. */
  readonly legacyAddress: string
  /** What differs from the program's settings here. */
  readonly settings: ConnectionSettings
}

/** Preferences and connections, kept by electron-store. Reading is from memory; writing is whole or not at all. */
export interface SettingsStore {
  get(): Settings
  set(change: Partial<Settings>): Result<Settings>
  connections(): readonly SavedConnection[]
  currentConnectionId(): string | null
  setConnections(connections: readonly SavedConnection[], currentId: string | null): Result<void>
}

/** The file of preferences and connections as a whole, for a backup. */
export interface SettingsFile {
  /** All that is kept, also what a newer program has added. Never a key. */
  content(): Readonly<Record<string, unknown>>
  /** What another such file holds: what this program knows of it, and what in it makes no sense, in words. */
  read(content: unknown): {
    readonly content: Readonly<Record<string, unknown>>
    readonly connections: number
    readonly leftOut: readonly string[]
  }
}

/** Asks where to save; unattended runs answer with the proposed name in a folder of theirs. */
export interface SaveDialog {
  /** The path chosen, or `null` when cancelled. */
  choose(
    proposedName: string,
    kind: 'csv' | 'svg' | 'png' | 'xlsx' | 'pdf' | 'txt' | 'zip',
  ): Promise<string | null>
}

/** What a person is asked before a rare act. Enter cancels: a page that was taken over chooses the moment. */
export interface Question {
  /** The question itself. */
  readonly message: string
  /** What follows from a yes. */
  readonly detail: string
  /** The verb on the button that says yes. */
  readonly confirm: string
}

/** Asks outside of the window, where no page can answer. */
export interface Confirmation {
  ask(question: Question): Promise<boolean>
}

/** Asks for a folder to write several files into. */
export interface FolderDialog {
  /** The folder chosen, or `null` when cancelled. */
  choose(): Promise<string | null>
}

/** Asks for a file to read. */
export interface OpenDialog {
  /** The path chosen, or `null` when cancelled. */
  chooseCertificate(): Promise<string | null>
  /** A workbook, CSV or text, to be imported. */
  chooseTable(): Promise<string | null>
  chooseBackup(): Promise<string | null>
}

/** What this program is, as **Storage and about** and the support file say it. */
export type ProgramFacts = Pick<
  About,
  'version' | 'electronVersion' | 'isChromiumHost' | 'platform' | 'locale'
>

/** What lies outside the program and can be shown from it. */
export interface SystemOpener {
  /** A page of the guide, in the system's browser. Empty when it opens, else the system's words for why not. */
  openGuide(page: GuidePage): Promise<string>
  /** The folder of a file, with the file chosen in it. */
  showFile(path: string): void
}

export interface Clipboard {
  read(): Promise<string>
  /** Empty text clears it. */
  write(text: string): Promise<void>
  /** Puts a picture (PNG) there. */
  writePicture(bytes: Uint8Array): Promise<void>
}

/** A document of ours to be printed: its markup, without a script and with no style of its own but its sheet. */
export interface PrintDocument {
  readonly html: string
  readonly css: string
  /** In small print at the foot of each page, before its number. */
  readonly footer: string
}

/** Prints to PDF. */
export interface Printer {
  pdf(document: PrintDocument): Promise<Result<Uint8Array>>
}

/** Where newer versions of the program come from. Each call rejects when it can't be done. */
export interface UpdateSource {
  /** The newest version there and what is said of it; `null` when nothing is. */
  check(): Promise<{ readonly version: string; readonly notes: unknown } | null>
  /** Fetches what was found, and checks its signature. */
  fetch(onPercent: (percent: number) => void): Promise<void>
  /** Ends the program and puts it in place. */
  install(): void
}

/** Speaks to the window. */
export interface Announcer {
  emit<Name extends EventName>(event: Name, payload: EventPayload<Name>): void
  /** A system notification, shown only while the window is in the background. */
  notify(title: string, body: string): void
}

/** The made-up desks of the sample. Each call starts the sample if need be, and rejects when it can't answer. */
export interface SampleController {
  state(): Promise<SampleState>
  /** Rejects with words when the change names something that the sample has not. */
  control(change: SampleControl): Promise<SampleState>
  /** Forgets every edit and every company made since the first run. */
  reset(): Promise<SampleState>
}
