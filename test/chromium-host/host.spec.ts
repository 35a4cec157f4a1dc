/** The host's behavior, with a tiny program that uses each part of Electron that the host replaces. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect, type Page, test } from '@playwright/test'
import type { BrowserWindow } from 'electron'
import { canarySearch } from '../e2e/support/canary.ts'
import { Program, type StartedProgram } from '../e2e/support/program.ts'
import { hostCommand } from './launch.ts'

interface Bridge {
  readonly call: (channel: string, value?: unknown) => Promise<unknown>
  readonly say: (text: string) => void
  readonly sum: (first: number, second: number) => number
  readonly on: (channel: string, listener: (value: unknown) => void) => () => void
}

declare global {
  interface Window {
    readonly bridge: Bridge
  }
}

const fixtureProgram = join(import.meta.dirname, 'fixture-program')

const call = (window: Page, channel: string, value?: unknown): Promise<unknown> =>
  window.evaluate(([name, input]) => globalThis.window.bridge.call(name, input), [channel, value] as const)

const logOf = (window: Page): Promise<unknown> => call(window, 'log')

test.describe('one window', () => {
  test.describe.configure({ mode: 'serial' })
  const program = new Program({ folder: fixtureProgram })
  let started: StartedProgram

  test.beforeAll(async () => {
    started = await program.start()
  })
  test.afterAll(() => program.dispose())

  test('the window identifies itself, with the program’s own policy and size', async () => {
    const { window, electronApp } = started
    await expect(window).toHaveTitle('Fixture (Chromium host)')
    await expect(window.getByRole('heading', { name: 'Fixture' })).toBeVisible()
    expect(await window.evaluate(() => document.documentElement.dataset['bridge'])).toBe('function')
    await expect.poll(() => window.evaluate(() => [innerWidth, innerHeight])).toEqual([900, 700])
    const main = await electronApp.browserWindow(window)
    expect(
      await main.evaluate((it: BrowserWindow) => [it.getTitle(), it.isVisible(), it.getBounds().height]),
    ).toEqual(['Fixture', true, 700])
    expect(
      await electronApp.evaluate(({ app }) => [app.getVersion(), app.getName(), app.isPackaged]),
    ).toEqual(['1.2.3', 'Host fixture', false])
  })

  test('values cross in both directions unchanged', async () => {
    const { window } = started
    const kinds = await window.evaluate(async () => {
      const bytes = new Uint8Array(1_000_000).map((_, index) => index % 251)
      const echoed = (await globalThis.window.bridge.call('echo', bytes)) as Uint8Array
      const rest = {
        date: new Date(5),
        none: undefined,
        big: 12n,
        map: new Map([[1, 'a']]),
        odd: [NaN, -0, '€'],
      }
      const back = (await globalThis.window.bridge.call('echo', rest)) as typeof rest
      return {
        bytes: echoed instanceof Uint8Array && echoed.every((byte, index) => byte === bytes[index]),
        length: echoed.length,
        date: back.date instanceof Date && back.date.getTime(),
        none: Object.entries(back).some(([key, value]) => key === 'none' && value === undefined),
        big: back.big === 12n,
        map: back.map.get(1),
        odd: Object.is(back.odd[0], NaN) && Object.is(back.odd[1], -0) && back.odd[2],
        marker: await globalThis.window.bridge.call('echo', { $host: 'bytes', value: 'x' }),
      }
    })
    expect(kinds).toEqual({
      bytes: true,
      length: 1_000_000,
      date: 5,
      none: true,
      big: true,
      map: 'a',
      odd: '€',
      marker: { $host: 'bytes', value: 'x' },
    })
    const said = await window.evaluate(
      () =>
        new Promise((resolve) => {
          const stop = globalThis.window.bridge.on('said', (value) => {
            stop()
            const { text, bytes } = value as { text: string; bytes: Uint8Array }
            resolve([text, bytes instanceof Uint8Array, ...bytes])
          })
          globalThis.window.bridge.say('hello')
        }),
    )
    expect(said).toEqual(['hello', true, 1, 2, 255])
    expect(await window.evaluate(() => globalThis.window.bridge.sum(1, 2))).toBe(3)
  })

  test('the sender is the main frame at the program’s own address', async () => {
    expect(await call(started.window, 'sender')).toEqual({
      url: 'app://bundle/index.html',
      origin: 'app://bundle',
      isMainFrame: true,
      isWindow: true,
    })
  })

  test('errors reject as in Electron, and values that can’t be cloned are refused', async () => {
    const { window } = started
    await expect(call(window, 'fail')).rejects.toThrow(
      "Error invoking remote method 'fail': RangeError: not with me",
    )
    await expect(call(window, 'nobody')).rejects.toThrow("No handler registered for 'nobody'")
    const frozen = await window.evaluate(() => Object.isFrozen(globalThis.window.bridge))
    expect(frozen).toBe(true)
  })

  test('missing features throw an error that names them', async () => {
    const { electronApp } = started
    const gaps = await electronApp.evaluate((electron) => {
      const attempts: (() => unknown)[] = [
        () => Reflect.get(electron.app, 'getGPUInfo'),
        () => Reflect.get(electron, 'Tray'),
        () => electron.app.on('accessibility-support-changed', () => undefined),
      ]
      return attempts.map((attempt) => {
        try {
          attempt()
          return 'nothing thrown'
        } catch (error) {
          return (error as Error).message
        }
      })
    })
    expect(gaps).toEqual([
      'The Chromium host has no HostApp.getGPUInfo',
      'The Chromium host has no electron.Tray',
      'The Chromium host has no event accessibility-support-changed of app',
    ])
  })

  test('nothing leaves this computer', async () => {
    const { window } = started
    expect(await call(window, 'dial', 'example.com')).toContain('loopback only: example.com:9 is refused')
    expect(await call(window, 'dial', '127.0.0.1')).toContain('ECONNREFUSED')
    const fetched = await window.evaluate(() =>
      fetch('https://example.com/').catch((error: unknown) => String(error)),
    )
    expect(fetched).toBe('TypeError: Failed to fetch')
  })

  test('the program can refuse navigation, new windows, and downloads', async () => {
    const { window, electronApp } = started
    await window.getByRole('link', { name: 'Away' }).click()
    await expect.poll(() => logOf(window)).toContain('navigation refused: https://example.com/away')
    await window.getByRole('link', { name: 'New window' }).click()
    await expect.poll(() => logOf(window)).toContain('window refused: https://example.com/new')
    await expect.poll(() => electronApp.windows().length).toBe(1)
    await expect(window.getByRole('heading', { name: 'Fixture' })).toBeVisible()
  })

  test('calls to the system are recorded and do nothing unless a spec says otherwise', async () => {
    const { window, electronApp } = started
    expect(await call(window, 'copy', 'a token')).toBe('a token')
    expect(await call(window, 'save')).toEqual({ canceled: true, filePath: '' })
    await electronApp.evaluate(({ dialog }) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: 'b.csv' })
    })
    expect(await call(window, 'save')).toEqual({ canceled: false, filePath: 'b.csv' })
    await call(window, 'link', 'https://example.com/help')
    expect(program.messages()).toContainEqual({
      kind: 'outside',
      channel: 'shell.openExternal',
      values: ['https://example.com/help'],
    })
    const pdf = (await window.evaluate(async () => {
      const bytes = (await globalThis.window.bridge.call('print')) as Uint8Array
      return String.fromCharCode(...bytes.subarray(0, 5))
    })) satisfies string
    expect(pdf).toBe('%PDF-')
  })

  test('themes, accelerators, and zoom reach the page', async () => {
    const { window, electronApp } = started
    const isDark = (): Promise<boolean> =>
      window.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
    expect(await call(window, 'theme', 'dark')).toBe(true)
    await expect.poll(isDark).toBe(true)
    await window.reload()
    await expect.poll(isDark).toBe(true)
    expect(await call(window, 'theme', 'light')).toBe(false)
    await expect.poll(isDark).toBe(false)
    await window.keyboard.press('ControlOrMeta+k')
    await expect.poll(() => logOf(window)).toContain('menu: Find')
    const main = await electronApp.browserWindow(window)
    await main.evaluate((it: BrowserWindow) => it.webContents.setZoomFactor(2))
    await expect.poll(() => window.evaluate(() => innerWidth)).toBe(450)
    await main.evaluate((it: BrowserWindow) => it.webContents.setZoomFactor(1))
    await expect.poll(() => window.evaluate(() => innerWidth)).toBe(900)
  })

  test('a policy violation is printed, and a canary is found in any spelling', async () => {
    const { window } = started
    const canary = 'canary-5f0c27d1-secret'
    await window.evaluate(() => document.body.setAttribute('style', 'color: red'))
    await expect
      .poll(() => program.printed.join('\n'))
      .toContain('Content-Security-Policy violation: style-src-attr')
    expect(canarySearch(program, [canary])).toEqual([])
    await call(window, 'echo', Buffer.from(`x${canary}x`).toString('base64'))
    expect(canarySearch(program, [canary])).toMatchObject([
      { form: 'base64', where: 'invoke echo' },
      { form: 'base64', where: 'answer echo' },
    ])
  })

  test('a window may refuse to close, and quitting closes it in Electron’s order', async () => {
    const { window, electronApp } = started
    await call(window, 'keepOpen', true)
    await electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await expect(window.getByRole('heading', { name: 'Fixture' })).toBeVisible()
    await call(window, 'keepOpen', false)
    await program.stop()
    const printed = program.messages().flatMap(({ kind, values }) => (kind === 'printed' ? values : []))
    expect(printed.filter((line) => /quit|finish/.test(String(line)))).toEqual([
      'before-quit\n',
      'will-quit\n',
      'finished\n',
      'before-quit\n',
      'will-quit\n',
    ])
  })
})

test('a second program on the same folder exits', async () => {
  const program = new Program({ folder: fixtureProgram })
  try {
    await program.start()
    const { command, args, env } = hostCommand(
      [`--user-data-dir=${program.userData}`, '--headless'],
      fixtureProgram,
    )
    expect(spawnSync(command, args, { env, timeout: 20_000 }).status).toBe(0)
  } finally {
    await program.dispose()
  }
})

test('the program can reload a page that crashes', async () => {
  const program = new Program({ folder: fixtureProgram })
  try {
    const { window, electronApp } = await program.start()
    // Two steps, so that the listener exists before the page crashes.
    const listening = await electronApp.evaluateHandle(({ webContents }) => {
      const contents = webContents.getAllWebContents()[0]
      const back = new Promise((resolve) => {
        // Loaded again after the crash, because the first load may end only now.
        contents?.once('render-process-gone', (_event, { reason }) =>
          contents.once('did-finish-load', () => resolve([reason, contents.isCrashed()])),
        )
      })
      // In an object, because a promise alone would be awaited.
      return { back }
    })
    const session = await window.context().newCDPSession(window)
    // The page can't respond anymore.
    session.send('Page.crash').catch(() => undefined)
    expect(await listening.evaluate(({ back }) => back)).toEqual(['crashed', false])
  } finally {
    await program.dispose()
  }
})

test('no Chromium process survives, however the program is killed', async () => {
  test.skip(process.platform === 'win32', 'processes are listed by ps')
  const program = new Program({ folder: fixtureProgram })
  try {
    const { electronApp } = await program.start()
    const profile = join(program.userData, 'chromium-host')
    const chromiums = (): number =>
      spawnSync('ps', ['-ewwo', 'args'], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((line) => line.includes(profile)).length
    expect(chromiums()).toBeGreaterThan(0)
    electronApp.process().kill('SIGKILL')
    await expect.poll(chromiums).toBe(0)
  } finally {
    await program.dispose()
  }
})

test('without Playwright, the port serves the window and its bridge until the program is stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-spec-'))
  const flags = [`--user-data-dir=${folder}`, '--headless', '--remote-debugging-port=9377']
  const { command, args, env } = hostCommand(flags, fixtureProgram)
  const host = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const address = 'http://127.0.0.1:9377'
    await expect
      .poll(() =>
        fetch(`${address}/json/version`).then(
          (it) => it.ok,
          () => false,
        ),
      )
      .toBe(true)
    const browser = await chromium.connectOverCDP(address)
    const find = (): Page | undefined =>
      browser
        .contexts()[0]
        ?.pages()
        .find((page) => /index\.html$/.test(page.url()))
    await expect.poll(() => find() !== undefined).toBe(true)
    const page = find()
    if (!page) throw new Error('no page')
    await expect(page.getByRole('heading', { name: 'Fixture' })).toBeVisible()
    expect(await call(page, 'echo', 'over the port')).toBe('over the port')
    await browser.close()
    expect((await fetch(`${address}/json/version`)).ok).toBe(true)
    const ended = new Promise((resolve) => host.once('exit', resolve))
    host.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(() => readFileSync(join(folder, 'chromium-host.lock'))).toThrow('ENOENT')
  } finally {
    host.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
