/**
 * Confines every page, even a compromised one: it can reach only the program's own files, and can't open windows, save
 * downloads, or get permissions. The policy in `protocol.ts` restricts our page; this restricts any page, in any window
 * and session.
 */
import { type App, type Session, session, type WebContents } from 'electron'
import { SCHEME } from './protocol.ts'

export interface ConfinedSession {
  readonly session: Session
  /** Resolves once only the program's files can be reached. Load pages after that. */
  readonly ready: Promise<void>
}

export interface Confinement {
  /** Opens an in-memory session that can reach only what `serve` answers. */
  open(partition: string, serve: (request: Request) => Response | Promise<Response>): ConfinedSession
}

/** A proxy that nothing can connect to. It stops what gets past the request filter, loopback included. */
const NOWHERE = {
  mode: 'fixed_servers',
  proxyRules: 'http://127.0.0.1:0',
  proxyBypassRules: '<-loopback>',
} as const

/** Confines every page and session created from now on. Call it before the first window. */
export function createConfinement(app: Pick<App, 'on' | 'isPackaged'>): Confinement {
  /** Sessions for pages. Others belong to the main process, which uses them for proxies and updates. */
  const confined = new WeakSet<Session>()

  const deny = (any: Session): void => {
    any.setPermissionRequestHandler((_contents, _permission, answer) => {
      answer(false)
    })
    any.setPermissionCheckHandler(() => false)
    any.setDevicePermissionHandler(() => false)
    any.setDisplayMediaRequestHandler((_request, answer) => {
      answer({})
    })
    any.setSpellCheckerEnabled(false)
    any.on('will-download', (event) => {
      event.preventDefault()
    })
    any.webRequest.onBeforeRequest(({ url, webContentsId }, answer) => {
      const isOfPage = confined.has(any) || webContentsId !== undefined
      answer({ cancel: isOfPage && !isOwn(url) && !isMadeHere(url) })
    })
  }

  // It exists before the event can be observed.
  deny(session.defaultSession)
  app.on('session-created', (created) => {
    if (created !== session.defaultSession) deny(created)
  })
  app.on('web-contents-created', (_event, contents) => {
    guard(contents)
    // Developer tools are pages, too.
    if (app.isPackaged && !confined.has(contents.session)) contents.close()
  })
  return {
    open(partition, serve) {
      const own = session.fromPartition(partition)
      if (confined.has(own)) return { session: own, ready: Promise.resolve() }
      confined.add(own)
      own.protocol.handle(SCHEME, serve)
      return { session: own, ready: own.setProxy(NOWHERE) }
    },
  }
}

function guard(contents: WebContents): void {
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!isOwn(details.url)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    if (!isOwn(details.url)) details.preventDefault()
  })
}

/** The program's own page or file, or developer tools, which exist only in a checkout. */
function isOwn(url: string): boolean {
  return url.startsWith(`${SCHEME}://`) || url.startsWith('devtools://')
}

/** URLs that a page creates itself send nothing. */
function isMadeHere(url: string): boolean {
  return url.startsWith('data:') || url.startsWith(`blob:${SCHEME}://`)
}
