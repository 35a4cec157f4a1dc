/**
 * A tiny program that uses each part of Electron that the host replaces, for the host's own specs. Written against
 * Electron's typings, so it would run in Electron after a build.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  protocol,
  session,
  shell,
} from 'electron'

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'"
const folder = import.meta.dirname

const files = new Map([
  ['/index.html', { file: 'window.html', type: 'text/html' }],
  ['/page.js', { file: 'page.js', type: 'text/javascript' }],
])

/** A log of what happened, for the specs. */
const log: string[] = []
let keepOpen = false
let hasFinished = false

function serve(request: Request): Response {
  const entry = files.get(new URL(request.url).pathname)
  if (!entry) return new Response('no such file', { status: 404 })
  const headers = { 'content-type': entry.type, 'content-security-policy': POLICY }
  return new Response(readFileSync(join(folder, entry.file)), { headers })
}

function openWindow(): BrowserWindow {
  const inMemory = session.fromPartition('in-memory')
  inMemory.protocol.handle('app', serve)
  inMemory.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  inMemory.on('will-download', (event) => {
    event.preventDefault()
    log.push('download refused')
  })
  const window = new BrowserWindow({
    width: 900,
    height: 700,
    show: false,
    webPreferences: {
      preload: join(folder, 'preload.cjs'),
      session: inMemory,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    },
  })
  const { webContents } = window
  webContents.on('will-navigate', (event) => {
    event.preventDefault()
    log.push(`navigation refused: ${event.url}`)
  })
  webContents.setWindowOpenHandler(({ url }) => {
    log.push(`window refused: ${url}`)
    return { action: 'deny' }
  })
  webContents.on('render-process-gone', () => webContents.reload())
  window.on('close', (event) => {
    if (keepOpen) event.preventDefault()
  })
  window.once('ready-to-show', () => window.show())
  void window.loadURL('app://bundle/index.html')
  return window
}

function answerCalls(window: BrowserWindow): void {
  ipcMain.handle('echo', (_event, value: unknown) => value)
  ipcMain.handle('fail', () => {
    throw new RangeError('not with me')
  })
  ipcMain.handle('sender', (event) => ({
    url: event.senderFrame?.url,
    origin: event.senderFrame?.origin,
    isMainFrame: event.senderFrame === event.sender.mainFrame,
    isWindow: BrowserWindow.fromWebContents(event.sender) === window,
  }))
  ipcMain.handle('log', () => log)
  ipcMain.handle('theme', (_event, theme: 'light' | 'dark' | 'system') => {
    nativeTheme.themeSource = theme
    return nativeTheme.shouldUseDarkColors
  })
  ipcMain.handle('copy', async (_event, text: string) => {
    await clipboard.writeText(text)
    return clipboard.readText()
  })
  ipcMain.handle('save', () => dialog.showSaveDialog(window, { defaultPath: 'a.csv' }))
  ipcMain.handle('link', (_event, url: string) => shell.openExternal(url))
  ipcMain.handle('print', async () => new Uint8Array(await window.webContents.printToPDF({ pageSize: 'A4' })))
  ipcMain.handle('keepOpen', (_event, keep: boolean) => {
    keepOpen = keep
  })
  ipcMain.handle(
    'dial',
    (_event, host: string) =>
      new Promise((resolve) => {
        connect({ host, port: 9 }).on('error', (error) => resolve(error.message))
      }),
  )
  ipcMain.on('say', (event, text: string) =>
    event.sender.send('said', { text, bytes: new Uint8Array([1, 2, 255]) }),
  )
}

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])
if (app.requestSingleInstanceLock()) {
  await Promise.resolve()
  void app.whenReady().then(() => {
    answerCalls(openWindow())
    Menu.setApplicationMenu(
      Menu.buildFromTemplate([
        {
          label: 'File',
          submenu: [{ label: 'Find', accelerator: 'CmdOrCtrl+K', click: () => log.push('menu: Find') }],
        },
      ]),
    )
  })
  app.on('before-quit', () => console.log('before-quit'))
  app.on('will-quit', (event) => {
    console.log('will-quit')
    if (hasFinished) return
    // Simulates work that a program must finish before it quits.
    event.preventDefault()
    setTimeout(() => {
      hasFinished = true
      console.log('finished')
      app.quit()
    }, 50)
  })
} else {
  app.quit()
}
