/** Starts an installed Chromium, made as quiet and as lonely as the host needs it, and talks to it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { CdpPipe, type CdpSession } from './cdp-pipe.ts'
import { chromiumPath, CHROMIUM_VARIABLE } from './launch.ts'
import type { Protocol } from './protocol.ts'

export interface ChromiumOptions {
  readonly profile: string
  readonly headless: boolean
  /** The program's own command line and what it appended to it. */
  readonly switches: ReadonlyMap<string, string>
}

export interface AttachedPage {
  readonly target: Protocol.Target.TargetInfo
  readonly session: CdpSession
}

/** The host's own switches of a browser without first-run pages, updates, accounts or network. */
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
  'host-resolver-rules=MAP * ~NOTFOUND',
]

/** Chromium's own pages behind the address bar, which a window of a program lacks: a process of a second's work each. */
const QUIET_FEATURES: readonly string[] = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]

/** Switches that mean something to Node, to Electron or to the program alone. */
const NOT_CHROMIUMS = new Set(['inspect', 'user-data-dir', 'save-dir', 'headless', 'remote-debugging-port'])

function chromiumArguments({ profile, headless, switches }: ChromiumOptions): string[] {
  const passed = [...switches].filter(([name]) => name !== 'disable-features' && !NOT_CHROMIUMS.has(name))
  // Of several such switches Chromium reads the last.
  const features = [switches.get('disable-features'), ...QUIET_FEATURES].filter(Boolean)
  const port = switches.get('remote-debugging-port')
  // Chromium's sandbox does not start for root, as in most containers.
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

export class Chromium {
  readonly browser: CdpSession
  readonly #child: ChildProcess
  readonly #pipe: CdpPipe
  readonly #path: string
  readonly #options: ChromiumOptions
  readonly #expected: ((page: AttachedPage) => void)[] = []
  #nextWindow: Promise<unknown> = Promise.resolve()

  private constructor(path: string, child: ChildProcess, pipe: CdpPipe, options: ChromiumOptions) {
    this.#path = path
    this.#child = child
    this.#pipe = pipe
    this.browser = pipe.browser
    this.#options = options
    this.browser.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const session = this.#pipe.session(sessionId)
      const expected = targetInfo.type === 'page' ? this.#expected.shift() : undefined
      if (expected) {
        expected({ session, target: targetInfo })
        return
      }
      // A window that the page opened by itself: Electron asks the program first; here it is always refused.
      session.tell('Runtime.runIfWaitingForDebugger')
      if (targetInfo.type === 'page')
        this.browser.tell('Target.closeTarget', { targetId: targetInfo.targetId })
    })
  }

  /** Starts it; rejects with the name of what is missing. Resolves when it obeys. */
  static async start(options: ChromiumOptions): Promise<Chromium> {
    const path = chromiumPath()
    if (path === undefined) {
      throw new Error(`The Chromium host found no Chromium: install one, or name it in ${CHROMIUM_VARIABLE}`)
    }
    const child = spawn(path, ['--remote-debugging-pipe', ...chromiumArguments(options)], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    })
    child.on('error', (error) => process.stderr.write(`Chromium could not be started: ${error.message}\n`))
    const [, , , output, input] = child.stdio
    const pipe = new CdpPipe(output as Writable, input as Readable)
    const errors: string[] = []
    const listening = Promise.withResolvers<undefined>()
    if (!options.switches.has('remote-debugging-port')) listening.resolve(undefined)
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        errors.push(line)
        // Playwright waits for this very line; the rest is Chromium's chatter.
        if (!line.startsWith('DevTools listening on')) return
        process.stderr.write(`${line}\n`)
        listening.resolve(undefined)
      })
    }
    const chromium = new Chromium(path, child, pipe, options)
    try {
      await Promise.all([
        pipe.browser.send('Browser.getVersion'),
        pipe.browser.send('Target.setAutoAttach', {
          autoAttach: true,
          waitForDebuggerOnStart: true,
          flatten: true,
        }),
        pipe.browser.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true }),
      ])
    } catch {
      throw new Error(`Chromium did not start:\n${errors.slice(-10).join('\n')}`)
    }
    await listening.promise
    return chromium
  }

  get isHeadless(): boolean {
    return this.#options.headless
  }

  /** Calls back when Chromium has ended, by itself or not. */
  onEnd(listener: () => void): void {
    this.#child.once('exit', listener)
  }

  /** Opens a window with an empty page that has not run yet. One at a time, so that each gets its own. */
  openWindow(bounds: { readonly width: number; readonly height: number }): Promise<AttachedPage> {
    const opened = this.#nextWindow.then(() => this.#openWindow(bounds))
    this.#nextWindow = opened.catch(() => undefined)
    return opened
  }

  async #openWindow(bounds: { readonly width: number; readonly height: number }): Promise<AttachedPage> {
    const page = Promise.withResolvers<AttachedPage>()
    this.#expected.push(page.resolve)
    if (this.#options.headless) {
      const created = this.browser.send('Target.createTarget', {
        url: 'about:blank',
        newWindow: true,
        ...bounds,
      })
      created.catch(page.reject)
    } else {
      this.#joinWithAppWindow()
    }
    return page.promise
  }

  /** A window without tabs and address bar can't be asked for by protocol; a second start joins the first. */
  #joinWithAppWindow(): void {
    const shared = chromiumArguments(this.#options).filter((text) => text !== '--no-startup-window')
    spawn(this.#path, ['--app=data:text/html,', ...shared], { stdio: 'ignore' }).unref()
  }

  /** Ends it at once: its profile is not kept. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
