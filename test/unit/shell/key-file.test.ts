/**
 * Keys if keytar can't load, and their move between that file and the keychain. The keychain is real. safeStorage is a
 * double with a real cipher from Node.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Encryption } from '../../../electron/shell/keys/key-file.ts'
import type { Vault } from '../../../electron/shell/keys/vault.ts'
import { type Keyring, KEYRING_PROGRAMS, openTemporaryKeyring } from '../../../scripts/keyring.ts'
import { findProgram } from '../../../scripts/parts/process.ts'
import { ok } from '../../../shared/result.ts'
import { VirtualClock } from '../../virtual-clock.ts'

vi.mock('electron', () => ({
  default: { app: { getPath: () => '', getVersion: () => '0.0.0' }, ipcMain: { on: () => undefined } },
}))

const { createKeyFile } = await import('../../../electron/shell/keys/key-file.ts')
const { createKeychain, loadKeytar } = await import('../../../electron/shell/keys/keychain.ts')
const { openVault } = await import('../../../electron/shell/keys/vault.ts')

const SERVICE = 'Bookbridge https://service.test'
const FILE = 'keys.json'
type Place = 'keychain' | 'file'

/** @param prefix Chromium's prefix; on Linux, `v10` means that the key is the well-known one */
function encryption(changes: Partial<Encryption> = {}, prefix = 'v11'): Encryption {
  const key = randomBytes(32)
  return {
    getSelectedStorageBackend: () => 'gnome_libsecret',
    isAsyncEncryptionAvailable: () => Promise.resolve(true),
    encryptStringAsync(plain) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Promise.resolve(Buffer.concat([Buffer.from(prefix), iv, cipher.getAuthTag(), sealed]))
    },
    // Async, so that what can't be decrypted rejects instead of throwing.
    // eslint-disable-next-line @typescript-eslint/require-await
    async decryptStringAsync(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(3, 15))
      decipher.setAuthTag(sealed.subarray(15, 31))
      const result = decipher.update(sealed.subarray(31), undefined, 'utf8') + decipher.final('utf8')
      return { shouldReEncrypt: false, result }
    },
    ...changes,
  }
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-key-file-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  return folder
}

const missing = (): Promise<never> => Promise.reject(new Error('libsecret-1.so.0: cannot open shared object'))

interface Machine {
  readonly folder: string
  readonly encryption: Encryption
}

const keyFile = ({ folder, encryption: ofSystem }: Machine) =>
  createKeyFile({ folder, encryption: ofSystem, platform: 'linux', clock: new VirtualClock() })

/** The program's own store, as created at a start on that computer. */
const start = (machine: Machine, loadVault: () => Promise<Vault> = missing, first: Place = 'keychain') =>
  createKeychain(new VirtualClock(), () =>
    openVault({ loadKeytar: loadVault, file: keyFile(machine), first }),
  )

const machineOf = (ofSystem = encryption()): Machine => ({ folder: emptyFolder(), encryption: ofSystem })
const written = ({ folder }: Machine): string => readFileSync(join(folder, FILE), 'utf8')

