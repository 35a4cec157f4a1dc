/** Updates: only in a signed build, only on request, never during work, and never to an older version. */
import { describe, expect, test } from 'vitest'
import type { UpdateSource } from '../../../electron/app/ports.ts'
import { createUpdates, updatesOffReason } from '../../../electron/app/program/updates.ts'
import type { RequestQueue, UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { UpdateState } from '../../../shared/contract/app.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'

const SIGNED = 'provider: generic\nurl: https://updates.example/bookbridge\npublisherName:\n  - Office\n'
const BUSY = standIn<readonly RequestQueue[]>([{ running: {}, waiting: [] }])

/** Handlers over a source that finds `version`, and the events for the window. */
function updatesTo(version: string, over: Partial<UpdateSource> = {}) {
  const emitted: UpdateState['state'][] = []
  const installed: number[] = []
  const now = { queues: [] as readonly RequestQueue[], unfinished: [] as readonly UnfinishedItem[] }
  const handlers = createUpdates({
    version: '1.2.3',
    source: {
      check: () => Promise.resolve({ version, notes: '<p>Faster.</p><script>x</script>' }),
      fetch: (onPercent) => {
        onPercent(41.6)
        return Promise.resolve()
      },
      install: () => {
        installed.push(1)
      },
      ...over,
    },
    scheduler: { queues: () => now.queues },
    unfinished: { list: () => now.unfinished, savedSince: () => 0 },
    settings: { connections: () => [{ connectionId: 'c1' }] as never },
    announcer: {
      emit: (_event, payload) => {
        emitted.push((payload as UpdateState).state)
      },
      notify: () => undefined,
    },
  })
  return { handlers, emitted, installed, now }
}

describe('a build checks for updates', () => {
  test('only if it is packaged, signed, and has its own safe address', () => {
    const signed = { isPackaged: true, platform: 'win32', updateFile: SIGNED }
    expect(updatesOffReason(signed)).toBeNull()
    expect(updatesOffReason({ ...signed, updateFile: SIGNED.replace('\n  - Office', ' Office') })).toBeNull()
    expect(
      updatesOffReason({ ...signed, platform: 'darwin', updateFile: 'url: https://u.example' }),
    ).toBeNull()
    for (const wrong of [
      { ...signed, isPackaged: false },
      { ...signed, platform: 'linux' },
      { ...signed, updateFile: null },
      { ...signed, updateFile: '' },
      { ...signed, updateFile: SIGNED.replace('https', 'http') },
      { ...signed, updateFile: 'provider: generic\nurl: https://updates.example\n' },
      { ...signed, updateFile: 'url: https://updates.example\npublisherName:\n' },
    ]) {
      expect(updatesOffReason(wrong)).not.toBeNull()
    }
  })

  test('and says why if it doesn’t', async () => {
    const { handlers } = updatesTo('9.9.9')
    const off = createUpdates({
      ...({} as Parameters<typeof createUpdates>[0]),
      source: { off: 'not signed' },
    })
    expect(value(await off['updates.check']({}))).toEqual({ state: 'off', reason: 'not signed' })
    expect((await off['updates.install']({})).ok).toBe(false)
    expect(value(await handlers['updates.state']({}))).toEqual({ state: 'idle' })
  })
})

describe('an update', () => {
  test('is offered with its news, and downloaded and installed only on request', async () => {
    const { handlers, emitted, installed } = updatesTo('1.3.0')
    expect(value(await handlers['updates.check']({}))).toEqual({
      state: 'offered',
      version: '1.3.0',
      news: 'Faster.\nx',
    })
    expect((await handlers['updates.install']({})).ok, 'not before it is there').toBe(false)
    expect(value(await handlers['updates.fetch']({}))).toMatchObject({ state: 'ready', version: '1.3.0' })
    expect(emitted).toEqual(['checking', 'offered', 'fetching', 'fetching', 'ready'])
    expect(installed).toEqual([])
    value(await handlers['updates.install']({}))
    expect(installed).toEqual([1])
  })

  test('is never an older version, the same one, or a prerelease', async () => {
    for (const version of ['1.2.3', '1.2.2', '0.9.9', '1.3.0-beta.1', 'newest', '']) {
      expect(value(await updatesTo(version).handlers['updates.check']({})), version).toEqual({
        state: 'newest',
      })
    }
    for (const version of ['1.10.0', '2.0.0']) {
      expect(value(await updatesTo(version).handlers['updates.check']({})), version).toMatchObject({
        version,
      })
    }
  })

  test('isn’t installed while something runs, waits, or is not confirmed', async () => {
    const { handlers, installed, now } = updatesTo('1.3.0')
    await handlers['updates.check']({})
    await handlers['updates.fetch']({})
    now.queues = BUSY
    expect((await handlers['updates.install']({})).ok).toBe(false)
    now.queues = []
    for (const kind of ['sending', 'queued', 'not-confirmed', 'provisioning', 'deprovisioning'] as const) {
      now.unfinished = [{ kind, count: 1 } as UnfinishedItem]
      expect((await handlers['updates.install']({})).ok, kind).toBe(false)
    }
    expect(installed).toEqual([])
    for (const kind of ['draft', 'decision', 'not-accepted', 'changed-meanwhile'] as const) {
      now.unfinished = [{ kind, count: 1 } as UnfinishedItem]
      expect((await handlers['updates.install']({})).ok, kind).toBe(true)
    }
  })

  test('that can’t be downloaded changes nothing, and can be tried again', async () => {
    const { handlers } = updatesTo('1.3.0', { fetch: () => Promise.reject(new Error('no network')) })
    await handlers['updates.check']({})
    const failed = await handlers['updates.fetch']({})
    expect(failed.ok ? '' : failed.error.message).toContain('couldn’t be downloaded')
    expect(value(await handlers['updates.state']({}))).toMatchObject({ state: 'offered' })
  })

  test('shows its news as plain text of limited length', async () => {
    for (const [notes, news] of [
      [[{ version: '1', note: '<h2>One</h2><ul><li>a</li></ul>' }, { note: 'two' }], 'One\na\n\n\ntwo'],
      ['x'.repeat(100_000), 'x'.repeat(5_000)],
      [null, ''],
    ]) {
      const { handlers } = updatesTo('1.3.0', { check: () => Promise.resolve({ version: '1.3.0', notes }) })
      expect(value(await handlers['updates.check']({}))).toMatchObject({ news })
    }
  })
})
