/** `BrowserWindow`: Electron's view of the window that holds a page. */
import type { BrowserWindow, BrowserWindowConstructorOptions, Rectangle } from 'electron'
import type { Protocol } from '../protocol.ts'
import type { Host } from './host.ts'
import { HostMenu } from './menu.ts'
import { HostEmitter, HostEvent } from './strict.ts'
import { HostWebContents } from './web-contents.ts'

const EVENTS = [
  'page-title-updated',
  'close',
  'closed',
  'ready-to-show',
  'show',
  'hide',
  'focus',
  'blur',
  'resize',
  'resized',
  'will-resize',
  'move',
  'moved',
  'maximize',
  'unmaximize',
  'minimize',
  'restore',
  'enter-full-screen',
  'leave-full-screen',
  'responsive',
  'unresponsive',
  'session-end',
  'query-session-end',
]

type State = 'normal' | 'maximized' | 'minimized'

type Held = Pick<
  BrowserWindow,
  | 'id'
  | 'loadURL'
  | 'show'
  | 'showInactive'
  | 'hide'
  | 'focus'
  | 'blur'
  | 'isDestroyed'
  | 'isFocused'
  | 'isVisible'
  | 'isMinimized'
  | 'isMaximized'
  | 'isFullScreen'
  | 'restore'
  | 'maximize'
  | 'unmaximize'
  | 'minimize'
  | 'close'
  | 'destroy'
  | 'setTitle'
  | 'getTitle'
  | 'getBounds'
  | 'getNormalBounds'
  | 'getSize'
  | 'setSize'
  | 'setBounds'
  | 'setMinimumSize'
  | 'setTitleBarOverlay'
  | 'setBackgroundColor'
  | 'setMenuBarVisibility'
  | 'setProgressBar'
  | 'flashFrame'
>

let lastId = 0

/** `electron.ts` derives the program's `BrowserWindow` from it, which takes only options. */
export class HostBrowserWindow extends HostEmitter implements Held {
  readonly id = ++lastId
  readonly webContents: HostWebContents
  readonly #host: Host
  #bounds: Rectangle
  #state: State = 'normal'
  #isVisible: boolean
  #isFocused: boolean
  #isDestroyed = false
  #isReady = false
  #title: string
  #frameHeight = 0
  /** Whether `setTitle`, or a listener that prevented the page's title, determines the title. */
  #holdsTitle = false

  constructor(host: Host, options: BrowserWindowConstructorOptions = {}) {
    super('BrowserWindow', EVENTS)
    this.#host = host
    const { x = 0, y = 0, width = 800, height = 600, show = true, title = '' } = options
    this.#bounds = { x, y, width, height }
    this.#isVisible = show
    this.#isFocused = show
    this.#title = title
    this.webContents = new HostWebContents(host, options.webPreferences ?? {}, {
      onTitle: (shown) => this.#onPageTitle(shown),
      onFocus: (focused) => this.#onFocus(focused),
      onBounds: (bounds) => this.#onBounds(bounds),
      onReadyToShow: () => this.#onReadyToShow(),
      onAccelerator: (item) => item.click(undefined, this),
      size: () => ({ width: this.#bounds.width, height: this.#bounds.height }),
    })
    this.webContents.setMenu(HostMenu.getApplicationMenu())
    host.windows.add(this)
    this.#watch().catch((error: unknown) => {
      process.stderr.write(`A window could not be opened: ${String(error)}\n`)
      this.#gone()
    })
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }

  // ---- visibility: Chromium shows every page; only the state is tracked

  show(): void {
    this.showInactive()
    this.focus()
  }

