/** **Read them now**: lists that are deleted, requested again, or stopped meanwhile, and companies that refuse the key. */
import { describe, expect, test } from 'vitest'
import {
  BackgroundReader,
  type BackgroundReadingOptions,
} from '../../../electron/app/all-companies/background-reading.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'
import { appError, err, type ErrorKind, ok } from '../../../shared/result.ts'

const AT = '2026-04-01T08:00:00Z'
const listOf = (endpointId: string, object = 'customer') => ({
  company: { connectionId: 'c', endpointId },
  object,
})

/** A reader of companies that answer, and what it requested. */
function readerOf({
  whileReading = () => undefined,
  whileTesting = () => undefined,
  testsAccepted = false,
}: {
  readonly whileReading?: (endpointId: string) => void
  readonly whileTesting?: (endpointId: string) => void
  readonly testsAccepted?: boolean
} = {}) {
  const refusing = new Map<string, ErrorKind>()
  const deletedAt = new Map<string, number>()
  let deletions = 0
  const requests: string[] = []
  const keptLists: BackgroundReadingOptions['keptLists'] = {
    get deletions() {
      return deletions
    },
    wants: ({ endpointId }, since) => since >= (deletedAt.get(endpointId) ?? 0),
  }
  const reader: BackgroundReader = new BackgroundReader({
    reading: {
      async readToKeep({ ref: { endpointId } }, object, { isStopped }) {
        requests.push(`${endpointId} ${object}`)
        await Promise.resolve()
        whileReading(endpointId)
        if (isStopped()) return err(appError('stopped', 'Stopped.'))
        const kind = refusing.get(endpointId)
        return kind === undefined ? ok({ count: 1, reason: '' }) : err(appError(kind, `Refused: ${kind}.`))
      },
    },
    keptLists,
    companies: {
      find: (ref) => ok({ ref } as StoredCompany),
      test({ endpointId }, { priority }) {
        requests.push(`${priority} test of ${endpointId}`)
        whileTesting(endpointId)
        const kind = testsAccepted ? undefined : refusing.get(endpointId)
        return Promise.resolve(
          kind === undefined
            ? ok({ outcome: 'answered', milliseconds: 1, at: AT })
            : ok({ outcome: 'refused', error: appError(kind, `Refused: ${kind}.`), at: AT }),
        )
      },
    },
    noteSupport: () => Promise.resolve(),
    newId: () => 'b',
    stopEntry: () => undefined,
    changed: () => undefined,
    defect: (cause) => {
      throw cause as Error
    },
  })
  return {
    reader,
    requests,
    refusing,
    deleteCopies(endpointId: string): void {
      deletions += 1
      deletedAt.set(endpointId, deletions)
    },
    state: () => reader.state('c'),
  }
}

