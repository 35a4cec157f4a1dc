/**
 * The program's requests to the operating system, without any effect on it. Dialogs are canceled unless a spec replaces
 * them. The rest is recorded or kept in memory.
 */
import type {
  Clipboard,
  Dialog,
  MessageBoxReturnValue,
  NativeImage,
  NotificationConstructorOptions,
  OpenDialogReturnValue,
  SafeStorage,
  SaveDialogReturnValue,
  Shell,
} from 'electron'
import type { Recorder } from '../recorder.ts'
import { HostEmitter, strict } from './strict.ts'

type Dialogs = Pick<Dialog, 'showErrorBox'> & {
  showSaveDialog: (...values: readonly unknown[]) => Promise<SaveDialogReturnValue>
  showOpenDialog: (...values: readonly unknown[]) => Promise<OpenDialogReturnValue>
  showMessageBox: (...values: readonly unknown[]) => Promise<MessageBoxReturnValue>
}

/** The options of a dialog are the last argument. A window may precede them. */
function canceled(values: readonly unknown[]): MessageBoxReturnValue {
  const options = values.at(-1) as { readonly cancelId?: number } | undefined
  return { response: options?.cancelId ?? 0, checkboxChecked: false }
}

export function makeDialog(recorder: Recorder) {
  const note = (channel: string, values: readonly unknown[]): void => {
    recorder.record({ kind: 'outside', channel, values: [values.at(-1)] })
  }
  return strict('dialog', {
    showSaveDialog: (...values) => {
      note('dialog.showSaveDialog', values)
      return Promise.resolve({ canceled: true, filePath: '' })
    },
    showOpenDialog: (...values) => {
      note('dialog.showOpenDialog', values)
      return Promise.resolve({ canceled: true, filePaths: [] })
    },
    showMessageBox: (...values) => {
      note('dialog.showMessageBox', values)
      return Promise.resolve(canceled(values))
    },
    showErrorBox: (title, content) => {
      note('dialog.showErrorBox', [{ title, content }])
      process.stderr.write(`${title}: ${content}\n`)
    },
  } satisfies Dialogs)
}

export function makeShell(recorder: Recorder) {
  const note = (channel: string, value: string): void => {
    recorder.record({ kind: 'outside', channel, values: [value] })
  }
  return strict('shell', {
    openExternal: (url) => {
      note('shell.openExternal', url)
      return Promise.resolve()
    },
    openPath: (path) => {
      note('shell.openPath', path)
      return Promise.resolve('')
    },
    showItemInFolder: (path) => note('shell.showItemInFolder', path),
    beep: () => undefined,
  } satisfies Pick<Shell, 'openExternal' | 'openPath' | 'showItemInFolder' | 'beep'>)
}

export function makeClipboard() {
  let text = ''
  const items = new Map<string, unknown>()
  return strict('clipboard', {
    readText: () => Promise.resolve(text),
    writeText: (written) => {
      text = written
      items.clear()
      return Promise.resolve()
    },
    clear: () => {
      text = ''
      items.clear()
    },
    has: (type) => Promise.resolve(items.has(type) || (type === 'text/plain' && text !== '')),
    write: async (written) => {
      items.clear()
      text = ''
      for (const item of written) {
        for (const type of item.types) items.set(type, await item.getType(type))
      }
    },
  } satisfies Pick<Clipboard, 'readText' | 'writeText' | 'clear' | 'has' | 'write'>)
}

/** As in a Linux session without a keyring, there is no encryption key. */
export function makeSafeStorage() {
  return strict('safeStorage', {
    getSelectedStorageBackend: () => 'basic_text',
    isAsyncEncryptionAvailable: () => Promise.resolve(false),
    encryptStringAsync: () => Promise.reject(new Error('Encryption is not available.')),
    decryptStringAsync: () => Promise.reject(new Error('Decryption is not available.')),
  } satisfies Partial<SafeStorage>)
}

/** The content of the clipboard, by type. */
export class HostClipboardItem {
  readonly #items: Readonly<Record<string, string | Blob>>

  constructor(items: Record<string, string | Blob>) {
    this.#items = items
  }

  get types(): string[] {
    return Object.keys(this.#items)
  }

  getType(type: string): Promise<Blob> {
    const item = this.#items[type]
    if (item === undefined) return Promise.reject(new Error(`Nothing of the type ${type}`))
    return Promise.resolve(typeof item === 'string' ? new Blob([item], { type }) : item)
  }
}

export class HostPowerMonitor extends HostEmitter {
  constructor() {
    super('powerMonitor', [
      'suspend',
      'resume',
      'on-ac',
      'on-battery',
      'shutdown',
      'lock-screen',
      'unlock-screen',
      'thermal-state-change',
      'speed-limit-change',
    ])
  }

  isOnBatteryPower(): boolean {
    return false
  }

  getSystemIdleTime(): number {
    return 0
  }
}

export function makeNotification(recorder: Recorder) {
  return class Notification extends HostEmitter {
    readonly title: string
    readonly body: string

    constructor(options: NotificationConstructorOptions = {}) {
      super('Notification', ['show', 'click', 'close', 'reply', 'action', 'failed'])
      this.title = options.title ?? ''
      this.body = options.body ?? ''
    }

    static isSupported(): boolean {
      return true
    }

    show(): void {
      recorder.record({ kind: 'outside', channel: 'notification', values: [this.title, this.body] })
      queueMicrotask(() => this.emit('show'))
    }

    close(): void {
      this.emit('close')
    }
  }
}

type EmptyImage = Pick<NativeImage, 'isEmpty' | 'getSize' | 'toPNG'>

/** Images for the taskbar, which aren't shown here. */
export function makeNativeImage() {
  const image = (): EmptyImage =>
    strict('nativeImage', {
      isEmpty: () => true,
      getSize: () => ({ width: 0, height: 0 }),
      toPNG: () => Buffer.alloc(0),
    } satisfies EmptyImage)
  return strict('nativeImage', { createEmpty: image, createFromPath: image, createFromBuffer: image })
}

/** One display with the size of the headless screen. */
export function makeScreen() {
  const bounds = { x: 0, y: 0, width: 1920, height: 1200 }
  const display = {
    id: 1,
    scaleFactor: 1,
    rotation: 0,
    bounds,
    workArea: bounds,
    size: bounds,
    workAreaSize: bounds,
  }
  return strict('screen', {
    getPrimaryDisplay: () => display,
    getAllDisplays: () => [display],
    getDisplayMatching: () => display,
    getDisplayNearestPoint: () => display,
  })
}
