import { describe, expect, it } from 'vitest'
import { createBatchNotifier } from '../../../../electron/app/program/activity.ts'
import type { Batch } from '../../../../shared/contract/records.ts'

const BATCH: Batch = {
  batchId: 'b',
  company: { connectionId: 'c', endpointId: 'e' },
  object: 'customer',
  phase: 'sending',
  total: 3,
  sent: 3,
  saved: 2,
  undone: 0,
  notAccepted: 1,
  notConfirmed: 0,
  decisions: 0,
  changedMeanwhile: 0,
  unsent: 0,
  error: null,
}

/** The text of the notification when a batch ends. */
function textAtEnd(batch: Batch): string {
  let text = ''
  createBatchNotifier(
    { notify: (_title, body) => (text = body) },
    { facts: () => null },
  )({
    ...batch,
    phase: 'done',
  })
  return text
}

describe('the end of a batch', () => {
  it('is announced once, with the outcomes and the company', () => {
    const told: string[] = []
    const notice = createBatchNotifier(
      { notify: (title, body) => told.push(`${title}: ${body}`) },
      {
        facts: () => ({
          application: 'qbd',
          displayName: 'Alder & Finch',
          isReadOnly: false,
          isActive: true,
        }),
      },
    )
    notice(BATCH)
    notice({ ...BATCH, phase: 'done' })
    notice({ ...BATCH, phase: 'done' })
    expect(told).toEqual(['Customers of Alder & Finch: 2 saved, 1 not accepted.'])
  })

  it('is announced again if it was resumed after a stop', () => {
    let count = 0
    const notice = createBatchNotifier({ notify: () => (count += 1) }, { facts: () => null })
    notice({ ...BATCH, phase: 'stopped' })
    notice({ ...BATCH, phase: 'sending' })
    notice({ ...BATCH, phase: 'done' })
    expect(count).toBe(2)
  })

  it('lists undone changes separately from saved ones', () => {
    expect(textAtEnd({ ...BATCH, saved: 1, undone: 1, notAccepted: 0 })).toBe('1 change undone.')
    expect(textAtEnd({ ...BATCH, saved: 5, undone: 3, notAccepted: 0 })).toBe('2 saved, 3 changes undone.')
  })

  it('says so if nothing was sent', () => {
    expect(textAtEnd({ ...BATCH, saved: 0, notAccepted: 0 })).toBe('Nothing was sent.')
  })
})
