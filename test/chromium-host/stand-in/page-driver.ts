/**
 * Drives one page of Chromium through CDP: installs the bridge before the page runs, answers its requests, and passes
 * messages in both directions. It knows nothing about Electron; `HostWebContents` does.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CdpSession } from '../cdp-pipe.ts'
import type { AttachedPage } from '../chromium.ts'
import type { FromPage, PageEvent, ToPage } from '../page/messages.ts'
import type { PageScripts } from '../page/page-scripts.ts'
import { makeValueCodec } from '../page/wire-values.ts'
import type { Protocol } from '../protocol.ts'

const WORLD_NAME = 'Bookbridge preload'
export const BINDING_NAME = 'chromiumHostSend'
export const RECEIVER_NAME = 'chromiumHostReceive'
/** A file input in the isolated world. */
export const FILES_NAME = 'chromiumHostFiles'

type PausedRequest = Protocol.Fetch.requestPausedPayload

/** How the owner of a page handles its events. */
export interface PageOwner {
  readonly onMessage: (message: PageEvent) => void
  /** Returns the response to a request of the page; undefined refuses it. */
  readonly onRequest: (request: PausedRequest, isMainDocument: boolean) => Promise<Response | undefined>
  readonly onNavigated: (address: string, isInPlace: boolean) => void
  readonly onDomReady: () => void
  readonly onLoaded: () => void
  readonly onConsole: (level: string, text: string, line: number, source: string) => void
  readonly onWindowOpen: (address: string, name: string, features: string) => void
  readonly onCrashed: () => void
}

/** Chromium takes 60 ms for a megabyte of text, so larger messages are passed to the page as files. */
const FILE_FROM = 64 * 1024

/** Where those files are until the page has read them. */
let filesFolder: string | undefined
let lastFile = 0

function writeForPage(bytes: Uint8Array): string {
  if (filesFolder === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'chromium-host-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    filesFolder = folder
  }
  const file = join(filesFolder, String((lastFile += 1)))
  writeFileSync(file, bytes)
  return file
}

