/** The window's routes, shortcuts, palette, status line, and rail. */
import '../runes.ts'
import { describe, expect, it } from 'vitest'
import { queueParts, retryNote, runningNote } from '../../../renderer/activity/queue-entries.ts'
import { findEntries, type PaletteEntry } from '../../../renderer/frame/dialogs/palette.ts'
import { railOrder } from '../../../renderer/frame/rail/rail-order.ts'
import { routeAddress, Router } from '../../../renderer/frame/router.svelte.ts'
import { findShortcuts, keyCaps, keyName, windowKey } from '../../../renderer/frame/shortcuts.ts'
import {
  queueWait,
  type StatusText,
  statusText as wordsOf,
  stopLabel,
  unsentText,
} from '../../../renderer/frame/status/status.ts'
import { highlightMatch } from '../../../renderer/ui/text/search.ts'
import type { QueueEntry, RequestQueue } from '../../../shared/contract/activity.ts'
import { Format } from '../../../shared/format/format.ts'
import { appError } from '../../../shared/result.ts'

describe('addresses', () => {
  const routeOf = (hash: string) => {
    const { screen, rest } = new Router({ location: { hash } } as Window)
    return { screen, rest }
  }

  it('identify a screen and what it shows, even with odd characters', () => {
    expect(routeOf(routeAddress('records', 'a/b c%'))).toEqual({ screen: 'records', rest: ['a/b c%'] })
    expect(routeOf('#/reports/ProfitAndLoss')).toEqual({ screen: 'reports', rest: ['ProfitAndLoss'] })
  })

  it('that are unknown or broken lead to Companies, and never throw', () => {
    for (const hash of ['', '#', '#/', '#/nowhere/x', '#records%']) {
      expect(routeOf(hash)).toEqual({ screen: 'companies', rest: [] })
    }
    expect(routeOf('#/records/%E0%A4%A')).toEqual({ screen: 'records', rest: ['%E0%A4%A'] })
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

  it('are found by what they do, by their screen, and by their keys', () => {
    const found = (typed: string, isMac = false): string[] =>
      findShortcuts(typed, isMac).flatMap(({ title, shortcuts }) =>
        shortcuts.map(({ keys, does }) => `${title} | ${keys} | ${does}`),
      )
    expect(found('fill down')).toEqual(['Records: select and fill | Ctrl D | Fill down'])
    expect(found('Ctrl Enter').map((each) => each.split(' | ')[0])).toEqual([
      'Records: select and fill',
      'Records: get, review, and send',
      'Reports',
    ])
    expect(found('month accept')).toEqual(['Review of a month | A | Accept the finding'])
    expect(found('redo', true)).toEqual(['Records: edit | Shift ⌘ Z | Redo'])
    expect(found('extend', true)).toEqual([
      'Records: select and fill | Shift ↑ / ↓ / ← / → | Extend the selection. With ⌘, to the edge',
    ])
    expect(found('no such thing')).toEqual([])
    // No key has two meanings in the same place, unless its text says when.
    for (const { shortcuts } of findShortcuts('', false)) {
      const keys = shortcuts.map((each) => each.keys)
      expect(new Set(keys).size).toBe(keys.length)
    }
  })

  it('are drawn as key caps, with their alternatives', () => {
    expect(keyCaps('Ctrl Shift F')).toEqual([['Ctrl', 'Shift', 'F']])
    expect(keyCaps('Tab / Shift Tab')).toEqual([['Tab'], ['Shift', 'Tab']])
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

  it('keeps everything if nothing is typed', () => {
    expect(findEntries(entries, '  ')).toEqual(entries)
  })

  it('finds words anywhere, matches at the beginning first, and keeps groups together', () => {
    expect(findEntries(entries, 'REP').map(({ label }) => label)).toEqual(['Reports', 'Alder & Finch'])
    expect(findEntries(entries, 'finch ald').map(({ label }) => label)).toEqual(['Alder & Finch'])
    expect(findEntries(entries, 'zebra')).toEqual([])
    const reports = ['Profit and loss by class', 'Profit and loss'].map((label): PaletteEntry => ({
      id: label,
      group: 'Reports',
      label,
      action: { what: 'screen', screen: 'reports' },
    }))
    expect(findEntries(reports, 'profit')).toEqual(reports.toReversed())
  })

  it('marks matches, and loses no letter', () => {
    expect(highlightMatch('Reports', 'po')).toEqual([
      { text: 'Re', isMatch: false },
      { text: 'po', isMatch: true },
      { text: 'rts', isMatch: false },
    ])
    expect(highlightMatch('Reports', 'x')).toEqual([{ text: 'Reports', isMatch: false }])
  })

  it('finds and marks text that is typed without accents, however they are encoded', () => {
    const found = (label: string, typed: string): string =>
      highlightMatch(label, typed)
        .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
        .join('')
    for (const [label, typed, shown] of [
      ['Brücke & Söhne', 'brucke', '[Brücke] & Söhne'],
      ['Bru\u0308cke GmbH', 'BRÜCKE', '[Bru\u0308cke] GmbH'],
      ['Alte Straße 4', 'strasse', 'Alte [Straße] 4'],
      ['Alte Strasse 4', 'straße', 'Alte [Strasse] 4'],
      ['Smørrebrød', 'brod', 'Smørre[brød]'],
      ['Cafe\u0301 Noir', 'cafe', '[Cafe\u0301] Noir'],
      ['Łódź', 'lodz', '[Łódź]'],
      ['Harbor Card Services', 'serv harbor', '[Harbor] Card [Serv]ices'],
      ['Anna', 'ann na', '[Ann][a]'],
    ] as const) {
      expect(findEntries([entry(label)], typed).map((each) => each.label)).toEqual([label])
      expect(found(label, typed)).toBe(shown)
    }
    // Marks of other scripts aren't accents.
    expect(findEntries([entry('की')], 'कु')).toEqual([])
  })
})

/** The minutes of the hour are enough to tell moments apart. */
const time = (iso: string): string => iso.slice(11, 16)

describe('the status line', () => {
  const statusText = (shown: RequestQueue | null, isConnected: boolean, shownCompany = ''): StatusText =>
    wordsOf(shown, isConnected, time, shownCompany)
  const running: QueueEntry = {
    entryId: 'entry',
    connectionId: 'main',
    companyName: 'Alder & Finch',
    company: null,
    what: 'Reading customers',
    isWrite: false,
    priority: 'interactive',
    batchId: '',
    state: 'running',
    queuedAt: '2026-11-21T09:00:00Z',
    startedAt: '2026-11-21T09:00:05Z',
    deadlineAt: null,
    pausesUntil: null,
    attempt: 1,
    attempts: 3,
    position: 0,
    progress: '',
    trouble: '',
  }
  const queue: RequestQueue = {
    connectionId: 'main',
    running: null,
    waiting: [],
    blockedUntil: null,
    blockedBy: null,
    paused: null,
    last: null,
  }

  it('says what a stopped batch left, as the list does, until it is working again', () => {
    const unsent = unsentText(2, new Format({ locale: 'en-US', negatives: 'minus' }))
    expect(unsent).toBe('2 changes wait to be sent')
    const shown = (given: RequestQueue | null): StatusText => wordsOf(given, true, time, 'Alder', unsent)
    const at = '2026-11-21T09:10:00Z'
    const last = {
      what: 'Sending customers',
      companyName: 'Alder',
      at,
      milliseconds: 9,
      ended: 'done',
    } as const
    for (const given of [null, queue, { ...queue, last }]) {
      expect(shown(given)).toMatchObject({
        state: 'rests',
        what: 'Ready · 2 changes wait to be sent',
        companyName: 'Alder',
        doneAt: null,
      })
    }
    expect(shown({ ...queue, running })).toMatchObject({ state: 'works', what: 'Reading customers' })
  })

  it('says what is running, since when, what waits, and what can be stopped', () => {
    expect(statusText({ ...queue, running, waiting: [running, running] }, true)).toMatchObject({
      state: 'works',
      what: 'Reading customers',
      companyName: 'Alder & Finch',
      since: '2026-11-21T09:00:05Z',
      waiting: 2,
      stoppable: { entryId: 'entry' },
    })
  })

  it('can only stop waiting for a change that is with the service', () => {
    expect(stopLabel(running)).toBe('Stop')
    expect(stopLabel({ ...running, isWrite: true })).toBe('Stop waiting')
    expect(stopLabel({ ...running, isWrite: true, state: 'backing-off' })).toBe('Stop')
  })

  it('says what a request waits for, and names a pause for a read only if nothing else holds it', () => {
    const paused = appError('paused', 'Paused by you.')
    const read: QueueEntry = { ...running, entryId: 'read', state: 'waiting', position: 1 }
    const write: QueueEntry = { ...read, isWrite: true }
    const waitOf = (mine: QueueEntry, shown: Partial<RequestQueue>): string | undefined =>
      queueWait({ ...queue, waiting: [mine], ...shown }, ({ entryId }) => entryId === 'read', time)?.text
    const forPause = 'Waiting until you resume this connection'
    expect(waitOf(write, { paused, running })).toBe(forPause)
    expect(waitOf(read, { paused, running })).toBe('Waiting in line: 1 ahead')
    expect(waitOf(read, { paused })).toBe(forPause)
    expect(waitOf(read, {})).toBeUndefined()
    expect(waitOf(read, { running: { ...read, state: 'running' } })).toBeUndefined()
  })

  it('says which try it is and by when the answer is due', () => {
    const second = { ...running, attempt: 2, deadlineAt: '2026-11-21T09:02:00Z', progress: '3 pages' }
    expect(statusText({ ...queue, running: second }, true).notes).toEqual([
      '3 pages',
      'try 2 of 3',
      'response due by 09:02',
    ])
    const paused = appError('paused', 'Paused by you.')
    expect(statusText({ ...queue, running: second, paused }, true).notes).toContain('then pauses')
  })

  it('doesn’t offer to stop an abandoned request again, and says until when its answer may arrive', () => {
    const status = statusText(
      { ...queue, running: { ...running, state: 'abandoned' }, blockedUntil: '2026-11-21T09:05:00Z' },
      true,
    )
    expect(status).toMatchObject({ stoppable: null, until: '2026-11-21T09:05:00Z' })
    expect(status.what).toContain('Nothing else will be sent until 09:05')
  })

  it('says until when and why the queue is blocked, and counts what waits', () => {
    const shut = { ...queue, blockedUntil: '2026-11-21T09:05:00Z' }
    const blockedBy = { what: 'Reading customers', companyName: 'Alder & Finch', reason: 'answer' } as const
    expect(statusText({ ...shut, blockedBy, waiting: [running, running] }, true)).toMatchObject({
      state: 'waits',
      what: 'Waiting until 09:05: the response to Reading customers · Alder & Finch may still arrive',
      waiting: 2,
      stoppable: { entryId: 'entry' },
    })
    // After a restart, it isn't known which request it was.
    expect(
      statusText({ ...shut, blockedBy: { ...blockedBy, what: '', companyName: '' } }, true).what,
    ).toContain('an earlier request')
  })

  it('says that the service asks to wait, with the try that waits for it, even if others wait before it', () => {
    const between: QueueEntry = {
      ...running,
      state: 'backing-off',
      attempt: 2,
      pausesUntil: '2026-11-21T09:00:04Z',
      trouble: 'The service is busy and asked Bookbridge to wait 4 seconds.',
    }
    const queued: QueueEntry = { ...running, state: 'waiting', what: 'Sending to customers', position: 1 }
    const shut = {
      ...queue,
      blockedUntil: '2026-11-21T09:00:04Z',
      blockedBy: { what: 'Reading customers', companyName: '', reason: 'asked' },
    } as const
    expect(statusText({ ...shut, waiting: [queued, between] }, true)).toMatchObject({
      what: expect.stringMatching(/^Reading customers: try 2 of 3 at 09:00/) as string,
      notes: ['The service is busy and asked Bookbridge to wait 4 seconds.'],
      waiting: 1,
    })
    expect(statusText({ ...shut, waiting: [queued] }, true).what).toMatch(
      /^Waiting until 09:00.*: the service asked Bookbridge to wait after Reading customers$/,
    )
  })

  it('says when the next try is, and why the last one failed', () => {
    const between: QueueEntry = {
      ...running,
      state: 'backing-off',
      attempt: 2,
      pausesUntil: '2026-11-21T09:01:00Z',
      trouble: 'The service is busy and asked Bookbridge to wait 30 seconds.',
    }
    expect(statusText({ ...queue, waiting: [between] }, true)).toMatchObject({
      what: 'Reading customers: try 2 of 3 at 09:01',
      notes: ['The service is busy and asked Bookbridge to wait 30 seconds.'],
      until: '2026-11-21T09:01:00Z',
    })
    const blockedUntil = '2026-11-21T09:00:05Z'
    expect(statusText({ ...queue, blockedUntil, waiting: [between] }, true).what).toContain('try 2 of 3')
    const shutLonger = '2026-11-21T09:01:05Z'
    expect(statusText({ ...queue, blockedUntil: shutLonger, waiting: [between] }, true).what).toContain(
      'Waiting until',
    )
    expect(retryNote(between, time)).toBe(
      'The service is busy and asked Bookbridge to wait 30 seconds. Try 2 of 3 at 09:01.',
    )
  })

  it('is shown in Activity by who waits, and for running requests by what is known', () => {
    const batch: QueueEntry = { ...running, state: 'waiting', priority: 'batch', entryId: 'batch' }
    const person: QueueEntry = { ...running, state: 'waiting', entryId: 'interactive' }
    const between: QueueEntry = { ...running, state: 'backing-off', entryId: 'between' }
    const parts = queueParts({ waiting: [person, batch, between] })
    expect(parts).toEqual({ parallel: [], foreground: [person], background: [batch], retrying: [between] })
    expect(runningNote({ ...running, deadlineAt: '2026-11-21T09:02:00Z' }, time)).toBe(
      'No response yet, response due by 09:02.',
    )
    expect(runningNote({ ...running, attempt: 2, trouble: 'Dropped.' }, time)).toBe(
      'No response yet, try 2 of 3 (before: Dropped).',
    )
    expect(runningNote({ ...running, pausesUntil: '2026-11-21T09:02:00Z' }, time)).toContain('a moment')
  })

  it('says why it is paused, what was last, and that there is no connection', () => {
    const paused = appError('unauthorized', 'The service refused the key.')
    expect(statusText({ ...queue, paused }, true)).toMatchObject({ state: 'pauses' })
    const last = {
      what: 'Read customers',
      companyName: '',
      at: '2026-11-21T09:00:00Z',
      milliseconds: 5,
      ended: 'failed' as const,
    }
    expect(statusText({ ...queue, last }, true)).toMatchObject({
      state: 'rests',
      what: 'Ready · Read customers: failed',
    })
    const stopped = { ...last, ended: 'stopped' as const }
    expect(statusText({ ...queue, last: stopped }, true).what).toBe('Ready · Read customers: stopped')
    const made = { ...last, what: 'Running Expenses by vendor', ended: 'done' as const }
    expect(statusText({ ...queue, last: made }, true)).toMatchObject({
      state: 'ready',
      what: 'Ready · ran Expenses by vendor',
    })
    const ofOther = { ...queue, last: { ...made, companyName: 'Alder' } }
    expect(statusText(ofOther, true, 'Alder').what).toBe('Ready · ran Expenses by vendor')
    expect(statusText(ofOther, true, 'Northgate')).toMatchObject({ what: 'Ready', companyName: '' })
    expect(statusText(ofOther, true)).toMatchObject({ what: 'Ready', companyName: '', doneAt: null })
    expect(statusText(queue, true)).toMatchObject({ state: 'ready', what: 'Ready' })
    expect(statusText(null, false)).toMatchObject({ state: 'rests', what: 'Not connected' })
    expect(statusText({ ...queue, running }, false)).toMatchObject({
      state: 'works',
      stoppable: running,
    })
  })
})

describe('the companies in the rail', () => {
  it('keep their positions when another one is opened, so that a second click opens the same company', () => {
    const first = railOrder([], ['a', 'b', 'c'], null, 6)
    expect(first).toEqual(['a', 'b', 'c'])
    // Opening c makes it the most recent; it stays where it was.
    expect(railOrder(first, ['c', 'a', 'b'], 'c', 6)).toEqual(first)
  })

  it('replace only the last position with one from elsewhere', () => {
    expect(railOrder(['a', 'b', 'c'], ['z', 'a', 'b', 'c'], 'z', 3)).toEqual(['a', 'b', 'z'])
  })

  it('omit companies that are gone', () => {
    expect(railOrder(['a', 'b', 'c'], ['c', 'a'], null, 3)).toEqual(['a', 'c'])
  })
})
