import { describe, expect, test } from 'vitest'
import { learnedLists } from '../../../renderer/settings/connections/connection-editor.svelte.ts'
import type { LearnedBehavior } from '../../../shared/contract/connections.ts'

const MINUTE = 60_000

const NOTHING: LearnedBehavior = {
  application: 'qbd',
  object: 'customer',
  kind: 'insert',
  isProven: false,
  isStopped: false,
  keepsNames: null,
  keepsExternalIds: null,
  returnsStoredValues: null,
  keepsIds: null,
  clockAhead: null,
  lag: null,
}

function sentences(...learned: readonly Partial<LearnedBehavior>[]): readonly string[] {
  return learnedLists(learned.map((each) => ({ ...NOTHING, ...each }))).flatMap((list) => list.sentences)
}

describe('what sending has shown about a service', () => {
  test('leaves out a list without knowledge', () => {
    expect(learnedLists([])).toEqual([])
    expect(learnedLists([NOTHING])).toEqual([])
  })

  test('is one entry per application and list', () => {
    const kept = { keepsNames: true } as const
    const titles = learnedLists([
      { ...NOTHING, ...kept },
      { ...NOTHING, kind: 'change', isProven: true },
      { ...NOTHING, ...kept, application: 'qbo' },
      { ...NOTHING, ...kept, object: 'PriceLevel' },
    ]).map(({ title }) => title)
    expect(titles).toEqual(['Customers (Desktop)', 'Customers (Online)', 'PriceLevel (Desktop)'])
  })

  test('says what comes back as sent, and what doesn’t', () => {
    expect(
      sentences({ keepsNames: true, keepsExternalIds: true, keepsIds: true, returnsStoredValues: true }),
    ).toEqual([
      'New records: names come back as sent, external IDs are kept, IDs are permanent.',
      'Responses to new records show what is stored.',
    ])
    expect(
      sentences({ keepsNames: false, keepsExternalIds: false, keepsIds: false, returnsStoredValues: false }),
    ).toEqual([
      'New records: names can come back changed, external IDs are not kept, IDs in responses are temporary.',
      'Responses to new records can differ from what is stored, so each one is read back.',
    ])
    expect(sentences({ keepsExternalIds: false })).toEqual(['New records: external IDs are not kept.'])
  })

  test.each([
    [0, 'Its clock agrees with this computer’s.'],
    [125 * MINUTE, 'Its clock is 2 h 5 min ahead of this computer’s.'],
    [-60 * MINUTE, 'Its clock is 1 h behind this computer’s.'],
    [-45_000, 'Its clock is 45 s behind this computer’s.'],
  ])('says how its clock differs by %i ms', (clockAhead, sentence) => {
    expect(sentences({ clockAhead })).toEqual([sentence])
  })

  test('says how late new records appear, and nothing if they appear immediately', () => {
    expect(sentences({ lag: 0 })).toEqual([])
    expect(sentences({ lag: 4 * MINUTE + 1 })).toEqual(['New records appear after up to 5 min.'])
  })

  test('says whether changes are proven or stopped', () => {
    expect(sentences({ kind: 'change', isProven: true })[0]).toMatch(/changed exactly what was sent/)
    expect(sentences({ kind: 'change' })[0]).toMatch(/the next one is sent alone/)
    expect(sentences({ kind: 'change', isProven: true, isStopped: true })[0]).toMatch(
      /^Changes are stopped, .+ Continue/,
    )
  })
})