describe('if keytar can’t load', () => {
  test('keys are encrypted in a file that only the owner can read, and survive the program', async () => {
    const machine = machineOf()
    const store = start(machine)
    expect(await store.probe()).toEqual(ok(undefined))
    expect(await store.get(SERVICE, 'a')).toEqual(ok(null))
    expect(await store.set(SERVICE, 'a', 'key-of-a')).toEqual(ok(undefined))
    expect(await store.set(SERVICE, 'b', 'key-of-b')).toEqual(ok(undefined))
    expect(await store.set(SERVICE, 'a', 'newer-key-of-a')).toEqual(ok(undefined))
    expect(await store.remove(SERVICE, 'b')).toEqual(ok(undefined))
    const again = start(machine)
    expect(await again.get(SERVICE, 'a')).toEqual(ok('newer-key-of-a'))
    expect(await again.get(SERVICE, 'b')).toEqual(ok(null))
    expect(written(machine)).not.toContain('key-of-a')
    expect(readdirSync(machine.folder)).toEqual([FILE])
    if (platform !== 'win32') expect(statSync(join(machine.folder, FILE)).mode & 0o777).toBe(0o600)
  })

  test.each<[reason: string, ofSystem: Encryption]>([
    ['no keyring (basic_text)', encryption({ getSelectedStorageBackend: () => 'basic_text' })],
    ['no keyring (unknown)', encryption({ getSelectedStorageBackend: () => 'unknown' })],
    ['gives no key', encryption({ isAsyncEncryptionAvailable: () => Promise.resolve(false) })],
    ['keyring gave no key', encryption({}, 'v10')],
  ])('nothing is written where the system gives no real key: %s', async (reason, ofSystem) => {
    const machine = machineOf(ofSystem)
    const kept = await start(machine).set(SERVICE, 'a', 'key-of-a')
    expect(kept).toMatchObject({ ok: false, error: { kind: 'keychain' } })
    expect(kept.ok ? '' : kept.error.details.raw).toContain(reason)
    expect(readdirSync(machine.folder)).toEqual([])
  })

  test('a key that can’t be read has a message, affects no other one, and can be typed again', async () => {
    const machine = machineOf()
    const store = start(machine)
    for (const account of ['swapped', 'altered', 'whole']) await store.set(SERVICE, account, `key-${account}`)
    const foreign = machineOf()
    await start(foreign).set(SERVICE, 'foreign', 'key-foreign')
    const content = JSON.parse(written(machine)) as { keys: Record<string, string>[] }
    const [swapped, altered, whole] = content.keys
    const keys = [
      'no entry',
      { ...swapped, ciphertext: whole?.['ciphertext'] },
      { ...altered, ciphertext: `${altered?.['ciphertext'] ?? ''}AAAA` },
      ...(JSON.parse(written(foreign)) as typeof content).keys,
      whole,
    ]
    writeFileSync(join(machine.folder, FILE), JSON.stringify({ ...content, keys }))
    for (const account of ['swapped', 'altered', 'foreign']) {
      expect(await store.get(SERVICE, account)).toMatchObject({
        ok: false,
        error: { message: 'The key of this connection can’t be read on this computer.' },
      })
      expect(await store.get(SERVICE, 'whole')).toEqual(ok('key-whole'))
      expect(await store.set(SERVICE, account, `new-${account}`)).toEqual(ok(undefined))
      expect(await store.get(SERVICE, account)).toEqual(ok(`new-${account}`))
    }
    expect((JSON.parse(written(machine)) as typeof content).keys).toContain('no entry')
  })

  test('a damaged file has a message, and is set aside when a key is typed again', async () => {
    const machine = machineOf()
    writeFileSync(join(machine.folder, FILE), '{"version":1,"keys"')
    const store = start(machine)
    expect(await store.get(SERVICE, 'a')).toMatchObject({
      ok: false,
      error: { message: 'The file with the keys is damaged.' },
    })
    expect(await store.set(SERVICE, 'a', 'key-of-a')).toEqual(ok(undefined))
    expect(await store.get(SERVICE, 'a')).toEqual(ok('key-of-a'))
    const aside = readdirSync(machine.folder).filter((name) => name.startsWith(`${FILE}.damaged-`))
    expect(aside.map((name) => readFileSync(join(machine.folder, name), 'utf8'))).toEqual([
      '{"version":1,"keys"',
    ])
  })

  test('a file of a newer Bookbridge isn’t changed', async () => {
    const machine = machineOf()
    writeFileSync(join(machine.folder, FILE), '{"version":2}')
    const kept = await start(machine).set(SERVICE, 'a', 'key-of-a')
    expect(kept).toMatchObject({
      ok: false,
      error: { message: 'keys.json was written by a newer Bookbridge.' },
    })
    expect(written(machine)).toBe('{"version":2}')
  })
})