const base64 = {
  encode: (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  decode: (text: string) => new Uint8Array(Buffer.from(text, 'base64')),
}
const codec = makeValueCodec(base64)

export class PageDriver {
  readonly targetId: string
  readonly #session: CdpSession
  readonly #owner: PageOwner
  readonly #mainFrameId: string
  /** The whole bridge is installed. A document that began earlier, in its own process, would lack it. */
  readonly #prepared: Promise<unknown>
  /** The isolated world of the current document; none while the next one is loading. */
  #context: number | undefined
  /** That world's file input, as an object of the protocol. */
  #fileInput: Promise<string | undefined> | undefined
  /** Messages are sent in order, even while one waits for the file input. */
  #told: Promise<unknown> | undefined

  constructor({ session, target }: AttachedPage, scripts: PageScripts, owner: PageOwner) {
    this.#session = session
    this.#owner = owner
    this.targetId = target.targetId
    // Chromium gives a page's main frame the ID of its target.
    this.#mainFrameId = target.targetId
    this.#listen()
    this.#prepared = Promise.all([
      session.send('Page.enable'),
      session.send('Runtime.enable'),
      session.send('Inspector.enable'),
      session.send('Log.enable'),
      session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      session.send('Runtime.addBinding', { name: BINDING_NAME, executionContextName: WORLD_NAME }),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.mainWorld }),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: scripts.isolatedWorld,
        worldName: WORLD_NAME,
      }),
      session.send('Runtime.runIfWaitingForDebugger'),
    ])
    // Rejections reach whoever navigates.
    this.#prepared.catch(() => undefined)
  }

  get session(): CdpSession {
    return this.#session
  }

  /** Sends a message to the page. It is lost if there is no document, as in Electron. */
  tell(message: ToPage): void {
    const context = this.#context
    if (context === undefined) return
    const files: string[] = []
    const text = makeValueCodec(base64, {
      put: (bytes) => (bytes.length < FILE_FROM ? null : files.push(writeForPage(bytes)) - 1),
      take: () => {
        throw new Error('Only the page reads files.')
      },
    }).encode(message)
    const call = (): void =>
      this.#session.tell('Runtime.callFunctionOn', {
        functionDeclaration: `function (text, files) { globalThis.${RECEIVER_NAME}(text, files) }`,
        executionContextId: context,
        arguments: [{ value: text }, { value: files }],
        silent: true,
      })
    if (files.length === 0 && this.#told === undefined) {
      call()
      return
    }
    const input = this.#fileInput
    const told = (this.#told ?? Promise.resolve()).then(async () => {
      if (files.length > 0) {
        const objectId = await input
        if (objectId !== undefined) this.#session.tell('DOM.setFileInputFiles', { files, objectId })
      }
      if (this.#told === told) this.#told = undefined
      call()
    })
    this.#told = told
  }

  /** Navigates to an address. Rejects with Chromium's error message if that fails. */
  async navigate(address: string): Promise<void> {
    await this.#prepared
    const { errorText } = await this.#session.send('Page.navigate', { url: address })
    if (errorText !== undefined) throw new Error(errorText)
  }

  #listen(): void {
    const session = this.#session
    const owner = this.#owner
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const frame = context.auxData as { readonly frameId?: string } | undefined
      if (context.name === WORLD_NAME && frame?.frameId === this.#mainFrameId) this.#context = context.id
    })
    session.on('Runtime.executionContextsCleared', () => {
      this.#context = undefined
    })
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      // The previous document can no longer receive a reply.
      if (name !== BINDING_NAME || executionContextId !== this.#context) return
      const message = codec.decode(payload) as FromPage
      if (message.kind === 'read') {
        for (const file of message.files) void rm(file, { force: true })
        return
      }
      if (message.kind === 'ready') this.#fileInput = this.#findFileInput(executionContextId)
      owner.onMessage(message)
    })
    session.on('Fetch.requestPaused', (request) => void this.#answer(request))
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) owner.onNavigated(frame.url + (frame.urlFragment ?? ''), false)
    })
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId === this.#mainFrameId) owner.onNavigated(url, true)
    })
    session.on('Page.domContentEventFired', owner.onDomReady)
    session.on('Page.loadEventFired', owner.onLoaded)
    session.on('Page.windowOpen', ({ url, windowName, windowFeatures }) => {
      owner.onWindowOpen(url, windowName, windowFeatures.join(','))
    })
    session.on('Page.javascriptDialogOpening', () => {
      session.tell('Page.handleJavaScriptDialog', { accept: true })
    })
    session.on('Inspector.targetCrashed', owner.onCrashed)
    session.on('Runtime.consoleAPICalled', ({ type, args, stackTrace }) => {
      const text = args.map((value) => String(value.value ?? value.description ?? value.type)).join(' ')
      const frame = stackTrace?.callFrames[0]
      owner.onConsole(type, text, frame?.lineNumber ?? 0, frame?.url ?? '')
    })
    session.on('Log.entryAdded', ({ entry }) => {
      owner.onConsole(entry.level, entry.text, entry.lineNumber ?? 0, entry.url ?? '')
    })
  }

  async #findFileInput(contextId: number): Promise<string | undefined> {
    const found = this.#session.send('Runtime.evaluate', { expression: FILES_NAME, contextId })
    // A page that is being unloaded has none.
    return (await found.catch(() => undefined))?.result.objectId
  }

  async #answer(paused: PausedRequest): Promise<void> {
    const isMainDocument = paused.resourceType === 'Document' && paused.frameId === this.#mainFrameId
    const { requestId } = paused
    const response = await this.#owner.onRequest(paused, isMainDocument)
    if (!response) {
      const errorReason = isMainDocument ? 'Aborted' : 'BlockedByClient'
      this.#session.tell('Fetch.failRequest', { requestId, errorReason })
      return
    }
    const body = Buffer.from(await response.arrayBuffer()).toString('base64')
    this.#session.tell('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
      body,
    })
  }

  /** Prints the page. Returns the bytes of a PDF. */
  async print(parameters: Protocol.Page.printToPDFParameters): Promise<Buffer<ArrayBuffer>> {
    const { data } = await this.#session.send('Page.printToPDF', parameters)
    return Buffer.from(data, 'base64')
  }

  /** Light, dark, or the machine's setting (an empty text). */
  setColorScheme(value: '' | 'light' | 'dark'): void {
    const features = [{ name: 'prefers-color-scheme', value }]
    this.#session.tell('Emulation.setEmulatedMedia', { features })
  }

  /** Like the browser's own zoom: fewer, larger CSS pixels in a window of the same size. */
  setZoom(factor: number, size: { readonly width: number; readonly height: number }): void {
    if (factor === 1) {
      this.#session.tell('Emulation.clearDeviceMetricsOverride')
      return
    }
    this.#session.tell('Emulation.setDeviceMetricsOverride', {
      width: Math.round(size.width / factor),
      height: Math.round(size.height / factor),
      deviceScaleFactor: factor,
      mobile: false,
    })
  }

  /**
   * Returns the height of Chromium's own bars in a window of this height, in pixels. The page's sizes change one after
   * another, so two equal readings are needed. Gives up after a second.
   */
  async frameHeight(height: number): Promise<number> {
    await this.#prepared
    let before: number | undefined
    for (let attempt = 0; attempt < 50; attempt++) {
      const frame = await this.#session
        .send('Runtime.evaluate', {
          expression: `outerHeight === ${height} ? outerHeight - innerHeight : -1`,
        })
        .then(({ result }) => Number(result.value))
        // A page that is being unloaded has no size.
        .catch(() => -1)
      if (frame === before && frame >= 0) return frame
      before = frame
      await sleep(20)
    }
    return 0
  }

  /** Moves and resizes the window that contains the page. */
  setWindowBounds(bounds: Protocol.Browser.Bounds): void {
    this.#session
      .send('Browser.getWindowForTarget')
      .then(({ windowId }) => this.#session.send('Browser.setWindowBounds', { windowId, bounds }))
      // A window that is closing has no bounds anymore.
      .catch(() => undefined)
  }
}
