/**
 * Runs in the preload's isolated world before the page's scripts. Gives the preload its `electron` module, and passes
 * its messages to the host. It is sent to the page as source text, so it uses nothing from outside itself.
 */
import type { Accelerator, FromPage, ToPage } from './messages.ts'
import type { makeValueCodec } from './wire-values.ts'
import type { makeWorldEnd } from './world-end.ts'

export interface IsolatedWorldOptions {
  readonly meetingEvent: string
  /** The name of the CDP binding: a function in this world's global object that takes one string. */
  readonly bindingName: string
  /** The name under which the host calls this world. */
  readonly receiverName: string
  /** The name under which the host finds the file input that it hands large bytes to. */
  readonly filesName: string
  readonly titleSuffix: string
  readonly process: {
    readonly platform: string
    readonly versions: Record<string, string>
    readonly argv: readonly string[]
  }
}

export type Preload = (
  require: (name: string) => unknown,
  process: IsolatedWorldOptions['process'],
  module: { exports: unknown },
) => void

type Listener = (event: unknown, ...values: readonly unknown[]) => void

export function isolatedWorld(
  options: IsolatedWorldOptions,
  makeCodec: typeof makeValueCodec,
  makeEnd: typeof makeWorldEnd,
  preload: Preload,
): void {
  if (window !== window.top || location.protocol === 'about:') return
  const globals = globalThis as typeof globalThis & Record<string, unknown>
  const base64 = {
    encode: (bytes: Uint8Array) => (bytes as Uint8Array & { toBase64: () => string }).toBase64(),
    decode: (text: string) =>
      (
        Uint8Array as typeof Uint8Array & { fromBase64: (text: string) => Uint8Array<ArrayBuffer> }
      ).fromBase64(text),
  }
  const codec = makeCodec(base64)
  const binding = globals[options.bindingName] as (text: string) => void
  const tell = (message: FromPage): void => binding(codec.encode(message))

  // ---- ipcRenderer

  const listeners = new Map<string, Listener[]>()
  const calls = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let lastCall = 0

  /** Anything that the host lacks throws with its name, so that gaps are noticed immediately. */
  const strict = <T extends object>(what: string, object: T): T =>
    new Proxy(object, {
      get: (target, key) => {
        if (typeof key === 'symbol' || key in target || key === 'then' || key === 'toJSON') {
          return Reflect.get(target, key) as unknown
        }
        throw new Error(`The Chromium host has no ${what}.${key}`)
      },
    })

  const ipcRenderer = {
    invoke: (channel: string, ...values: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        const call = ++lastCall
        tell({ kind: 'invoke', call, channel, values })
        calls.set(call, { resolve, reject })
      }),
    send: (channel: string, ...values: readonly unknown[]) => tell({ kind: 'send', channel, values }),
    on: (channel: string, listener: Listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
    once: (channel: string, listener: Listener) => {
      const once: Listener = (event, ...values) => {
        ipcRenderer.removeListener(channel, once)
        listener(event, ...values)
      }
      return ipcRenderer.on(channel, once)
    },
    removeListener: (channel: string, listener: Listener) => {
      const kept = [...(listeners.get(channel) ?? [])]
      const at = kept.lastIndexOf(listener)
      if (at !== -1) kept.splice(at, 1)
      listeners.set(channel, kept)
      return ipcRenderer
    },
    off: (channel: string, listener: Listener) => ipcRenderer.removeListener(channel, listener),
    removeAllListeners: (channel: string) => {
      listeners.delete(channel)
      return ipcRenderer
    },
  }

  // ---- contextBridge: the one moment at which both worlds see the same object

  const meeting = document.createElement('i')
  window.dispatchEvent(new MouseEvent(options.meetingEvent, { relatedTarget: meeting }))
  const end = makeEnd(meeting, 'to-isolated-world', 'to-main-world', () => undefined)
  const contextBridge = { exposeInMainWorld: (name: string, api: unknown) => end.give(name, api) }

  // ---- built-in behavior of a window: title, accelerators, focus, size

  let accelerators: readonly Accelerator[] = []
  let heldTitle: string | undefined
  let wantsKeys = false
  let lastTitle = ''

  const applyTitle = (): void => {
    const shown = document.title
    const bare = shown.endsWith(options.titleSuffix) ? shown.slice(0, -options.titleSuffix.length) : shown
    const wanted = (heldTitle ?? bare) + options.titleSuffix
    if (wanted !== shown) document.title = wanted
    if (bare === lastTitle || bare === heldTitle) return
    lastTitle = bare
    tell({ kind: 'title', title: bare })
  }

  const matches = (event: KeyboardEvent, accelerator: Accelerator): boolean =>
    event.key.toLowerCase() === accelerator.key &&
    event.ctrlKey === accelerator.control &&
    event.metaKey === accelerator.meta &&
    event.altKey === accelerator.alt &&
    event.shiftKey === accelerator.shift

  const tellKey = (event: KeyboardEvent): void => {
    if (!wantsKeys) return
    const { key, code, shiftKey: shift, ctrlKey: control, altKey: alt, metaKey: meta } = event
    const type = event.type === 'keydown' ? 'keyDown' : 'keyUp'
    const { repeat: isAutoRepeat, isComposing } = event
    tell({ kind: 'key', input: { type, key, code, shift, control, alt, meta, isAutoRepeat, isComposing } })
  }

  window.addEventListener('keydown', (event) => {
    if (!event.isTrusted) return
    tellKey(event)
    if (event.defaultPrevented) return
    const hit = accelerators.find((accelerator) => matches(event, accelerator))
    // Chromium would open a window or a tab. Electron does neither.
    const isChromiums = (event.ctrlKey || event.metaKey) && ['n', 't'].includes(event.key.toLowerCase())
    if (hit || isChromiums) event.preventDefault()
    if (hit) tell({ kind: 'accelerator', id: hit.id })
  })
  window.addEventListener('keyup', (event) => {
    if (event.isTrusted) tellKey(event)
  })
  window.addEventListener('focus', () => tell({ kind: 'focus', focused: true }))
  window.addEventListener('blur', () => tell({ kind: 'focus', focused: false }))
  window.addEventListener('resize', () => {
    const bounds = { x: screenX, y: screenY, width: outerWidth, height: outerHeight }
    tell({ kind: 'bounds', bounds })
  })
  document.addEventListener('securitypolicyviolation', (event) => {
    const where = `${event.sourceFile || event.documentURI}:${event.lineNumber}`
    const text = `${event.effectiveDirective} ${event.blockedURI} ${event.sample} (${where})`
    tell({ kind: 'violation', text })
  })
  document.addEventListener('DOMContentLoaded', () => {
    applyTitle()
    const observer = new MutationObserver(applyTitle)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
  })

  // ---- messages from the host

  const receive = (message: ToPage): void => {
    if (message.kind === 'answer') {
      const call = calls.get(message.call)
      calls.delete(message.call)
      if (message.failed) call?.reject(new Error(String(message.value)))
      else call?.resolve(message.value)
    } else if (message.kind === 'event') {
      const event = { sender: ipcRenderer, ports: [] }
      for (const listener of listeners.get(message.channel) ?? []) listener(event, ...message.values)
    } else {
      accelerators = message.accelerators
      heldTitle = message.heldTitle
      wantsKeys = message.wantsKeys
      if (document.readyState !== 'loading') applyTitle()
    }
  }

  /** Holds the files with a message's large bytes. */
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  globals[options.filesName] = input
  const read = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())
  /** Messages that arrive while files are read wait, so that all are delivered in the order in which they were sent. */
  let reading: Promise<void> | undefined
  /** `paths` are the files that `input` holds for this message. */
  globals[options.receiverName] = (text: string, paths: readonly string[]): void => {
    if (paths.length === 0 && reading === undefined) {
      receive(codec.decode(text) as ToPage)
      return
    }
    const files = paths.length === 0 ? [] : [...(input.files ?? [])]
    const bytes = Promise.all(files.map(read))
    const received = (reading ?? Promise.resolve()).then(async () => {
      const taken = await bytes
      if (paths.length > 0) tell({ kind: 'read', files: paths })
      const apart = { put: () => null, take: (place: number) => taken[place] as Uint8Array }
      if (reading === received) reading = undefined
      receive(makeCodec(base64, apart).decode(text) as ToPage)
    })
    reading = received
  }

  // ---- the program's own preload

  const electron = strict('preload electron', {
    contextBridge: strict('contextBridge', contextBridge),
    ipcRenderer: strict('ipcRenderer', ipcRenderer),
  })
  const require = (name: string): unknown => {
    if (name === 'electron' || name === 'electron/renderer') return electron
    throw new Error(`module not found: ${name} (a sandboxed preload has only electron)`)
  }
  preload(require, options.process, { exports: {} })
  tell({ kind: 'ready' })
}
