/** Starts an installed Chromium with only the features that the host needs, and controls it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { ProxyConfig } from 'electron'
import { CdpPipe, type CdpSession, pipeWire, socketWire } from './cdp-pipe.ts'
import { CHROMIUM_VARIABLE, chromiumPath } from './launch.ts'
import type { Protocol } from './protocol.ts'

export interface ChromiumOptions {
  readonly profile: string
  readonly headless: boolean
  /** The program's own command line, and the switches that it appended. */
  readonly switches: ReadonlyMap<string, string>
}

/** The address of a Chromium that several hosts share, each with its own context. */
export const SHARED_VARIABLE = 'BOOKBRIDGE_HOST_BROWSER'

export interface AttachedPage {
  readonly target: Protocol.Target.TargetInfo
  readonly session: CdpSession
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Lets WebRTC send packets only through a proxy. */
export const WEBRTC_POLICY = 'disable_non_proxied_udp'

/** Switches for a browser without first-run pages, updates, accounts, or network. */
const QUIET: readonly string[] = [
  'no-first-run',
  'no-default-browser-check',
  'no-startup-window',
  'test-type',
  'disable-gpu',
  'disable-quic',
  'disable-background-networking',
  'disable-component-update',
  'disable-default-apps',
  'disable-extensions',
  'disable-sync',
  'disable-breakpad',
  'disable-search-engine-choice-screen',
  'disable-background-timer-throttling',
  'disable-backgrounding-occluded-windows',
  'disable-renderer-backgrounding',
  'password-store=basic',
  'use-mock-keychain',
  'host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // Its name in older and in newer versions.
  `force-webrtc-ip-handling-policy=${WEBRTC_POLICY}`,
  `webrtc-ip-handling-policy=${WEBRTC_POLICY}`,
]

/**
 * Features that start needless processes: a spare one for the next page, which Electron turns off, too, and those of
 * the address bar, which the program's window lacks.
 */
const QUIET_FEATURES: readonly string[] = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]

/** Switches for Node, Electron, or the program only. */
const NOT_CHROMIUMS = new Set(['inspect', 'user-data-dir', 'save-dir', 'headless', 'remote-debugging-port'])

function chromiumArguments({ profile, headless, switches }: ChromiumOptions): string[] {
  const passed = [...switches].filter(([name]) => name !== 'disable-features' && !NOT_CHROMIUMS.has(name))
  // If a switch is repeated, Chromium uses the last one.
  const features = [switches.get('disable-features'), ...QUIET_FEATURES].filter(Boolean)
  const port = switches.get('remote-debugging-port')
  // Chromium's sandbox doesn't start for root, as in most containers.
  const isRoot = process.getuid?.() === 0
  return [
    ...QUIET.map((text) => `--${text}`),
    ...passed.map(([name, value]) => (value ? `--${name}=${value}` : `--${name}`)),
    `--disable-features=${features.join(',')}`,
    ...(isRoot ? ['--no-sandbox'] : []),
    ...(headless ? ['--headless', '--screen-info={1920x1200}'] : []),
    ...(port === undefined ? [] : [`--remote-debugging-port=${port}`]),
    `--user-data-dir=${profile}`,
  ]
}

/** Started by the host, or joined. */
type Kind =
  | { readonly what: 'own'; readonly path: string; readonly child: ChildProcess }
  | { readonly what: 'shared'; contextId: string }

export class Chromium {
  readonly browser: CdpSession
  readonly #pipe: CdpPipe
  readonly #options: ChromiumOptions
  readonly #kind: Kind
  readonly #expected: ((page: AttachedPage) => void)[] = []
  #nextWindow: Promise<unknown> = Promise.resolve()

