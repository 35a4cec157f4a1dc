/** `webContents`: Electron's view of one page that the driver runs. */
import { readFileSync } from 'node:fs'
import type { PrintToPDFOptions, WebContents, WebPreferences } from 'electron'
import { type AttachedPage, WEBRTC_POLICY } from '../chromium.ts'
import type { Accelerator, FromPage, PageEvent } from '../page/messages.ts'
import { makePageScripts } from '../page/page-scripts.ts'
import type { Protocol } from '../protocol.ts'
import { toChromiumAddress, toProgramAddress } from './addresses.ts'
import { type HostFrame, makeFrame } from './frame.ts'
import { type Host, TITLE_SUFFIX } from './host.ts'
import { answerCall, type HostIpcEvent } from './ipc-main.ts'
import type { HostMenu } from './menu.ts'
import { type HostMenuItem, readAccelerator } from './menu.ts'
import { BINDING_NAME, FILES_NAME, PageDriver, RECEIVER_NAME } from './page-driver.ts'
import { printParameters } from './print-parameters.ts'
import { answerRequest } from './requests.ts'
import type { HostSession } from './session.ts'
import { HostEmitter, HostEvent } from './strict.ts'
import { type HeldWebContents, WEB_CONTENTS_EVENTS } from './web-contents-members.ts'
import { refuseUnfaithful, sessionOf } from './web-preferences.ts'

type WindowOpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]

/** Events for the window that contains the page. */
export interface WindowEvents {
  readonly onTitle: (title: string) => void
  readonly onFocus: (focused: boolean) => void
  readonly onBounds: (bounds: Extract<FromPage, { kind: 'bounds' }>['bounds']) => void
  readonly onReadyToShow: () => void
  readonly onAccelerator: (item: HostMenuItem) => void
  readonly size: () => { readonly width: number; readonly height: number }
}

let lastId = 0

export class HostWebContents extends HostEmitter implements HeldWebContents {
  readonly id = ++lastId
  readonly session: HostSession
  readonly mainFrame: HostFrame
  readonly #host: Host
  readonly #preferences: WebPreferences
  readonly #window: WindowEvents
  readonly #driver: Promise<PageDriver>
  #page: PageDriver | undefined
  #address = ''
  /** The address that `loadURL` or `reload` is loading, which isn't a navigation by the page. */
  #asked: string | undefined
  #isDestroyed = false
  #isCrashed = false
  #isLoading = false
  #heldTitle: string | undefined
  #title = ''
  #zoomFactor = 1
  #webRtcPolicy = 'default'
  #windowOpenHandler: WindowOpenHandler = () => ({ action: 'allow' })
  #shortcuts: readonly HostMenuItem[] = []

