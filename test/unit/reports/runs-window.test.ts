// A run of reports in the window: what it says about each company.
import '../runes.ts'
import { expect, test } from 'vitest'
import { formatCompanyState, formatContact, formatItem } from '../../../renderer/reports/runs/runs.svelte.ts'
import type { RunItem } from '../../../shared/reports/runs.ts'
import { appError } from '../../../shared/result.ts'

function item(state: RunItem['state'], more: Partial<RunItem> = {}): RunItem {
  const name = 'BalanceSheetStandard'
  return {
    ...{ itemId: 'i', endpointId: 'e', name, offeredName: name, state, error: null },
    ...{ files: [], fingerprints: [], totals: 'agree', findings: 0, notes: [] },
    ...more,
  }
}

test('a company whose reports are all made and add up needs no attention', () => {
  expect(formatCompanyState([item('done'), item('done'), item('not-offered')])).toEqual({
    text: '2 of 2 reports · totals agree',
    outcome: 'saved',
    needsAttention: false,
  })
})

test('what failed, was skipped, or doesn’t add up is counted, and the worst decides the sign', () => {
  const caution = item('done', { totals: 'wrong', findings: 2 })
  expect(formatCompanyState([item('done'), caution])).toEqual({
    text: '2 of 2 reports · 1 to look at',
    outcome: 'caution',
    needsAttention: true,
  })
  expect(formatCompanyState([item('done'), caution, item('failed'), item('skipped')])).toEqual({
    text: '2 of 4 ready · 1 failed · 1 skipped · 1 to look at',
    outcome: 'not-accepted',
    needsAttention: true,
  })
})

test('totals agree only in reports in which a total was checked', () => {
  const unchecked = item('done', { totals: 'unchecked' })
  const saved = { outcome: 'saved', needsAttention: false }
  expect(formatCompanyState([item('done'), unchecked])).toEqual({
    text: '2 of 2 reports · totals agree in 1 of 2',
    ...saved,
  })
  expect(formatCompanyState([unchecked])).toEqual({ text: '1 of 1 report · no total was checked', ...saved })
  expect(formatItem(unchecked, { applicationName: 'Desktop', contactError: null })).toEqual({
    text: 'ready; no total was checked',
    outcome: 'saved',
  })
})

test('totals aren’t mentioned until all are made', () => {
  expect(formatCompanyState([item('done'), item('running')])).toMatchObject({
    text: '1 of 2 ready',
    outcome: 'sending',
  })
  expect(formatCompanyState([item('waiting')])).toMatchObject({ text: '0 of 1 ready', outcome: 'waiting' })
  expect(formatCompanyState([item('not-offered')])).toMatchObject({ text: '0 of 0 ready', outcome: null })
})

test('a company that refuses the key isn’t called silent, and one that was skipped waits for nothing', () => {
  const silent = { contact: 'silent', contactError: appError('timed-out', 'No response.') } as const
  const refused = { contact: 'silent', contactError: appError('unauthorized', 'Refused.') } as const
  expect(formatContact(silent, [item('done'), item('waiting')])).toBe('· silent')
  expect(formatContact(refused, [item('waiting')])).toBe('· key refused')
  for (const company of [silent, refused]) expect(formatContact(company, [item('skipped')])).toBe('')
  const skipped = (company: typeof silent | typeof refused) =>
    formatItem(item('skipped'), { ...company, applicationName: 'Desktop' }).text
  expect([silent, refused].map(skipped)).toEqual([
    'skipped: the company couldn’t be reached',
    'skipped: the key was refused',
  ])
})
