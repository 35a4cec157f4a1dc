/** A keychain that answers late or never blocks only what needs it, and neither files nor the window. */
import { expect, test } from 'vitest'
import { createKeychainState } from '../../../electron/app/connections/saved-connections.ts'
import type { Clock } from '../../../electron/clock.ts'
import { createKeychain } from '../../../electron/shell/keys/keychain.ts'
import type { Vault } from '../../../electron/shell/keys/vault.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { VirtualClock } from '../../virtual-clock.ts'

const LIMIT = 30_000

/** Counts simultaneous calls. Each is answered when the test says so. */
function standInKeytar() {
  const waiting: ((answer: string | null) => void)[] = []
  const seen = { calls: 0, most: 0 }
  const call = (): Promise<string | null> => {
    seen.calls += 1
    seen.most = Math.max(seen.most, waiting.length + 1)
    return new Promise((resolve) => waiting.push(resolve))
  }
  const keytar: Vault = {
    getPassword: call,
    setPassword: async () => void (await call()),
    deletePassword: async () => (await call()) === null,
  }
  return {
    load: () => Promise.resolve(keytar),
    seen,
    answer: (with_: string | null) => waiting.shift()?.(with_),
  }
}

const words = (result: Result<unknown>): string =>
  result.ok ? '' : `${result.error.message} ${result.error.details.raw ?? ''}`

test('a keychain that never answers is asked once. Later calls get the same error at once', async () => {
  const { load, seen } = standInKeytar()
  const clock = new VirtualClock()
  const keychain = createKeychain(clock, load, LIMIT)
  const first = await clock.run(
    Promise.all([
      keychain.probe(),
      keychain.probe(),
      keychain.get('Bookbridge', 'a'),
      keychain.set('Bookbridge', 'b', 'secret'),
      keychain.remove('Bookbridge', 'c'),
    ]),
  )
  expect(new Set(first.map(words))).toEqual(
    new Set(['This computer’s keychain can’t be used. no response within 30 s']),
  )
  expect(keychain.isHanging()).toBe(true)
  // It gets an answer although time stands still.
  expect(words(await keychain.probe())).toBe(words(await keychain.get('Bookbridge', 'd')))
  expect(seen).toEqual({ calls: 1, most: 1 })
})

test('one call runs at a time, in order, and a late answer frees the keychain', async () => {
  const { load, seen, answer } = standInKeytar()
  const clock = new VirtualClock()
  const keychain = createKeychain(clock, load, LIMIT)
  expect((await clock.run(keychain.probe())).ok).toBe(false)
  answer(null)
  await clock.settle()
  expect(keychain.isHanging()).toBe(false)
  const asked = [keychain.probe(), keychain.probe(), keychain.get('s', 'a'), keychain.get('s', 'b')]
  for (const key of [null, 'key of a', 'key of b']) {
    await clock.settle()
    answer(key)
  }
  expect(await Promise.all(asked)).toEqual([ok(undefined), ok(undefined), ok('key of a'), ok('key of b')])
  expect(seen).toEqual({ calls: 4, most: 1 })
})

test('the window gets an answer at once while the keychain is silent, and an event when it answers', async () => {
  const { load, answer } = standInKeytar()
  const time = new VirtualClock()
  const keychain = createKeychain(time, load, 10_000)
  const passed: (() => void)[] = []
  const clock: Pick<Clock, 'after'> = {
    after(_milliseconds, callback) {
      passed.push(callback)
      return () => undefined
    },
  }
  let changes = 0
  const state = createKeychainState(keychain, clock, () => {
    changes += 1
  })
  const first = state()
  passed.shift()?.()
  expect(await first).toEqual({ available: false, reason: 'it hasn’t responded yet' })
  expect(changes).toBe(0)
  await time.settle()
  answer(null)
  await time.settle()
  expect(changes).toBe(1)
  // Slow again: the known state is returned, and nothing is announced twice.
  const second = state()
  passed.shift()?.()
  expect(await second).toEqual({ available: true, reason: '' })
  await time.settle()
  answer(null)
  await time.settle()
  expect(changes).toBe(1)
})