describe('Read them now', () => {
  test.for([
    ['waits', ['A', 'B'], ['A customer', 'B customer']],
    ['is being read', ['B', 'A'], ['B customer', 'A customer', 'B customer']],
  ] as const)(
    'reads a list again that is requested after its copies were deleted while it %s',
    async ([, first, expected]) => {
      let isAsked = false
      const world = readerOf({
        whileReading: () => {
          if (isAsked) return
          isAsked = true
          world.deleteCopies('B')
          world.reader.read('c', [listOf('B')])
        },
      })
      world.reader.read(
        'c',
        first.map((endpointId) => listOf(endpointId)),
      )
      await world.reader.ended('c')
      expect(world.requests).toEqual(expected)
      expect(world.state()).toMatchObject({ isRunning: false, failed: [] })
      expect(world.state()?.done).toBe(world.state()?.total)
    },
  )

  test.for([
    ['first', ['B', 'A', 'C'], ['B customer', 'interactive test of A', 'A customer', 'C customer']],
    ['later', ['A', 'B', 'C'], ['A customer', 'B customer', 'interactive test of A', 'C customer']],
  ] as const)(
    'skips and names a company that alone refuses the key, and reads the others: it comes %s',
    async ([, order, expected]) => {
      const { reader, requests, refusing, state } = readerOf()
      refusing.set('B', 'unauthorized')
      const lists = order.flatMap((endpointId) =>
        endpointId === 'B' ? [listOf('B'), listOf('B', 'vendor')] : [listOf(endpointId)],
      )
      reader.read('c', lists)
      await reader.ended('c')
      expect(requests).toEqual(expected)
      expect(state()).toMatchObject({ isRunning: false, done: 4, total: 4 })
      expect(
        state()?.failed.map(({ company, object, error }) => [company.endpointId, object, error.kind]),
      ).toEqual([
        ['B', 'customer', 'unauthorized'],
        ['B', 'vendor', 'unauthorized'],
      ])
    },
  )

  test.for(['service-error', 'timed-out'] as const)(
    'reads a list again that failed (%s) and is requested while another is read, and no longer names it',
    async (kind) => {
      const world = readerOf({
        whileReading: (endpointId) => {
          if (endpointId !== 'B') return
          world.refusing.delete('A')
          world.reader.read('c', [listOf('A')])
        },
      })
      world.refusing.set('A', kind)
      world.reader.read('c', [listOf('A'), listOf('B')])
      await world.reader.ended('c')
      expect(world.requests).toEqual(['A customer', 'B customer', 'A customer'])
      expect(world.state()).toMatchObject({ isRunning: false, failed: [], done: 3, total: 3 })
    },
  )

  test('reads a list that is requested right after a stop, once the current request has ended', async () => {
    const world = readerOf({
      whileReading: (endpointId) => {
        if (endpointId !== 'A') return
        world.reader.stop('c')
        world.reader.read('c', [listOf('B')])
        expect(world.requests).toEqual(['A customer'])
      },
    })
    world.reader.read('c', [listOf('A'), listOf('C')])
    await world.reader.ended('c')
    await world.reader.ended('c')
    expect(world.requests).toEqual(['A customer', 'B customer'])
    expect(world.state()).toMatchObject({ isRunning: false, failed: [], done: 1, total: 1 })
  })

  test.for([
    ['every request', false, ['A customer', 'interactive test of B']],
    ['lists, but not for tests', true, ['A customer', 'interactive test of B', 'B customer']],
  ] as const)('ends once a second company refuses the key for %s', async ([, testsAccepted, expected]) => {
    const { reader, requests, refusing, state } = readerOf({ testsAccepted })
    for (const endpointId of ['A', 'B', 'C']) refusing.set(endpointId, 'unauthorized')
    reader.read('c', [listOf('A'), listOf('B'), listOf('C')])
    await reader.ended('c')
    expect(requests).toEqual(expected)
    expect(state()?.isRunning).toBe(false)
    expect(state()?.failed.map(({ company }) => company.endpointId)).toEqual(['A', 'B'])
  })

  test('ends once a second company in a row refuses the key for lists, though one answered before', async () => {
    const { reader, requests, refusing, state } = readerOf({ testsAccepted: true })
    for (const endpointId of ['B', 'C', 'D']) refusing.set(endpointId, 'unauthorized')
    reader.read(
      'c',
      ['A', 'B', 'C', 'D'].map((endpointId) => listOf(endpointId)),
    )
    await reader.ended('c')
    expect(requests).toEqual(['A customer', 'B customer', 'interactive test of A', 'C customer'])
    expect(state()?.failed.map(({ company }) => company.endpointId)).toEqual(['B', 'C'])
  })

  test('continues if a company between two that refuse the key accepts it, even for a list that fails', async () => {
    const { reader, requests, refusing } = readerOf({ testsAccepted: true })
    for (const endpointId of ['A', 'C']) refusing.set(endpointId, 'unauthorized')
    refusing.set('B', 'service-error')
    reader.read(
      'c',
      ['A', 'B', 'C', 'D'].map((endpointId) => listOf(endpointId)),
    )
    await reader.ended('c')
    expect(requests.filter((request) => request.endsWith('customer'))).toEqual(
      ['A', 'B', 'C', 'D'].map((endpointId) => `${endpointId} customer`),
    )
  })

  test('reads companies that refused the key before after the others, and isn’t ended by them', async () => {
    const { reader, requests, refusing, state } = readerOf({ testsAccepted: true })
    for (const endpointId of ['A', 'B']) refusing.set(endpointId, 'unauthorized')
    const lists = ['A', 'B', 'C', 'D'].map((endpointId) => listOf(endpointId))
    reader.read('c', lists)
    await reader.ended('c')
    requests.splice(0)
    reader.read('c', lists)
    await reader.ended('c')
    expect(requests.filter((request) => request.endsWith('customer'))).toEqual(
      ['C', 'D', 'A', 'B'].map((endpointId) => `${endpointId} customer`),
    )
    expect(state()).toMatchObject({ done: 4, total: 4 })
  })

  test('reads a list again that is requested while another company is tested', async () => {
    const world = readerOf({
      whileTesting: () => {
        world.refusing.clear()
        world.reader.read('c', [listOf('B')])
      },
    })
    world.refusing.set('B', 'unauthorized')
    world.reader.read('c', [listOf('A'), listOf('B')])
    await world.reader.ended('c')
    expect(world.requests).toEqual(['A customer', 'B customer', 'interactive test of A', 'B customer'])
    expect(world.state()).toMatchObject({ isRunning: false, failed: [], done: 3, total: 3 })
  })
})
