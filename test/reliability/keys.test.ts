/** A key stays where it belongs: with its own address, and out of the window and of every file of ours. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { appError, err, type Result } from '../../shared/result.ts'
import { CONNECTION_ID, savedConnection } from './core-parts.ts'
import { value } from './person.ts'
import { startServer, startWorld, type AtEnd, type World } from './world.ts'

const OTHER_KEY = 'other-service-secret-key-0001'

/** Listens at an address and notes the keys that come there. */
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

/** The settings can't be saved any more, as on a full disk. */
function failToSave({ running }: World): () => void {
  const { setConnections } = running.settings
  running.settings.setConnections = (): Result<void> =>
    err(appError('file', 'The settings could not be saved.'))
  return () => {
    running.settings.setConnections = setConnections
  }
}

async function connect({ person }: World, address: string, key: string): Promise<Result<unknown>> {
  value(await person.call('connection.setKey', { connectionId: CONNECTION_ID, key }))
  return person.call('connection.connect', { connectionId: CONNECTION_ID, name: 'Sample', address })
}

describe('a key goes to its own address alone', () => {
  test('also when the connection could not be saved with its new address', async ({ onTestFinished }) => {
    const world = await startWorld(onTestFinished)
    const { running, person, server } = world
    const old = await keyListener(onTestFinished)
    const other = await startServer(onTestFinished, { key: OTHER_KEY })
    running.settings.setConnections([savedConnection(old.address)], CONNECTION_ID)
    const saveAgain = failToSave(world)

    expect(await connect(world, other.url, OTHER_KEY)).toMatchObject({ ok: false, error: { kind: 'file' } })
    await person.read()
    expect([...old.keys].filter((key) => key === OTHER_KEY)).toEqual([])

    saveAgain()
    running.settings.setConnections([savedConnection(server.url)], CONNECTION_ID)
    expect(await person.read()).toMatchObject({ ok: true, value: { count: 30 } })
  })

  test('and the former key of the same address is there again when a new one could not be saved', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
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

  test('and a connection that moves takes its new key along and leaves none behind', async ({
    onTestFinished,
  }) => {
    const world = await startWorld(onTestFinished)
    const other = await startServer(onTestFinished, { key: OTHER_KEY })
    value(await connect(world, other.url, OTHER_KEY))
    expect(await world.person.read()).toMatchObject({ ok: true, value: { count: 30 } })

    world.running.settings.setConnections([savedConnection(world.server.url)], CONNECTION_ID)
    expect(await world.person.read()).toMatchObject({ ok: false, error: { kind: 'keychain' } })
  })
})
