/**
 * What the use cases need from outside. The shell implements it (keytar, electron-store, dialogs); tests have their own
 * implementations.
 */
import type { About, GuidePage } from '../../shared/contract/app.ts'
import type { EventName, EventPayload } from '../../shared/contract/contract.ts'
import type { SampleControl, SampleState } from '../../shared/contract/sample.ts'
import type { ConnectionSettings, Settings } from '../../shared/contract/settings.ts'
import type { Result } from '../../shared/result.ts'

/** The computer's keychain. Every call has a time limit. */
export interface SecretStore {
  /** Whether it can be used at all, and why not. */
  probe(): Promise<Result<void>>
  get(service: string, account: string): Promise<Result<string | null>>
  set(service: string, account: string, secret: string): Promise<Result<void>>
  remove(service: string, account: string): Promise<Result<void>>
}

/** A connection as saved in the settings, without its key. */
export interface SavedConnection {
  readonly connectionId: string
  readonly name: string
  readonly address: string
  readonly isSample: boolean
  /** The older service's address. Empty when there is none. It has a key of its own. */
  readonly legacyAddress: string
  /** Settings that override the program's. */
  readonly settings: ConnectionSettings
}

/** Preferences and connections, saved by electron-store. Reads come from memory; writes are atomic. */
export interface SettingsStore {
  get(): Settings
  set(change: Partial<Settings>): Result<Settings>
  connections(): readonly SavedConnection[]
  currentConnectionId(): string | null
  setConnections(connections: readonly SavedConnection[], currentId: string | null): Result<void>
}

/** The whole settings file, for a backup. */
export interface SettingsFile {
  /** Everything in the file, including what a newer program added. Never a key. */
  content(): Readonly<Record<string, unknown>>
  /**
   * Reads another settings file: what this program understands of it, and descriptions of what is invalid.
   */
  read(content: unknown): {
    readonly content: Readonly<Record<string, unknown>>
    readonly connections: number
    readonly leftOut: readonly string[]
  }
}

/** Asks where to save. Unattended runs answer with the proposed name in their own folder. */
export interface SaveDialog {
  /** Returns the chosen path, or `null` if the user cancels. */
  choose(
    proposedName: string,
    kind: 'csv' | 'svg' | 'png' | 'xlsx' | 'pdf' | 'txt' | 'zip',
  ): Promise<string | null>
}

/** A confirmation before a rare action. Enter cancels, because a compromised page could choose the moment. */
export interface Question {
  /** The question itself. */
  readonly message: string
  /** What confirming does. */
  readonly detail: string
  /** The verb on the confirm button. */
  readonly confirm: string
}

/** Asks outside the window, where no page can answer. */
export interface ConfirmationDialog {
  ask(question: Question): Promise<boolean>
}

/** Asks for a folder for several files. */
export interface FolderDialog {
  /** Returns the chosen folder, or `null` if the user cancels. */
  choose(): Promise<string | null>
}

/** Asks for a file to read. */
export interface OpenDialog {
  /** Returns the chosen path, or `null` if the user cancels. */
  chooseCertificate(): Promise<string | null>
  /** A workbook, CSV, or text file to import. */
  chooseTable(): Promise<string | null>
  chooseBackup(): Promise<string | null>
  /** A picture. */
  chooseLogo(): Promise<string | null>
  chooseRunFile(): Promise<string | null>
}

/** A command of the system: its program, arguments, and input. */
export interface SystemCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly input?: string
}

/** How a command of the system ended. */
export interface CommandOutcome {
  /** `null` if it could not be started, or took too long. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What registering with the system's scheduler needs to know of this computer and this program. */
export interface SchedulerHost {
  readonly platform: string
  readonly home: string
  /** Where Linux keeps configuration: `~/.config`. */
  readonly configFolder: string
  /** `DOMAIN\\name` on Windows. */
  readonly user: string
  /** The user's numeric ID on Mac and Linux. */
  readonly userId: number
  /** How to start this program, without the run file. */
  readonly program: { readonly command: string; readonly args: readonly string[] }
  /** Variables to set for the program if the scheduler that starts it doesn't know this session. */
  readonly sessionVariables: Readonly<Record<string, string>>
  /** Variables to set with every scheduler. Empty for an installed program. */
  readonly ownVariables: Readonly<Record<string, string>>
  run(command: SystemCommand): Promise<CommandOutcome>
}

/** What **Storage and about** and the support file say about the program. */
export type ProgramFacts = Pick<
  About,
  'version' | 'electronVersion' | 'isChromiumHost' | 'platform' | 'locale'
>

/** Opens things outside the program. */
export interface SystemOpener {
  /**
   * Opens a page of the guide in the system's browser. Returns the system's error message, or an empty text.
   */
  openGuide(page: GuidePage): Promise<string>
  /** Shows a file, selected, in its folder. */
  showFile(path: string): void
  /** Opens a file in its default program. Returns the system's error message, or an empty text if it opened. */
  openFile(path: string): Promise<string>
}

export interface Clipboard {
  read(): Promise<string>
  /** Empty text clears it. */
  write(text: string): Promise<void>
  /** Copies a PNG picture. */
  writePicture(bytes: Uint8Array): Promise<void>
}

/** A document to print: markup without scripts or inline styles, and its style sheet. */
export interface PrintDocument {
  readonly html: string
  readonly css: string
  /** Small print in the footer of each page, before the page number. */
  readonly footer: string
  /** Named CSS pages, each with its orientation and the small print in its header. */
  readonly pages: readonly {
    readonly name: string
    readonly orientation: 'portrait' | 'landscape'
    readonly header: string
  }[]
  /** A picture that the document shows as `logo`; `null` for none. */
  readonly logo: { readonly type: string; readonly bytes: Uint8Array } | null
}

/** Prints to PDF. */
export interface Printer {
  pdf(document: PrintDocument): Promise<Result<Uint8Array>>
}

/** Where newer versions come from. Each call rejects on failure. */
export interface UpdateSource {
  /** Returns the newest version and its release notes, or `null` if there is none. */
  check(): Promise<{ readonly version: string; readonly notes: unknown } | null>
  /** Downloads the version that was found, and checks its signature. */
  fetch(onPercent: (percent: number) => void): Promise<void>
  /** Quits the program and installs the update. */
  install(): void
}

/** Sends events to the window. */
export interface Announcer {
  emit<Name extends EventName>(event: Name, payload: EventPayload<Name>): void
  /** A system notification, shown only while the window is in the background. */
  notify(title: string, body: string): void
}

/**
 * Controls the sample's simulated computers. Each call starts the sample if needed, and rejects when it can't answer.
 */
export interface SampleController {
  state(): Promise<SampleState>
  /** Rejects with a message when the change names something that the sample doesn't have. */
  control(change: SampleControl): Promise<SampleState>
  /** Discards every edit and every company added since the first run. */
  reset(): Promise<SampleState>
}
