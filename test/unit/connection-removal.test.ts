/** **Remove connection**: held until it is known what would be lost, and as long as that cannot be found out. */
import { expect, test } from 'vitest'
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import { appError, err, ok } from '../../shared/result.ts'
import { isHeld, removalAfter } from '../../renderer/settings/removal.ts'
import { unfinishedSentence } from '../../renderer/settings/unfinished-sentence.ts'

const DRAFTS: UnfinishedItem = {
  kind: 'draft',
  count: 3,
  company: { connectionId: 'c1', endpointId: 'e1' },
  companyName: 'Alder & Finch',
  object: 'customer',
  since: '2026-03-01T09:02:00.000Z',
  provisioningId: '',
}

test('held while it is asked', () => {
  const removal = removalAfter(null)
  expect(removal).toEqual({ state: 'looking' })
  expect(isHeld(removal)).toBe(true)
})

test('held where it could not be found out, with the reason', () => {
  const error = appError('store', 'The file is locked.')
  const removal = removalAfter(err(error))
  expect(removal).toEqual({ state: 'unknown', error })
  expect(isHeld(removal)).toBe(true)
})

test('free once it is known, with what is lost in words', () => {
  const removal = removalAfter(ok([DRAFTS, { ...DRAFTS, kind: 'provisioning', companyName: 'Juniper.qbw' }]))
  expect(isHeld(removal)).toBe(false)
  expect(removal.state === 'unfinished' ? removal.items.map(unfinishedSentence) : []).toEqual([
    '3 drafts in Customers of Alder & Finch',
    'A company being set up: Juniper.qbw',
  ])
  expect(removalAfter(ok([]))).toEqual({ state: 'nothing-unfinished' })
  expect(isHeld(removalAfter(ok([])))).toBe(false)
})
