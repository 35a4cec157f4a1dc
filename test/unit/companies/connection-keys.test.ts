// A key that can't be in a header is never sent, whether it was typed or comes from the keychain.
import { describe, expect, test } from 'vitest'
import { createConnectionKeys } from '../../../electron/app/connections/saved-connections.ts'
import type { SavedConnection, SecretStore } from '../../../electron/app/ports.ts'
import { CALLS } from '../../../shared/contract/contract.ts'
import { ok } from '../../../shared/result.ts'

const CONNECTION: SavedConnection = {
  connectionId: 'c1',
  name: 'Office',
  address: 'https://service.test',
  isSample: false,
  legacyAddress: '',
  settings: {},
}

function keysWith(held: string) {
  const secrets: Pick<SecretStore, 'get' | 'set' | 'remove'> = {
    get: () => Promise.resolve(ok(held)),
    set: () => Promise.resolve(ok(undefined)),
    remove: () => Promise.resolve(ok(undefined)),
  }
  return createConnectionKeys(secrets as SecretStore, '')
}

const NO_KEYS = [
  '',
  ' ',
  'two words',
  'a\r\nhost: evil',
  'a\u0000',
  'a\u007f',
  'schlüssel',
  'ключ',
  'k'.repeat(4_097),
]

describe('a key', () => {
  test.each(NO_KEYS)('isn’t %j', async (text) => {
    const keys = keysWith(text)
    expect(keys.stage('c1', 'v2', text)).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    expect(keys.staged('c1', 'v2')).toBeNull()
    expect(await keys.get(CONNECTION, 'v2')).toMatchObject({ ok: false, error: { kind: 'keychain' } })
    expect(keys.values()).toEqual([])
  })

  test('is accepted up to the maximum length, and the contract rejects a longer one', async () => {
    const longest = 'k'.repeat(4_096)
    expect(await keysWith(longest).get(CONNECTION, 'v2')).toEqual(ok(longest))
    const { input } = CALLS['connection.setKey']
    expect(input.safeParse({ connectionId: 'c1', key: longest }).success).toBe(true)
    expect(input.safeParse({ connectionId: 'c1', key: `${longest}k` }).success).toBe(false)
  })
})
