import type { AppError } from '../../shared/result.ts'
import type {
  Announcer,
  Clipboard,
  ConfirmationDialog,
  FolderDialog,
  OpenDialog,
  Printer,
  ProgramFacts,
  SaveDialog,
  SchedulerHost,
  SecretStore,
  SettingsFile,
  SettingsStore,
  SystemOpener,
  UpdateSource,
} from '../app/ports.ts'
import type { UnconfirmedSends } from '../app/program/confirmations.ts'
import type { Clock, Random } from '../clock.ts'
import type { Rows } from '../rows/rows.ts'
import type { Fetch } from '../service/transport/transport.ts'

/** Everything the core needs from outside. */
export interface CoreOptions {
  readonly folders: {
    /** Holds all of this program's files. Must exist. */
    readonly userData: string
    /** Shared by all programs of this user that use the same keys (`blocked-queues.ts`). */
    readonly queues: string
    /** Where this system keeps a program's state apart from its data (`store/lineage.ts`). `null` where there is none. */
    readonly state: string | null
  }
  readonly settings: {
    readonly store: SettingsStore
    readonly file: SettingsFile
    /** Shown at the start, besides those of the store. */
    readonly notices: readonly AppError[]
  }
  readonly keychain: {
    readonly secrets: SecretStore
    /** Keeps entries of tests and developers apart from real ones. Empty for users. */
    readonly namespace: string
  }
  readonly dialogs: {
    readonly save: SaveDialog
    readonly folder: FolderDialog
    readonly open: OpenDialog
    readonly confirmation: ConfirmationDialog
  }
  readonly desktop: {
    readonly outside: SystemOpener
    readonly clipboard: Clipboard
    readonly printer: Printer
    /** Seconds since anyone used this computer. */
    readonly idleSeconds: () => number
    readonly schedulerHost: SchedulerHost
  }
  readonly network: {
    /** The system's proxy for an address, in the format of `session.resolveProxy`. */
    readonly resolveProxy: (url: string) => Promise<string>
    /** Handles every request except the sample's. If left out, requests use the transport. */
    readonly fetch?: Fetch
  }
  readonly program: {
    readonly facts: ProgramFacts
    /** The name with which they signed in to this computer. */
    readonly user: string
    /** Lists of the licenses of everything that ships, written by the build. */
    readonly licenseFiles: readonly URL[]
    readonly updates: UpdateSource | { readonly off: string }
  }
  readonly workers: { readonly rows: URL; readonly sample: URL; readonly import: URL }
  /** Holds large responses. If left out, a worker of its own does. */
  readonly rows?: Rows
  /** The day the sample's dates are based on at its first run (`yyyy-mm-dd`). Empty for the computer's date. */
  readonly sampleToday: string
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  /** Outlives the core. */
  readonly unconfirmedSends: UnconfirmedSends
  /** The log of unexpected errors. */
  readonly log: {
    readonly write: (where: string, cause: unknown) => void
    readonly lastLines: () => readonly string[]
  }
  /** Closes this core and opens another one on the same folder, once the current call was answered. */
  readonly reopen: () => void
}
