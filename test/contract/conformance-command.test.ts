// `npm run conformance`: runs the suite against an address, as a user would for their own service.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleServer, startSampleServer } from '../sample-server/server.ts'
import { isDeep } from '../seeds.ts'

const root = resolve(import.meta.dirname, '../..')
const PATIENCE = 600_000
let server: SampleServer

/** Runs the command as `npm run` does. Returns its exit code and its output. */
async function conformance(...flags: readonly string[]): Promise<{ code: number; printed: string }> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|BOOKBRIDGE_SERVICE|NODE_ENV)/.test(name),
  )
  return await new Promise((done) => {
    const options = { cwd: root, env: Object.fromEntries(own), timeout: PATIENCE }
    const child = execFile(
      process.execPath,
      ['scripts/conformance.ts', ...flags],
      options,
      (_error, out, err) => {
        done({ code: child.exitCode ?? -1, printed: out + err })
      },
    )
  })
}

function named(): readonly string[] {
  return [`--url=${server.url}`, `--key=${server.key}`, `--legacy-url=${server.legacyUrl}`]
}

function methods(): Set<string> {
  return new Set(server.counters().requests.map(({ method }) => method))
}

beforeAll(async () => {
  server = await startSampleServer({ seed: 3 })
})
afterAll(async () => {
  await server.close()
})

describe('the conformance command', () => {
  it('only reads, one request at a time', { timeout: PATIENCE }, async () => {
    const read = await conformance(...named())
    expect(read.printed).toContain(`against ${server.url}: reads only`)
    expect(read.code, read.printed).toBe(0)
    expect(server.counters().received).toBeGreaterThan(40)
    expect(methods()).toEqual(new Set(['GET']))
    expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
  })

  it.runIf(isDeep)('writes if that is allowed, one request at a time', { timeout: PATIENCE }, async () => {
    const written = await conformance(...named(), '--write')
    expect(written.code, written.printed).toBe(0)
    expect(methods()).toEqual(new Set(['GET', 'POST', 'PATCH']))
    expect(server.counters()).toMatchObject({ mostAtOnce: 1, refused: 0 })
  })

  it.runIf(isDeep)('fails if the service refuses', { timeout: PATIENCE }, async () => {
    const answer = await conformance(`--url=${server.url}`, '--key=another')
    expect(answer.code).toBe(1)
  })

  it('names an invalid flag', async () => {
    expect(await conformance('--url=somewhere', '--key=k')).toMatchObject({ code: 2 })
    expect((await conformance(`--url=${server.url}`)).printed).toContain('The key is missing.')
    expect((await conformance('--write')).printed).toContain('These flags go with --url.')
  })
})
