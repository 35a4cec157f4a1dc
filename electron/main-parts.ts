/** What the core needs of Electron and of this machine: made once, and kept when the core is opened anew. */
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { platform, versions } from 'node:process'
import { pathToFileURL } from 'node:url'
import { app, type BrowserWindow, powerMonitor, safeStorage, session } from 'electron'
import type { Clock, Random } from './clock.ts'
import type { Announcer, ProgramFacts } from './app/ports.ts'
import { createUnaskedSends } from './app/unasked-sends.ts'
import type { CoreOptions } from './core-options.ts'
import type { Confinement } from './shell/confinement.ts'
import {
  createConfirmation,
  createFolderDialog,
  createOpenDialog,
  createSaveDialog,
} from './shell/dialogs.ts'
import type { Flags } from './shell/flags.ts'
import { createKeyFile } from './shell/key-file.ts'
import { createKeychain, loadKeytar, type Keychain } from './shell/keychain.ts'
import type { Log } from './shell/log.ts'
import { createClipboard, createOutside } from './shell/machine.ts'
import { createPrinter } from './shell/printer.ts'
import { createUpdater } from './shell/updater.ts'
import { openVault } from './shell/vault.ts'

/** All but what lies in the folder, which is read each time that the core is opened. */
export type CoreParts = Omit<
  CoreOptions,
  'secrets' | 'settings' | 'settingsFile' | 'startNotices' | 'reopen'
> & {
  readonly secrets: Keychain
}

export interface PartsOptions {
  readonly userData: string
  /** Of the main bundle: what was built lies beside it. */
  readonly mainFolder: string
  readonly flags: Flags
  readonly confinement: Confinement
  /** What dialogs stand before. */
  readonly window: () => BrowserWindow | null
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function createCoreParts(options: PartsOptions): CoreParts {
  const { userData, mainFolder, flags, window, log } = options
  const beside = (name: string): URL => new URL(name, pathToFileURL(`${mainFolder}/`))
  /** A developer's word, which a packaged program does not hear. */
  const ofDeveloper = (name: string): string => (app.isPackaged ? '' : (process.env[name] ?? ''))
  const namespace = ofDeveloper('BOOKBRIDGE_KEYCHAIN_NAMESPACE')
  const keyFile = createKeyFile({ folder: userData, encryption: safeStorage, platform, clock: options.clock })
  const secrets = createKeychain(options.clock, () =>
    openVault({ loadKeytar, file: keyFile, first: 'keychain' }),
  )
  // The first answer takes longest, and the window asks for it before it shows anything: begun while Chromium starts.
  void secrets.probe()
  const program = programFacts()
  return {
    userData,
    laneFolder:
      namespace === ''
        ? join(app.getPath('appData'), 'Bookbridge connections')
        : join(userData, 'connections'),
    stateFolder: stateFolder(flags),
    secrets,
    keychainNamespace: namespace,
    dialog: createSaveDialog(window, flags.saveDir),
    folderDialog: createFolderDialog(window, flags.saveDir),
    openDialog: createOpenDialog(window),
    confirmation: createConfirmation(window, flags.isHeadless && ofDeveloper('BOOKBRIDGE_ASKS') === ''),
    unasked: createUnaskedSends(options.clock),
    program,
    outside: createOutside(mainFolder),
    clipboard: createClipboard(),
    printer: createPrinter(program.locale, options.confinement),
    licenceFiles: [beside('licences-main.json'), beside('licences-window.json')],
    updates: createUpdater({ isPackaged: app.isPackaged, platform }, process.resourcesPath),
    announcer: options.announcer,
    clock: options.clock,
    random: options.random,
    rowsWorker: beside('rows-worker.js'),
    sampleWorker: beside('sample-worker.js'),
    importWorker: beside('import-worker.js'),
    sampleToday: ofDeveloper('BOOKBRIDGE_SAMPLE_TODAY'),
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    idleSeconds: () => powerMonitor.getSystemIdleTime(),
    defect: log.write,
    logLines: log.lastLines,
  }
}

/** What is kept there is not in a backup or copy of the user-data folder. Of a profile of its own, all lies in its folder. */
function stateFolder(flags: Flags): string | null {
  if (flags.userDataDir !== null) return null
  const { LOCALAPPDATA = '', XDG_STATE_HOME = '' } = process.env
  switch (platform) {
    case 'win32':
      return LOCALAPPDATA === '' ? null : join(LOCALAPPDATA, 'Bookbridge')
    case 'darwin':
      // Time Machine leaves caches out.
      return join(homedir(), 'Library', 'Caches', 'Bookbridge')
    default:
      return join(XDG_STATE_HOME === '' ? join(homedir(), '.local', 'state') : XDG_STATE_HOME, 'bookbridge')
  }
}

function programFacts(): ProgramFacts {
  return {
    version: app.getVersion(),
    electronVersion: versions.electron,
    // Electron's own runtime is never called node; the host runs in plain Node (test/chromium-host).
    isChromiumHost: basename(process.execPath).startsWith('node'),
    platform,
    // Of the person's region, which may have other dates and separators than the language of the system.
    locale: app.getSystemLocale() || app.getLocale(),
  }
}