  showInactive(): void {
    if (this.#isVisible) return
    this.#isVisible = true
    this.emit('show')
  }

  hide(): void {
    if (!this.#isVisible) return
    this.#isVisible = false
    this.#onFocus(false)
    this.emit('hide')
  }

  focus(): void {
    this.webContents.focus()
    this.#onFocus(true)
  }

  blur(): void {
    this.#onFocus(false)
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  isFocused(): boolean {
    return this.#isFocused
  }

  isVisible(): boolean {
    return this.#isVisible
  }

  isMinimized(): boolean {
    return this.#state === 'minimized'
  }

  isMaximized(): boolean {
    return this.#state === 'maximized'
  }

  isFullScreen(): boolean {
    return false
  }

  // ---- size and place

  maximize(): void {
    this.#setState('maximized', 'maximize')
  }

  unmaximize(): void {
    if (this.isMaximized()) this.#setState('normal', 'unmaximize')
  }

  minimize(): void {
    this.#setState('minimized', 'minimize')
  }

  restore(): void {
    if (this.isMinimized()) this.#setState('normal', 'restore')
  }

  getBounds(): Rectangle {
    return { ...this.#bounds }
  }

  getNormalBounds(): Rectangle {
    return { ...this.#bounds }
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
    this.#place({ left: this.#bounds.x, top: this.#bounds.y, ...this.#size() })
    this.emit('resize')
    this.emit('move')
  }

  getSize(): number[] {
    return [this.#bounds.width, this.#bounds.height]
  }

  setSize(width: number, height: number): void {
    this.setBounds({ width, height })
  }

  setMinimumSize(): void {}

  // ---- window decorations: only the title is visible

  setTitle(title: string): void {
    this.#title = title
    this.#holdsTitle = true
    this.webContents.holdTitle(title)
  }

  getTitle(): string {
    return this.#title
  }

  setTitleBarOverlay(): void {}
  setBackgroundColor(): void {}
  setMenuBarVisibility(): void {}
  setProgressBar(): void {}
  flashFrame(): void {}

  // ---- closing

  close(): void {
    if (this.#isDestroyed) return
    const event = new HostEvent()
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }

  destroy(): void {
    if (this.#isDestroyed) return
    this.webContents.close()
    this.#gone()
  }

  // ---- internals

  /** Follows the page's lifecycle: a user may close it, and Chromium may end. */
  async #watch(): Promise<void> {
    const chromium = await this.#host.chromium
    const driver = await this.webContents.driver
    if (this.#isDestroyed) this.webContents.close()
    chromium.browser.on('Target.detachedFromTarget', ({ targetId }) => {
      if (targetId === driver.targetId) this.#gone()
    })
    chromium.onEnd(() => this.#gone())
    if (chromium.isHeadless) this.#frameHeight = await driver.frameHeight(this.#bounds.height)
    this.#place({ left: this.#bounds.x, top: this.#bounds.y, ...this.#size() })
    if (this.#state !== 'normal') driver.setWindowBounds({ windowState: this.#state })
  }

  /** Options for Chromium. Its own bars, if any, add to the size of Electron's window. */
  #size(): { readonly width: number; readonly height: number } {
    return { width: this.#bounds.width, height: this.#bounds.height + this.#frameHeight }
  }

  #place(bounds: Protocol.Browser.Bounds): void {
    this.webContents.driver.then(
      (driver) => driver.setWindowBounds(bounds),
      // A window that never opened has no position.
      () => undefined,
    )
  }

  #setState(state: State, event: string): void {
    if (this.#state === state) return
    this.#state = state
    this.#place({ windowState: state })
    this.emit(event)
  }

  #onReadyToShow(): void {
    if (this.#isReady) return
    this.#isReady = true
    this.emit('ready-to-show')
  }

  #onPageTitle(title: string): void {
    const event = new HostEvent()
    this.emit('page-title-updated', event, title, true)
    this.webContents.emit('page-title-updated', new HostEvent(), title, true)
    if (event.defaultPrevented) this.setTitle(this.#title)
    else if (!this.#holdsTitle) this.#title = title
  }

  #onFocus(focused: boolean): void {
    if (focused === this.#isFocused) return
    this.#isFocused = focused
    this.emit(focused ? 'focus' : 'blur')
  }

  #onBounds(bounds: Rectangle): void {
    // Zoom is implemented as other sizes inside the same window.
    if (this.webContents.zoomFactor !== 1) return
    if (this.#state === 'normal') this.#bounds = { ...bounds, height: bounds.height - this.#frameHeight }
    this.emit('resize')
  }

  #gone(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#host.windows.delete(this)
    // The window below comes to the front, as on any desktop. A page in the background isn't drawn.
    ;[...this.#host.windows].at(-1)?.webContents.focus()
    this.webContents.destroyed()
    this.emit('closed')
    this.#host.onWindowClosed()
  }
}
