import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readFlags } from '../../../electron/shell/flags.ts'
import { createFileHandler } from '../../../electron/shell/protocol.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-files-'))
  writeFileSync(join(folder, 'files.json'), JSON.stringify(['index.html', 'assets.js']))
  writeFileSync(join(folder, 'index.html'), '<html><script nonce="__CSP_NONCE__"></script></html>')
  writeFileSync(join(folder, 'assets.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'not listed')
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function serve(url: string, method = 'GET'): Promise<Response> {
  return createFileHandler(pathToFileURL(`${folder}/`))(new Request(url, { method }))
}

describe('the window’s files', () => {
  it('come from the list that was made at build time', async () => {
    const answer = await serve('app://bundle/assets.js')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('javascript')
  })

  it.each([
    'app://bundle/secret.txt',
    'app://bundle/files.json',
    'app://bundle/../secret.txt',
    'app://bundle/%2e%2e/secret.txt',
    'app://bundle/./assets.js/../secret.txt',
    'app://bundle//assets.js',
    'app://bundle/assets.js%00.html',
    'app://bundle/',
    'app://elsewhere/index.html',
    'app://bundle.evil/index.html',
  ])('have nothing else: %s', async (url) => {
    expect((await serve(url)).status).toBe(404)
  })

  it('are only read', async () => {
    expect((await serve('app://bundle/index.html', 'POST')).status).toBe(404)
  })

  it('have a policy with the nonce of this load, as in the page', async () => {
    const first = await serve('app://bundle/index.html')
    const second = await serve('app://bundle/index.html')
    const nonce = /'nonce-([^']+)'/.exec(first.headers.get('content-security-policy') ?? '')?.[1] ?? ''
    expect(nonce).not.toBe('')
    expect(await first.text()).toContain(`nonce="${nonce}"`)
    expect(second.headers.get('content-security-policy')).not.toContain(nonce)
  })

  it('have a policy that lets a page send nowhere, be framed by nothing, and run only our files', async () => {
    const policy = (await serve('app://bundle/index.html')).headers.get('content-security-policy') ?? ''
    const parts = new Map(
      policy.split('; ').map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]),
    )
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors', 'trusted-types'])
      expect(parts.get(name), name).toBe("'none'")
    expect(parts.get('script-src')).toBe("'self'")
    // What is not named falls back to nothing: no requests, frames, workers, plugins, media.
    for (const name of ['connect-src', 'frame-src', 'worker-src', 'object-src', 'media-src', 'child-src'])
      expect(parts.has(name), name).toBe(false)
    expect([...parts.values()].join(' ')).not.toMatch(/https?:|\*|unsafe/)
  })
})

describe('flags', () => {
  const own = ['/opt/Bookbridge/bookbridge']
  const all = ['--user-data-dir=/data', '--save-dir=/saved', '--headless', '--remote-debugging-port=9222']
  const packaged = (flags: readonly string[], isWindows = false) =>
    readFlags([...own, ...flags], true, isWindows)

  it('work in development', () => {
    expect(readFlags([...own, ...all], false, false)).toEqual({
      flags: { userDataDir: '/data', saveDir: '/saved', isHeadless: true, run: null },
      refused: [],
    })
  })

  it('are refused in a packaged build, except the folder', () => {
    const { flags, refused } = packaged(all)
    expect(flags).toEqual({ userDataDir: '/data', saveDir: null, isHeadless: false, run: null })
    expect(refused).toEqual(['save-dir', 'headless', 'remote-debugging-port'])
  })

  it.each([
    '--remote-debugging-port=1',
    '-remote-debugging-port=1',
    '--REMOTE-debugging-port',
    ' --remote-debugging-port=1 ',
  ])('are refused there, however they are spelled: %s', (flag) => {
    expect(packaged([flag]).refused).toEqual(['remote-debugging-port'])
    expect(packaged([flag], true).refused).toEqual(['remote-debugging-port'])
  })

  it('of Chromium’s are refused there, known to us or not', () => {
    const names = [
      'no-sandbox',
      'disable-web-security',
      'renderer-cmd-prefix',
      'gpu-launcher',
      'proxy-server',
    ]
    const further = [
      'load-extension',
      'js-flags',
      'ignore-certificate-errors',
      'host-resolver-rules',
      'of-tomorrow',
    ]
    const every = [...names, ...further]
    expect(packaged(every.map((name) => `--${name}=x`)).refused).toEqual(every)
    expect(
      packaged(
        every.map((name) => `/${name}=x`),
        true,
      ).refused,
    ).toEqual(every)
    expect(packaged(['--', '--no-sandbox']).refused).toContain('no-sandbox')
  })

  it('from the system, the installer, or accessibility settings are accepted there, and so are paths', () => {
    const harmless = ['--updated', '-psn_0_989382', '--force-renderer-accessibility', '--lang=de']
    expect(packaged([...harmless, '/home/anna/no-sandbox', 'C:\\books']).refused).toEqual([])
  })
})
