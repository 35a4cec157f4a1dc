/**
 * What no page may do, even one that an attacker has taken over: reach anything but the program's own files, open
 * windows, save downloads, or be granted a permission. The policy in `protocol.ts` tells an honest page so; this holds
 * for any page, in any window and any session.
 */
import { session, type App, type Session, type WebContents } from 'electron'
import { SCHEME } from './protocol.ts'

export interface ConfinedSession {
  readonly session: Session
  /** Resolves once nothing but the program's files can be reached. A page is loaded after that. */
  readonly ready: Promise<void>
}

export interface Confinement {
  /** A session in memory that reaches what `serve` answers, and nothing else. Nothing in it outlives the program. */
  open(partition: string, serve: (request: Request) => Response | Promise<Response>): ConfinedSession
}

/** A proxy that no connection can be made to. What gets past the request filter ends here, loopback included. */
const NOWHERE = {
  mode: 'fixed_servers',
  proxyRules: 'http://127.0.0.1:0',
  proxyBypassRules: '<-loopback>',
} as const

/** Guards every page and session that is made from now on. Call it before the first window. */
export function createConfinement(app: Pick<App, 'on' | 'isPackaged'>): Confinement {
  /** Made here for pages. Others are of the main process alone, which asks them for proxies and for updates. */
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

  // It is there before anybody can listen.
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

/** The program's own page or file. Developer tools exist only in a checkout, and are pages of their own. */
function isOwn(url: string): boolean {
  return url.startsWith(`${SCHEME}://`) || url.startsWith('devtools://')
}

/** What a page makes itself leaves nothing. */
function isMadeHere(url: string): boolean {
  return url.startsWith('data:') || url.startsWith(`blob:${SCHEME}://`)
}
