/** What the program without a window needs from outside, and what it is to whoever runs it. */
import type { Handlers } from './app/handlers.ts'
import type {
  Announcer,
  Clipboard,
  FolderDialog,
  OpenDialog,
  Confirmation,
  Outside,
  Printer,
  ProgramFacts,
  SaveDialog,
  SecretStore,
  SettingsFile,
  SettingsStore,
  UpdateSource,
} from './app/ports.ts'
import type { UnaskedSends } from './app/unasked-sends.ts'
import type { Clock, Random } from './clock.ts'
import type { Fetch } from './service/transport.ts'
import type { AppError } from '../shared/result.ts'

export interface CoreOptions {
  /** Everything of ours lies there; the folder exists. */
  readonly userData: string
  /** The user's and not this user data's: what all programs that use the same keys share (`shared-lanes.ts`). */
  readonly laneFolder: string
  /** Where this system keeps a program's state apart from its data; `null`: nowhere (`store/lineage.ts`). */
  readonly stateFolder: string | null
  readonly settings: SettingsStore
  readonly settingsFile: SettingsFile
  readonly secrets: SecretStore
  readonly keychainNamespace: string
  readonly dialog: SaveDialog
  readonly folderDialog: FolderDialog
  readonly openDialog: OpenDialog
  readonly confirmation: Confirmation
  readonly unasked: UnaskedSends
  readonly program: ProgramFacts
  readonly outside: Outside
  /** What has to be said at the start, besides what the store says. */
  readonly startNotices: readonly AppError[]
  readonly clipboard: Clipboard
  readonly printer: Printer
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  /** Takes every request but the sample's: a service within the process. Left out, requests leave by the transport. */
  readonly fetch?: Fetch
  readonly rowsWorker: URL
  readonly sampleWorker: URL
  readonly importWorker: URL
  /** The day that the sample's dates are counted from at its first run, `yyyy-mm-dd`; the machine's when empty. */
  readonly sampleToday: string
  /** The system's proxy for an address, as `session.resolveProxy` says it. */
  readonly resolveProxy: (url: string) => Promise<string>
  /** What the build wrote of the licences of all that ships. */
  readonly licenceFiles: readonly URL[]
  readonly updates: UpdateSource | { readonly off: string }
  /** Closes this core and opens another on the same folder, as soon as this call has been answered. */
  readonly reopen: () => void
  /** The last lines of that log. */
  readonly logLines: () => readonly string[]
  /** Seconds since anybody used this computer. */
  readonly idleSeconds: () => number
  /** A defect of ours, for the log. */
  readonly defect: (where: string, cause: unknown) => void
}

export interface Core {
  readonly handlers: Handlers
  /** Takes up what an earlier run left; sends nothing by itself. */
  start(): void
  /** The machine woke up. */
  wake(): void
  /** The window has another page: the lists and reports that the one before held are let go of. */
  pageLoaded(): void
  close(): Promise<void>
  /** Keys that this process holds, to be kept out of what it writes. */
  secrets(): readonly string[]
}
