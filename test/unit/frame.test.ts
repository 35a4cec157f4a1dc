/** What the window decides about addresses, keys, the palette and the status line. */
import { describe, expect, it } from 'vitest'
import type { Lane, LaneEntry } from '../../shared/contract/activity.ts'
import { appError } from '../../shared/result.ts'
import { railOrder } from '../../renderer/frame/rail-order.ts'
import { findEntries, marked, type PaletteEntry } from '../../renderer/frame/palette.ts'
import { parseRoute, routeAddress } from '../../renderer/frame/routes.ts'
import { keyName, windowKey } from '../../renderer/frame/shortcuts.ts'
import { statusText } from '../../renderer/frame/status.ts'

describe('addresses', () => {
  it('name a screen and what it shows, also with odd characters', () => {
    expect(parseRoute(routeAddress('records', 'a/b c%'))).toEqual({ screen: 'records', rest: ['a/b c%'] })
    expect(parseRoute('#/reports/ProfitAndLoss')).toEqual({ screen: 'reports', rest: ['ProfitAndLoss'] })
  })

  it('that are unknown or broken lead to Companies, and never throw', () => {
    for (const hash of ['', '#', '#/', '#/nowhere/x', '#records%']) {
      expect(parseRoute(hash)).toEqual({ screen: 'companies', rest: [] })
    }
    expect(parseRoute('#/records/%E0%A4%A')).toEqual({ screen: 'records', rest: ['%E0%A4%A'] })
  })
})

describe('keys', () => {
  const key = (name: string, held: object = {}) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...held,
  })

  it('are Ctrl here and ⌘ on a Mac', () => {
    expect(windowKey(key('k', { ctrlKey: true }), false)).toEqual({ what: 'palette' })
    expect(windowKey(key('k', { metaKey: true }), true)).toEqual({ what: 'palette' })
    expect(windowKey(key('k', { ctrlKey: true }), true)).toBeNull()
    expect(keyName('Ctrl K', true)).toBe('⌘ K')
  })

  it('reach the five screens, and nothing with other keys held', () => {
    expect(windowKey(key('3', { ctrlKey: true }), false)).toEqual({ what: 'screen', screen: 'reports' })
    expect(windowKey(key('6', { ctrlKey: true }), false)).toBeNull()
    expect(windowKey(key('3', { ctrlKey: true, shiftKey: true }), false)).toBeNull()
    expect(windowKey(key('3'), false)).toBeNull()
    expect(windowKey(key('F1'), false)).toEqual({ what: 'shortcuts' })
  })
})

describe('the palette', () => {
  const entry = (label: string, group = 'Screens', note = ''): PaletteEntry => ({
    id: label,
    group,
    label,
    ...(note === '' ? {} : { note }),
    action: { what: 'screen', screen: 'companies' },
  })
  const entries = [entry('Alder & Finch', 'Companies', 'C:\\Rep.qbw'), entry('Records'), entry('Reports')]

  it('keeps all when nothing is typed', () => {
    expect(findEntries(entries, '  ')).toEqual(entries)
  })

  it('finds every word anywhere, what begins with it first, groups together', () => {
    expect(findEntries(entries, 'REP').map(({ label }) => label)).toEqual(['Reports', 'Alder & Finch'])
    expect(findEntries(entries, 'finch ald').map(({ label }) => label)).toEqual(['Alder & Finch'])
    expect(findEntries(entries, 'zebra')).toEqual([])
  })

  it('marks what was found, and loses no letter', () => {
    expect(marked('Reports', 'po')).toEqual([
      { text: 'Re', isMatch: false },
      { text: 'po', isMatch: true },
      { text: 'rts', isMatch: false },
    ])
    expect(marked('Reports', 'x')).toEqual([{ text: 'Reports', isMatch: false }])
  })
})

describe('the status line', () => {
  const running: LaneEntry = {
    entryId: 'entry',
    connectionId: 'main',
    companyName: 'Alder & Finch',
    company: null,
    what: 'Reading customers',
    isWrite: false,
    priority: 'person',
    state: 'running',
    queuedAt: '2026-11-21T09:00:00Z',
    startedAt: '2026-11-21T09:00:05Z',
    deadlineAt: null,
    attempt: 1,
    attempts: 3,
    position: 0,
    progress: '',
  }
  const lane: Lane = {
    connectionId: 'main',
    running: null,
    waiting: [],
    shutUntil: null,
    paused: null,
    last: null,
  }

  it('says what runs, since when, what waits and what can be stopped', () => {
    expect(statusText({ ...lane, running, waiting: [running, running] }, true)).toMatchObject({
      state: 'works',
      what: 'Reading customers',
      companyName: 'Alder & Finch',
      since: '2026-11-21T09:00:05Z',
      waiting: 2,
      stoppable: 'entry',
    })
  })

  it('offers no second stop for what was let go of', () => {
    const status = statusText({ ...lane, running: { ...running, state: 'let-go' } }, true)
    expect(status.stoppable).toBeNull()
    expect(status.what).toContain('waiting until the service is free')
  })

  it('counts what waits behind the next one while the lane is shut', () => {
    const status = statusText(
      { ...lane, waiting: [running, running], shutUntil: '2026-11-21T09:05:00Z' },
      true,
    )
    expect(status).toMatchObject({ state: 'waits', waiting: 1, stoppable: 'entry' })
  })

  it('says why it is paused, what was last, and that there is no connection', () => {
    const paused = appError('unauthorised', 'The service refused the key.')
    expect(statusText({ ...lane, paused }, true)).toMatchObject({ state: 'pauses' })
    const last = {
      what: 'Read customers',
      companyName: '',
      at: '2026-11-21T09:00:00Z',
      milliseconds: 5,
      ok: false,
    }
    expect(statusText({ ...lane, last }, true).what).toBe('Read customers: failed')
    expect(statusText(null, false).what).toBe('Not connected')
  })
})

describe('the companies in the rail', () => {
  it('keep their places when another is opened, so that a second click hits the same books', () => {
    const first = railOrder([], ['a', 'b', 'c'], null, 6)
    expect(first).toEqual(['a', 'b', 'c'])
    // Opening c makes it the most recent; it stays where it was.
    expect(railOrder(first, ['c', 'a', 'b'], 'c', 6)).toEqual(first)
  })

  it('give up only the last place for one that came from elsewhere', () => {
    expect(railOrder(['a', 'b', 'c'], ['z', 'a', 'b', 'c'], 'z', 3)).toEqual(['a', 'b', 'z'])
  })

  it('leave out what has gone', () => {
    expect(railOrder(['a', 'b', 'c'], ['c', 'a'], null, 3)).toEqual(['a', 'c'])
  })
})
