/**
 * Many attacks on the shell: whatever address a page requests, whoever sends a call, and whatever its name, only what is on
 * a list passes. 2,000 tries of each, 50,000 with `BOOKBRIDGE_DEEP=1`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IpcMainInvokeEvent, WebContents } from 'electron'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Handlers } from '../../../electron/app/calls.ts'
import { createFileHandler } from '../../../electron/shell/protocol.ts'
import { CALL_CHANNEL } from '../../../shared/contract/channels.ts'
import { CALLS } from '../../../shared/contract/contract.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { isDeep } from '../../seeds.ts'
import { standIn } from '../records/list/stand-in.ts'

type Answer = (event: IpcMainInvokeEvent, name: unknown, input: unknown) => Promise<Result<unknown>>
const registered = new Map<string, Answer>()
vi.mock('electron', () => ({
  ipcMain: {
    handle: (channel: string, answer: Answer) => registered.set(channel, answer),
    removeHandler: (channel: string) => registered.delete(channel),
  },
}))
const { serveIpc } = await import('../../../electron/shell/ipc.ts')

const RUNS = isDeep ? 50_000 : 2_000

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-attack-'))
  writeFileSync(join(folder, 'files.json'), JSON.stringify(['index.html']))
  writeFileSync(join(folder, 'index.html'), '<html></html>')
  writeFileSync(join(folder, 'secret.txt'), 'not listed')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Pieces of paths that escape from folders. */
const piece = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2e%2e',
    '%2E%2e%2f',
    '..%5c',
    '%00',
    '//',
    '\\',
    'index.html',
    'secret.txt',
    'files.json',
  ),
  fc.constantFrom(
    'etc',
    'passwd',
    'C:',
    'file:',
    'app:',
    '@evil',
    '?x',
    '#x',
    ';',
    '~',
    'INDEX.HTML',
    'index.html ',
    '．．',
  ),
  fc.string({ maxLength: 8 }),
)

describe('an address that the page requests', () => {
  test('is a name in the list, read with GET from our own host, or nothing', async () => {
    const serve = createFileHandler(pathToFileURL(`${folder}/`))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          'app://bundle/',
          'app://bundle',
          'app://bundle:80/',
          'app://evil/',
          'app://bundle.evil/',
          'https://bundle/',
          'file:///',
        ),
        fc.array(piece, { maxLength: 6 }),
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE'),
        async (host, pieces, method) => {
          const url = host + pieces.join('/')
          if (!URL.canParse(url)) return
          const answer = await serve({ url, method } as Request)
          const { host: parsed, pathname } = new URL(url)
          const isListed = method === 'GET' && parsed === 'bundle' && pathname === '/index.html'
          expect(answer.status, `${method} ${url}`).toBe(isListed ? 200 : 404)
          expect(await answer.text()).not.toContain('not listed')
        },
      ),
      { numRuns: RUNS },
    )
  })
})

describe('a call', () => {
  test('from anything but our page’s main frame, or with an unknown name, reaches nothing and is counted', async () => {
    let reached = 0
    const handlers = standIn<Handlers>(
      Object.fromEntries(
        Object.keys(CALLS).map((name) => [name, () => Promise.resolve(((reached += 1), ok({})))]),
      ),
    )
    const own = standIn<WebContents>({ mainFrame: { url: 'app://bundle/index.html' } })
    const ipc = serveIpc({ handlers, contents: () => own, defect: () => undefined })
    const answer = registered.get(CALL_CHANNEL)
    if (answer === undefined) throw new Error('Nobody answers calls.')
    const frame = fc.oneof(
      fc.constant(null),
      fc.record({
        url: fc.oneof(
          fc.string({ maxLength: 20 }).map((rest) => `https://${rest}`),
          fc.constantFrom(
            'app://bundle/index.html',
            'app://bundle',
            'app://bundle.evil/',
            'data:text/html,x',
            'about:srcdoc',
            '',
          ),
        ),
      }),
    )
    const name = fc.oneof(
      fc.constantFrom(...Object.keys(CALLS)),
      fc.string(),
      fc.constantFrom('__proto__', 'constructor'),
    )
    let tries = 0
    await fc.assert(
      fc.asyncProperty(frame, fc.boolean(), name, fc.string(), async (senderFrame, isOwn, called, input) => {
        const sender = isOwn ? own : standIn<WebContents>({ mainFrame: senderFrame ?? {} })
        const result = await answer(standIn<IpcMainInvokeEvent>({ sender, senderFrame }), called, input)
        tries += 1
        expect(result.ok).toBe(false)
      }),
      { numRuns: RUNS },
    )
    const event = standIn<IpcMainInvokeEvent>({ sender: own, senderFrame: own.mainFrame })
    for (const wrong of [
      'records',
      'records.open ',
      'RECORDS.OPEN',
      '__proto__',
      'toString',
      7,
      null,
      {},
      ['records.open'],
    ]) {
      tries += 1
      expect((await answer(event, wrong, {})).ok).toBe(false)
    }
    expect(reached).toBe(0)
    expect(ipc.counts()).toEqual({ answered: 0, refused: tries })
    await answer(event, 'companies.list', { connectionId: 'c' })
    expect(reached, 'our page’s own call').toBe(1)
    ipc.close()
    expect(registered.size).toBe(0)
  })
})