describe.skipIf(platform !== 'linux' || KEYRING_PROGRAMS.some((name) => findProgram(name) === undefined))(
  'between the file and the keychain',
  () => {
    let keyring: Keyring
    beforeAll(async () => {
      keyring = await openTemporaryKeyring()
      Object.assign(process.env, keyring.env)
    })
    afterAll(async () => {
      await keyring.close()
    })

    /** Where a key is, without moving it. */
    async function found(machine: Machine, account: string): Promise<Partial<Record<Place, string>>> {
      const keychain = await (await loadKeytar()).getPassword(SERVICE, account)
      const file = await keyFile(machine).getPassword(SERVICE, account)
      return { ...(keychain !== null && { keychain }), ...(file !== null && { file }) }
    }

    /** Stores keys as an earlier start left them. */
    async function leave(machine: Machine, account: string, keys: Partial<Record<Place, string>>) {
      const { keychain, file } = keys
      if (keychain !== undefined) await (await loadKeytar()).setPassword(SERVICE, account, keychain)
      if (file !== undefined) await keyFile(machine).setPassword(SERVICE, account, file)
    }

    test.each<[first: Place, from: Place]>([
      ['keychain', 'file'],
      ['file', 'keychain'],
    ])('a key is moved to the %s, and the file’s wins where both have one', async (first, from) => {
      const machine = machineOf()
      const accounts = { moved: `${first}-moved`, both: `${first}-both`, none: `${first}-none` }
      await leave(machine, accounts.moved, { [from]: 'only-key' })
      await leave(machine, accounts.both, { keychain: 'older-key', file: 'newer-key' })
      const store = start(machine, loadKeytar, first)
      expect(await store.get(SERVICE, accounts.moved)).toEqual(ok('only-key'))
      expect(await found(machine, accounts.moved)).toEqual({ [first]: 'only-key' })
      expect(await store.get(SERVICE, accounts.both)).toEqual(ok('newer-key'))
      expect(await found(machine, accounts.both)).toEqual({ [first]: 'newer-key' })
      expect(await store.get(SERVICE, accounts.none)).toEqual(ok(null))
    })

    test('a key moves to the keychain once that loads, and isn’t replaced if the keychain doesn’t answer', async () => {
      const machine = machineOf()
      await start(machine, loadKeytar).set(SERVICE, 'usual', 'key')
      expect(await found(machine, 'usual')).toEqual({ keychain: 'key' })
      const locked = (): Promise<never> => Promise.reject(new Error('the keyring is locked'))
      const closed = { getPassword: locked, setPassword: locked, deletePassword: locked }
      const store = start(machine, () => Promise.resolve(closed))
      expect(await store.set(SERVICE, 'usual', 'other')).toMatchObject({ ok: false })
      expect(readdirSync(machine.folder)).toEqual([])
    })

    test('a key that doesn’t read back stays where it was', async () => {
      const machine = machineOf()
      await leave(machine, 'forgotten', { file: 'key' })
      const forgetful = async (): Promise<Vault> => ({
        ...(await loadKeytar()),
        setPassword: () => Promise.resolve(),
      })
      const kept = await start(machine, forgetful).get(SERVICE, 'forgotten')
      expect(kept.ok ? '' : kept.error.details.raw).toContain('read back')
      expect(await found(machine, 'forgotten')).toEqual({ file: 'key' })
    })

    test('what was deleted while keytar couldn’t load is deleted from the keychain once it does', async () => {
      const machine = machineOf()
      for (const first of ['keychain', 'file'] as const) {
        await leave(machine, 'deleted', { keychain: 'key' })
        await start(machine).remove(SERVICE, 'deleted')
        expect(await start(machine, loadKeytar, first).get(SERVICE, 'deleted')).toEqual(ok(null))
        expect(await found(machine, 'deleted')).toEqual({})
        expect(JSON.parse(written(machine))).toMatchObject({ keys: [] })
      }
    })

    test('a file that can’t be read doesn’t block the keychain and its keys', async () => {
      const machine = machineOf()
      await leave(machine, 'doubled', { keychain: 'older-key', file: 'newer-key' })
      await leave(machine, 'alone', { file: 'lost-key' })
      const other = { ...machine, encryption: encryption() }
      const store = start(other, loadKeytar)
      expect(await store.get(SERVICE, 'doubled')).toEqual(ok('older-key'))
      expect(await store.get(SERVICE, 'alone')).toMatchObject({ ok: false })
      expect(await start(other, loadKeytar, 'file').get(SERVICE, 'doubled')).toMatchObject({ ok: false })
      expect(await found(machine, 'doubled')).toEqual({ keychain: 'older-key', file: 'newer-key' })
      writeFileSync(join(machine.folder, FILE), 'damaged')
      expect(await store.set(SERVICE, 'doubled', 'newest-key')).toEqual(ok(undefined))
      expect(await store.get(SERVICE, 'doubled')).toEqual(ok('newest-key'))
    })

    /** Lets `calls` calls through, then none, like a kill. */
    function killedAfter(calls: number): <T extends Vault>(vault: T) => T {
      let left = calls
      return (vault) => {
        const guarded = Object.entries(vault).map(([name, call]) => [
          name,
          (...values: unknown[]): unknown => {
            left -= 1
            if (left < 0) throw new Error('killed')
            return (call as (...given: unknown[]) => unknown)(...values)
          },
        ])
        return Object.fromEntries(guarded) as typeof vault
      }
    }

    test.each<[first: Place, left: Partial<Record<Place, string>>]>([
      ['keychain', { file: 'key' }],
      ['keychain', { keychain: 'older-key', file: 'key' }],
      ['file', { keychain: 'key' }],
      ['file', { keychain: 'older-key', file: 'key' }],
    ])(
      'a kill at any moment loses no key and brings no older one back: to the %s, from %j',
      async (first, left) => {
        const passwords: Record<'get' | 'set', readonly string[]> = {
          get: ['key'],
          set: ['key', 'typed-key'],
        }
        for (const call of ['get', 'set'] as const) {
          for (let calls = 0, isOver = false; !isOver; calls += 1) {
            const machine = machineOf()
            const account = `${first}-${String(Object.keys(left).length)}-${call}-${String(calls)}`
            await leave(machine, account, left)
            const guard = killedAfter(calls)
            const vault = await openVault({
              loadKeytar: async () => guard(await loadKeytar()),
              file: guard(keyFile(machine)),
              first,
            }).catch(() => null)
            const work =
              call === 'get'
                ? vault?.getPassword(SERVICE, account)
                : vault?.setPassword(SERVICE, account, 'typed-key')
            isOver =
              vault !== null &&
              (await Promise.resolve(work).then(
                () => true,
                () => false,
              ))
            const after = await start(machine, loadKeytar, first).get(SERVICE, account)
            expect(passwords[call]).toContain(after.ok ? after.value : after.error)
            expect(Object.keys(await found(machine, account))).toEqual([first])
            if (isOver) expect(after).toEqual(ok(passwords[call].at(-1)))
          }
        }
      },
    )
  },
)
