// De-provisioning in the window: which company is next after a refusal, and what the confirmations mean together.
import { describe, expect, test } from 'vitest'
import {
  formatConfirmation,
  headingOf,
  verdictOf,
} from '../../../renderer/companies/deprovision/confirmations.svelte.ts'
import { nextToSend, type Sendable } from '../../../renderer/companies/deprovision/deprovision.svelte.ts'
import type { Confirmation } from '../../../shared/contract/companies.ts'
import { appError, type ErrorKind } from '../../../shared/result.ts'

describe('one of several that is certainly refused', () => {
  const item = (name: string, change: Partial<Sendable> = {}) => ({
    name,
    isOpen: true,
    error: null,
    service: 'v2' as const,
    ...change,
  })
  const refused = (kind: ErrorKind, service: Sendable['service'] = 'v2') =>
    item('refused', { error: appError(kind, 'No.'), service })

  test('blocks no other company if only it is affected', () => {
    expect(nextToSend([refused('service-error'), item('next')])?.name).toBe('next')
    expect(nextToSend([refused('company-unavailable'), refused('not-found')])).toBeUndefined()
  })

  test('blocks those of its service if the key or the connection is affected', () => {
    const older = [refused('unauthorized', 'v1'), item('other older', { service: 'v1' }), item('next')]
    expect(nextToSend(older)?.name).toBe('next')
    expect(nextToSend([refused('unauthorized'), item('held up')])).toBeUndefined()
  })

  test('ends the run if the user stopped it or nothing can be journaled', () => {
    expect(nextToSend([refused('stopped'), item('next', { service: 'v1' })])).toBeUndefined()
    expect(nextToSend([refused('store'), item('next')])).toBeUndefined()
  })

  test('skips companies that are done or skipped', () => {
    expect(nextToSend([item('done', { isOpen: false }), item('next')])?.name).toBe('next')
  })
})

describe('the confirmations together', () => {
  const outcome = (isDeprovisioned: boolean, ...results: Confirmation['result'][]) => ({
    deprovisioningId: 'd',
    sentAt: '2026-11-21T09:00:00Z',
    isDeprovisioned,
    confirmations: results.map((result, index) => ({
      what: (['answer', 'inactive-list', 'data-call'] as const)[index] ?? 'answer',
      result,
      says: '',
      requestId: '',
      at: '2026-11-21T09:00:00Z',
    })),
  })

  test('mean still active if response and list deny it, and uncertain if anything confirms it or is unclear', () => {
    expect(verdictOf(outcome(false, 'denied', 'denied', 'denied'))).toBe('denied')
    expect(verdictOf(outcome(false, 'denied', 'denied'))).toBe('denied')
    expect(verdictOf(outcome(false, 'denied', 'denied', 'unclear'))).toBe('denied')
    expect(verdictOf(outcome(false, 'denied', 'denied', 'confirmed'))).toBe('unsure')
    expect(verdictOf(outcome(false, 'denied', 'unclear', 'denied'))).toBe('unsure')
    expect(verdictOf(outcome(true, 'confirmed', 'confirmed', 'unclear'))).toBe('done')
    expect(headingOf('denied', 'Finch')).toBe('Not de-provisioned: Finch')
  })

  test('each say their result, also if they confirm it', () => {
    const said = (what: Confirmation['what'], result: Confirmation['result']): string => {
      const text = formatConfirmation({ what, result })
      return `${text.title} ${text.result}`
    }
    expect(said('answer', 'confirmed')).toBe('The service’s response says it’s inactive')
    expect(said('inactive-list', 'confirmed')).toBe('The list of inactive companies includes it')
    expect(said('data-call', 'confirmed')).toBe('A test request to this company was refused, as expected')
    expect(said('data-call', 'denied')).toBe('A test request to this company denies it')
  })
})