  constructor(host: Host, preferences: WebPreferences, window: WindowEvents) {
    super('webContents', WEB_CONTENTS_EVENTS)
    refuseUnfaithful(preferences)
    this.#host = host
    this.#preferences = preferences
    this.#window = window
    this.session = sessionOf(host, preferences)
    this.mainFrame = makeFrame(
      this.id,
      () => this.#address,
      () => this.#isDestroyed,
    )
    this.#driver = host.chromium
      .then((chromium) => chromium.openWindow(window.size(), this.session.proxy))
      .then((page) => (this.#page = this.#drive(page)))
    // Callers handle the rejection. Without one, it must not be unhandled.
    this.#driver.catch(() => undefined)
    this.on('newListener', (event) => {
      if (event === 'before-input-event') queueMicrotask(() => this.#tellState())
    })
    host.onWebContents(this)
  }

  // ---- called by the program

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  isCrashed(): boolean {
    return this.#isCrashed
  }

  isLoading(): boolean {
    return this.#isLoading
  }

  isFocused(): boolean {
    return !this.#isDestroyed
  }

  getURL(): string {
    return this.#address
  }

  getTitle(): string {
    return this.#heldTitle ?? this.#title
  }

  async loadURL(url: string): Promise<void> {
    if (!/^([a-z][a-z0-9+-]*:\/\/[a-z0-9-]+(?=[/?#]|$)|about:blank|data:)/i.test(url)) {
      throw new Error(`The Chromium host has no loadURL of ${url}`)
    }
    const driver = await this.#driver
    this.#asked = url
    this.#isLoading = true
    this.emit('did-start-loading', new HostEvent())
    const loaded = new Promise<void>((resolve) => this.once('did-finish-load', resolve))
    try {
      await driver.navigate(toChromiumAddress(url))
      await loaded
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.emit('did-fail-load', new HostEvent(), -2, reason, url, true, 0, 0)
      throw new Error(`${reason} (-2) loading '${url}'`, { cause: error })
    } finally {
      this.#isLoading = false
      this.#asked = undefined
      this.emit('did-stop-loading', new HostEvent())
    }
  }

  reload(): void {
    this.#asked = this.#address
    this.#page?.session.tell('Page.reload')
  }

  reloadIgnoringCache(): void {
    this.#asked = this.#address
    this.#page?.session.tell('Page.reload', { ignoreCache: true })
  }

  send(channel: string, ...values: unknown[]): void {
    this.#host.recorder.record({ kind: 'event', channel, values })
    this.#page?.tell({ kind: 'event', channel, values })
  }

  focus(): void {
    this.#page?.session.tell('Page.bringToFront')
  }

  /** Closes the page and its window. */
  close(): void {
    this.#page?.session.tell('Page.close')
  }

  openDevTools(): void {
    throw new Error('The Chromium host has no webContents.openDevTools: use --remote-debugging-port')
  }

  isDevToolsOpened(): boolean {
    return false
  }

  closeDevTools(): void {}

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#windowOpenHandler = handler
  }

  /** Chromium starts with the only session that the host has. */
  setWebRTCIPHandlingPolicy(policy: string): void {
    if (policy !== WEBRTC_POLICY) throw new Error(`The Chromium host has no WebRTC policy ${policy}`)
    this.#webRtcPolicy = policy
  }

  getWebRTCIPHandlingPolicy(): string {
    return this.#webRtcPolicy
  }

  get zoomFactor(): number {
    return this.#zoomFactor
  }

  set zoomFactor(factor: number) {
    this.setZoomFactor(factor)
  }

  setZoomFactor(factor: number): void {
    this.#zoomFactor = factor
    this.#page?.setZoom(factor, this.#window.size())
  }

  getZoomFactor(): number {
    return this.#zoomFactor
  }

  get zoomLevel(): number {
    return this.getZoomLevel()
  }

  set zoomLevel(level: number) {
    this.setZoomLevel(level)
  }

  /** A level is a factor of 1.2, as in Chromium. */
  setZoomLevel(level: number): void {
    this.setZoomFactor(1.2 ** level)
  }

  getZoomLevel(): number {
    return Math.log(this.#zoomFactor) / Math.log(1.2)
  }

  /** There is no pinch zoom to limit. */
  setVisualZoomLevelLimits(): Promise<void> {
    return Promise.resolve()
  }

  async printToPDF(options: PrintToPDFOptions): Promise<Buffer<ArrayBuffer>> {
    const driver = await this.#driver
    return driver.print(printParameters(options))
  }

  // ---- called by the window

  /** Resolves with the driver once the page is available. */
  get driver(): Promise<PageDriver> {
    return this.#driver
  }

  /** The page's ID in Chromium, by which Playwright finds its window. */
  get targetId(): string | undefined {
    return this.#page?.targetId
  }

  /** The title that the window keeps, whatever the page says. */
  holdTitle(title: string): void {
    this.#heldTitle = title
    this.#tellState()
  }

  /** Sets the accelerators of the application's menu. */
  setMenu(menu: HostMenu | null): void {
    this.#shortcuts = (menu?.all() ?? []).filter((item) => item.accelerator && !item.role)
    this.#tellState()
  }

  /** Sets the color scheme of `nativeTheme`. */
  applyTheme(): void {
    this.#page?.setColorScheme(this.#host.nativeTheme.colorScheme)
  }

  /** The page is gone. */
  destroyed(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.emit('destroyed', new HostEvent())
  }

  // ---- events of the page

  #drive(attached: AttachedPage): PageDriver {
    const { additionalArguments = [], preload } = this.#preferences
    const scripts = makePageScripts(
      {
        meetingEvent: `bookbridge-host-${crypto.randomUUID()}`,
        bindingName: BINDING_NAME,
        receiverName: RECEIVER_NAME,
        filesName: FILES_NAME,
        titleSuffix: TITLE_SUFFIX,
        process: { platform: process.platform, versions: this.#host.versions, argv: additionalArguments },
      },
      preload === undefined ? undefined : readFileSync(preload, 'utf8'),
    )
    const driver = new PageDriver(attached, scripts, {
      onMessage: (message) => this.#onMessage(message),
      onRequest: (request, isMainDocument) => this.#onRequest(request, isMainDocument),
      onNavigated: (address, isInPlace) => {
        this.#address = toProgramAddress(address)
        if (this.#address === 'about:blank') return
        this.applyTheme()
        if (isInPlace) this.emit('did-navigate-in-page', new HostEvent(), this.#address, true)
        else this.emit('did-navigate', new HostEvent(), this.#address, 200, 'OK')
      },
      onDomReady: () => {
        if (this.#address !== 'about:blank') this.emit('dom-ready', new HostEvent())
      },
      onLoaded: () => {
        if (this.#address === 'about:blank') return
        this.#asked = undefined
        this.#isCrashed = false
        this.emit('did-finish-load', new HostEvent())
        this.#window.onReadyToShow()
      },
      onConsole: (level, message, lineNumber, sourceId) => {
        const event = { level, message, lineNumber, sourceId, frame: this.mainFrame }
        this.emit('console-message', Object.assign(new HostEvent(), event))
      },
      onWindowOpen: (address, frameName, features) => this.#onWindowOpen(address, frameName, features),
      onCrashed: () => {
        this.#isCrashed = true
        const details = { reason: 'crashed', exitCode: 1 }
        this.emit('render-process-gone', new HostEvent(), details)
        this.#host.onCrashed(this, details)
      },
    })
    driver.setColorScheme(this.#host.nativeTheme.colorScheme)
    if (this.#zoomFactor !== 1) driver.setZoom(this.#zoomFactor, this.#window.size())
    return driver
  }

  async #onRequest(
    paused: Protocol.Fetch.requestPausedPayload,
    isMainDocument: boolean,
  ): Promise<Response | undefined> {
    const url = toProgramAddress(paused.request.url)
    // A manual reload loads the page's current address. Any other navigation was the page's own.
    if (isMainDocument && url !== this.#asked && url !== this.#address) {
      const event = Object.assign(new HostEvent(), { url, isMainFrame: true, isSameDocument: false })
      this.emit('will-navigate', event, url)
      this.emit('will-frame-navigate', event)
      if (event.defaultPrevented) return undefined
    }
    return answerRequest(this.session, this.id, paused)
  }

  #onWindowOpen(address: string, frameName: string, features: string): void {
    const url = toProgramAddress(address)
    const referrer = { url: this.#address, policy: 'strict-origin-when-cross-origin' } as const
    const { action } = this.#windowOpenHandler({
      url,
      frameName,
      features,
      disposition: 'foreground-tab',
      referrer,
    })
    // Chromium's new page is closed in any case. A program that wants one needs real Electron.
    if (action === 'allow') throw new Error(`The Chromium host has no second window of a page: ${url}`)
  }

  #onMessage(message: PageEvent): void {
    switch (message.kind) {
      case 'invoke':
        void this.#onInvoke(message)
        return
      case 'send':
        this.#host.recorder.record(message)
        this.#host.ipcMain.emit(message.channel, this.#ipcEvent(), ...message.values)
        return
      case 'ready':
        this.#tellState()
        return
      case 'accelerator': {
        const item = this.#shortcuts[message.id]
        if (item) this.#window.onAccelerator(item)
        return
      }
      case 'key':
        this.emit('before-input-event', new HostEvent(), message.input)
        return
      case 'title':
        this.#title = message.title
        this.#window.onTitle(message.title)
        return
      case 'focus':
        this.#window.onFocus(message.focused)
        return
      case 'bounds':
        this.#window.onBounds(message.bounds)
        return
      case 'violation':
        process.stderr.write(`Content-Security-Policy violation: ${message.text}\n`)
    }
  }

  async #onInvoke(message: Extract<FromPage, { kind: 'invoke' }>): Promise<void> {
    const answer = await answerCall(this.#host, this.#ipcEvent(), message)
    try {
      this.#page?.tell(answer)
    } catch (error) {
      // If a value can't be cloned, that is the handler's mistake. The caller gets the error, as in Electron.
      this.#page?.tell({ ...answer, failed: true, value: String(error) })
    }
  }

  #ipcEvent(): HostIpcEvent {
    const { processId, routingId: frameId } = this.mainFrame
    return { sender: this, senderFrame: this.mainFrame, processId, frameId, ports: [], type: 'frame' }
  }

  #tellState(): void {
    const accelerators: Accelerator[] = this.#shortcuts.flatMap((item, id) =>
      item.accelerator === undefined ? [] : [readAccelerator(id, item.accelerator)],
    )
    const wantsKeys = this.listenerCount('before-input-event') > 0
    this.#page?.tell({ kind: 'state', accelerators, heldTitle: this.#heldTitle, wantsKeys })
  }
}
