/** A key is sent only to its own address, and never gets into the window or our files. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appError, err, type Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID, savedConnection } from '../world/core-parts.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'
import type { AtEnd, World } from '../world/world.ts'

const OTHER_KEY = 'other-service-secret-key-0001'

/** Listens at an address and records the keys that arrive. */
async function keyListener(atEnd: AtEnd): Promise<{ address: string; keys: Set<string> }> {
  const keys = new Set<string>()
  const server = createServer((request, response) => {
    keys.add(String(request.headers['x-api-key']))
    response.end('{"Contents":[],"Errors":null}')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, keys }
}

/** The settings can't be saved anymore, as with a full disk. */
function failToSave({ running }: World): () => void {
  const { setConnections } = running.settings
  running.settings.setConnections = (): Result<void> =>
    err(appError('file', 'The settings couldn’t be saved.'))
  return () => {
    running.settings.setConnections = setConnections
  }
}

async function connect({ person }: World, address: string, key: string): Promise<Result<unknown>> {
  value(await person.call('connection.setKey', { connectionId: CONNECTION_ID, key }))
  return person.call('connection.connect', { connectionId: CONNECTION_ID, name: 'Sample', address })
}

describe('a key is sent only to its own address', () => {
  test('even if the connection couldn’t be saved with its new address', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const { running, person, server } = world
    const old = await keyListener(onTestFinished)
    const other = await world.startServer({ key: OTHER_KEY })
    running.settings.setConnections([savedConnection(old.address)], CONNECTION_ID)
    const saveAgain = failToSave(world)

    expect(await connect(world, other.url, OTHER_KEY)).toMatchObject({ ok: false, error: { kind: 'file' } })
    await person.read()
    expect([...old.keys].filter((key) => key === OTHER_KEY)).toEqual([])

    saveAgain()
    running.settings.setConnections([savedConnection(server.url)], CONNECTION_ID)
    expect(await person.read()).toMatchObject({ ok: true, value: { count: 30 } })
  })

  test('and the previous key of the same address is restored if a new one couldn’t be saved', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const former = await keyListener(onTestFinished)
    value(await connect(world, former.address, 'former-key'))
    const saveAgain = failToSave(world)
    expect(await connect(world, former.address, 'newer-key')).toMatchObject({
      ok: false,
      error: { kind: 'file' },
    })
    saveAgain()
    former.keys.clear()
    await world.person.read()
    expect([...former.keys]).toEqual(['former-key'])
  })

  test('and a connection with a new address has its new key and leaves none behind', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const other = await world.startServer({ key: OTHER_KEY })
    value(await connect(world, other.url, OTHER_KEY))
    expect(await world.person.read()).toMatchObject({ ok: true, value: { count: 30 } })

    world.running.settings.setConnections([savedConnection(world.server.url)], CONNECTION_ID)
    expect(await world.person.read()).toMatchObject({ ok: false, error: { kind: 'keychain' } })
  })
})

/** Names of our files that contain a text. */
function filesWith({ plan }: World, text: string): readonly string[] {
  const entries = readdirSync(plan.userData, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name)
}

function body(envelope: object): { kind: 'body'; text: string } {
  return { kind: 'body', text: JSON.stringify(envelope) }
}

const REPORT = {
  ReportType: 'PL',
  StartDate: '',
  EndDate: '',
  Columns: ['', 'Total'],
  ReportLineData: [{ RowType: 'DataRow', EntityRef: { FullName: 'Sales', ID: '1' }, Values: ['1.00'] }],
}
const PERIOD = { name: 'ProfitAndLoss', from: '2026-01-01', to: '2026-03-31' } as const

describe('a key that the service echoes', () => {
  test('isn’t in what the window gets with a report', async ({ onTestFinished }) => {
    const { person, server } = await startVirtualWorld(onTestFinished)
    server.addFaults({
      match: { method: 'GET', path: 'selectReport' },
      fault: body({
        Contents: [{ Object: REPORT, Errors: [`No access for ${server.key}`], Kind: 'report' }],
        RequestId: `of ${server.key}`,
      }),
    })
    const made = await person.call('reports.select', { company: person.company, ...PERIOD })
    expect(made).toMatchObject({ ok: true, value: { rowCount: 1, requestId: 'of •••' } })
    expect(made.ok && made.value.notes).toContain('The service says: No access for •••')
    expect(JSON.stringify(made)).not.toContain(server.key)
  })

  test.for([
    ['under its own name', (key: string) => ({ Errors: [{ Code: key, Message: `denied for ${key}` }] })],
    [
      'as a refusal of itself',
      (key: string) => ({ Errors: [{ Code: key, Message: `Unknown API key ${key}` }] }),
    ],
    ['in the RequestId', (key: string) => ({ Errors: ['denied'], RequestId: key })],
    [
      'where its words are cut',
      (key: string) => ({ Errors: [{ Code: '7', Message: `${'x'.repeat(590)} ${key}`, Detail: 'more' }] }),
    ],
  ] as const)('is in no answer, paused queue, or log: %s', async ([, of], { onTestFinished }) => {
    const { person, server, plan, running } = await startVirtualWorld(onTestFinished)
    const words = { Contents: [], HasErrors: true, ...of(server.key) }
    server.addFaults({ match: { method: 'GET', path: '/customer' }, times: 0, fault: body(words) })
    const told = [
      await person.read(),
      await person.call('activity.queues', {}),
      await person.call('activity.log', { connectionId: null, before: null, limit: 5 }),
    ]
    expect(told[0]).toMatchObject({ ok: false })
    expect(JSON.stringify(told)).not.toContain(server.key)
    expect(JSON.stringify(told)).not.toContain(server.key.slice(0, 8))
    await running.core.close()
    expect(filesWith({ plan } as World, server.key)).toEqual([])
  })

  test('isn’t on disk in the original answer that Details shows', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const { person, server, ledger } = world
    const draftId = await ledger.insert(person, 'd1', 'Echo', '555-echo')
    server.addFaults({
      match: { method: 'POST', path: '/v2/data/' },
      fault: {
        ...body({ Errors: [{ Code: 'E', Message: `Agent of ${server.key} timed out` }], HasErrors: true }),
        when: 'after',
      },
    })
    ledger.allowSend([draftId])
    value(await person.send([draftId]))
    await person.settle()
    const [operation] = await person.operations()
    const requests = value(
      await person.call('history.requests', { operationId: operation?.operationId ?? '' }),
    )
    expect(requests[0]?.response).toContain('Agent of ••• timed out')
    expect(filesWith(world, server.key)).toEqual([])
  })
})