  private constructor(kind: Kind, pipe: CdpPipe, options: ChromiumOptions) {
    this.#kind = kind
    this.#pipe = pipe
    this.browser = pipe.browser
    this.#options = options
    this.browser.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const session = this.#pipe.session(sessionId)
      if (this.#kind.what === 'shared' && targetInfo.browserContextId !== this.#kind.contextId) {
        session.tell('Runtime.runIfWaitingForDebugger')
        this.browser.tell('Target.detachFromTarget', { sessionId })
        return
      }
      const expected = targetInfo.type === 'page' ? this.#expected.shift() : undefined
      if (expected) {
        expected({ session, target: targetInfo })
        return
      }
      // A window that the page opened. Electron asks the program first; here, it is always refused.
      session.tell('Runtime.runIfWaitingForDebugger')
      if (targetInfo.type === 'page')
        this.browser.tell('Target.closeTarget', { targetId: targetInfo.targetId })
    })
  }

  /** Starts it. Rejects with the name of what is missing. Resolves when it accepts commands. */
  static async start(options: ChromiumOptions): Promise<Chromium> {
    const { path, child, pipe } = spawnChromium(options)
    const errors: string[] = []
    const listening = Promise.withResolvers<undefined>()
    if (!options.switches.has('remote-debugging-port')) listening.resolve(undefined)
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        errors.push(line)
        // Playwright waits for exactly this line. The rest is Chromium's own output.
        if (!line.startsWith('DevTools listening on')) return
        process.stderr.write(`${line}\n`)
        listening.resolve(undefined)
      })
    }
    const chromium = new Chromium({ what: 'own', path, child }, pipe, options)
    try {
      await Promise.all([pipe.browser.send('Browser.getVersion'), chromium.#prepare()])
    } catch {
      throw new Error(`Chromium did not start:\n${errors.slice(-10).join('\n')}`)
    }
    await listening.promise
    return chromium
  }

  /**
   * Joins a running Chromium with a new context: it shares no cookies, cache, or pages with other hosts, and it ends
   * with this process in any case.
   */
  static async join(address: string, options: ChromiumOptions): Promise<Chromium> {
    const pipe = new CdpPipe(await socketWire(address))
    const chromium = new Chromium({ what: 'shared', contextId: '' }, pipe, options)
    await chromium.#prepare()
    // A client of the debugging port must lose the page when this process ends, although the shared Chromium keeps
    // running.
    const { hostname, port, pathname } = new URL(address)
    const server = createServer((near) => {
      const far = connect(Number(port), hostname)
      near.pipe(far).pipe(near)
      for (const socket of [near, far]) {
        socket.on('error', () => socket.destroy())
        socket.on('close', () => (near.destroy(), far.destroy()))
      }
    })
    await new Promise<void>((done) => server.listen(0, hostname, done))
    const own = (server.address() as AddressInfo).port
    process.stderr.write(`DevTools listening on ws://${hostname}:${String(own)}${pathname}\n`)
    return chromium
  }

  async #prepare(): Promise<void> {
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    await this.browser.send('Target.setAutoAttach', attach)
    if (this.#kind.what === 'own') await this.#denyDownloads({})
  }

  async #denyDownloads(context: { readonly browserContextId?: string }): Promise<void> {
    await this.browser.send('Browser.setDownloadBehavior', {
      behavior: 'deny',
      eventsEnabled: true,
      ...context,
    })
  }

  /** Created for the first window, whose proxy it uses. A Chromium that this host started has a context already. */
  async #context(proxy: ProxyConfig | undefined): Promise<{ readonly browserContextId?: string }> {
    if (this.#kind.what === 'own') return {}
    if (this.#kind.contextId === '') {
      const { browserContextId } = await this.browser.send('Target.createBrowserContext', {
        disposeOnDetach: true,
        ...(proxy?.proxyRules === undefined ? {} : { proxyServer: proxy.proxyRules }),
        ...(proxy?.proxyBypassRules === undefined ? {} : { proxyBypassList: proxy.proxyBypassRules }),
      })
      this.#kind.contextId = browserContextId
      await this.#denyDownloads({ browserContextId })
    }
    return { browserContextId: this.#kind.contextId }
  }

  get isHeadless(): boolean {
    return this.#options.headless
  }

  /** Called when Chromium has ended, for whatever reason. */
  onEnd(listener: () => void): void {
    if (this.#kind.what === 'own') this.#kind.child.once('exit', listener)
    else this.#pipe.onClose(listener)
  }

  /** Opens a window with an empty page that has not run yet. One at a time, so that each call gets its own. */
  openWindow(bounds: Size, proxy?: ProxyConfig): Promise<AttachedPage> {
    const opened = this.#nextWindow.then(() => this.#openWindow(bounds, proxy))
    this.#nextWindow = opened.catch(() => undefined)
    return opened
  }

  async #openWindow(bounds: Size, proxy: ProxyConfig | undefined): Promise<AttachedPage> {
    const context = await this.#context(proxy)
    const page = Promise.withResolvers<AttachedPage>()
    this.#expected.push(page.resolve)
    if (this.#options.headless) {
      const created = this.browser.send('Target.createTarget', {
        url: 'about:blank',
        newWindow: true,
        ...context,
        ...bounds,
      })
      created.catch(page.reject)
    } else if (this.#kind.what === 'own') {
      this.#joinWithAppWindow(this.#kind.path)
    }
    return page.promise
  }

  /** The protocol can't open a window without tabs and an address bar. A second start joins the first. */
  #joinWithAppWindow(path: string): void {
    const shared = chromiumArguments(this.#options).filter((text) => text !== '--no-startup-window')
    spawn(path, ['--app=data:text/html,', ...shared], { stdio: 'ignore' }).unref()
  }

  /**
   * Ends it immediately, because its profile isn't kept. A shared Chromium keeps running without this host's context.
   */
  kill(): void {
    if (this.#kind.what === 'own') this.#kind.child.kill('SIGKILL')
  }
}

function spawnChromium(options: ChromiumOptions): {
  readonly path: string
  readonly child: ChildProcess
  readonly pipe: CdpPipe
} {
  const path = chromiumPath()
  if (path === undefined) {
    throw new Error(`The Chromium host found no Chromium: install one, or name it in ${CHROMIUM_VARIABLE}`)
  }
  const child = spawn(path, ['--remote-debugging-pipe', ...chromiumArguments(options)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  child.on('error', (error) => process.stderr.write(`Chromium could not be started: ${error.message}\n`))
  const [, , , output, input] = child.stdio
  return { path, child, pipe: new CdpPipe(pipeWire(output as Writable, input as Readable)) }
}

/** A Chromium that several hosts join one after another. It ends with the process that started it. */
export class SharedChromium {
  /** The value of `BOOKBRIDGE_HOST_BROWSER`. */
  readonly address: string
  readonly #child: ChildProcess
  readonly #pages = new Set<string>()
  #onEmpty: (() => void)[] = []

  private constructor(address: string, child: ChildProcess, browser: CdpSession) {
    this.address = address
    this.#child = child
    browser.on('Target.targetCreated', ({ targetInfo: { type, targetId } }) => {
      if (type === 'page') this.#pages.add(targetId)
    })
    browser.on('Target.targetDestroyed', ({ targetId }) => {
      this.#pages.delete(targetId)
      if (this.#pages.size > 0) return
      for (const done of this.#onEmpty.splice(0)) done()
    })
  }

  static async start(profile: string, switches: ReadonlyMap<string, string>): Promise<SharedChromium> {
    const { child, pipe } = spawnChromium({
      profile,
      headless: true,
      switches: new Map([...switches, ['remote-debugging-port', '0']]),
    })
    const address = await new Promise<string>((found, failed) => {
      child.once('exit', () => failed(new Error('Chromium did not start')))
      if (!child.stderr) return
      createInterface({ input: child.stderr }).on('line', (line) => {
        const named = /^DevTools listening on (ws:.*)$/.exec(line)?.[1]
        if (named !== undefined) found(named)
      })
    })
    const shared = new SharedChromium(address, child, pipe.browser)
    await pipe.browser.send('Target.setDiscoverTargets', { discover: true })
    return shared
  }

  /** Resolves when the last page of the joined hosts has closed. */
  async whenEmpty(): Promise<void> {
    if (this.#pages.size > 0) await new Promise<void>((done) => this.#onEmpty.push(done))
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#child.once('exit', done))
    this.#child.kill('SIGKILL')
    await ended
  }
}
