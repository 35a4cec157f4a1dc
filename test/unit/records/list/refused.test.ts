/** Errors in place of records: which ones mean that a record is gone, and that none of them gets lost. */
import { expect, test } from 'vitest'
import { RecordSet } from '../../../../electron/rows/records/record-set.ts'
import { saysRecordIsGone } from '../../../../electron/service/errors/service-errors.ts'
import { decodeErrors } from '../../../../electron/service/protocol/envelope.ts'
import { stampOf } from '../../../../renderer/records/screen/progress.ts'
import type { OpenedSet } from '../../../../shared/contract/records.ts'
import { Format } from '../../../../shared/format/format.ts'
import { value } from '../../../result.ts'
import { standIn } from './stand-in.ts'

function gone(application: string, entry: object | string, status = 200): boolean {
  return decodeErrors([entry]).every((error) => saysRecordIsGone(application, error, status))
}

test('only its application’s codes mean that a record is gone', () => {
  expect(gone('qbd', { Code: 3120, Message: 'Object not found.' })).toBe(true)
  expect(gone('QBD', { Code: '0500', Severity: 'Warn', Message: 'Nothing found.' }, 404)).toBe(true)
  expect(gone('qbd', '3120: Object not found.')).toBe(true)
  expect(gone('qbo', { Code: '610', Message: 'Object Not Found' }, 400)).toBe(true)
  for (const [application, code] of [
    ['qbd', '80040408'],
    ['qbd', '3175'],
    ['qbd', '610'],
    ['qbo', '500'],
    ['qbo', '3120'],
    ['', '3120'],
    ['qbd', ''],
  ] as const) {
    expect(gone(application, { Code: code, Message: 'Not found.' }), `${application} ${code}`).toBe(false)
  }
})

test('500 is also a failing server’s status, and then says nothing about a record', () => {
  expect(gone('qbd', { Code: 500, Severity: 'Error', Message: 'Not found.' })).toBe(false)
  expect(gone('qbd', { Code: 500, Message: 'Internal server error' })).toBe(false)
  expect(gone('qbd', { Code: 500, Message: 'Not found.' }, 500)).toBe(false)
  expect(gone('qbd', { Code: 500, Severity: 'Warn', Message: 'The agent is not running.' })).toBe(false)
})

test('however many errors come with records, only those in place of a record are reported', () => {
  const warned = Array.from({ length: 150 }, (_, index) => ({ Object: { ID: `${index}` }, Errors: ['Odd.'] }))
  const refused = { Object: null, Errors: ['Not readable.'] }
  for (const Contents of [
    [...warned, refused],
    [...warned, { Errors: ['Not readable.'] }],
  ]) {
    const block = new TextEncoder().encode(JSON.stringify({ Contents, HasErrors: true }))
    const set = new RecordSet()
    const page = value(set.addPage({ status: 200, contentType: '', blocks: [block], length: block.length }))
    expect(page).toMatchObject({ count: 150, empty: 0, hasUnlistedErrors: false })
    expect(page.recordErrors).toHaveLength(100)
    expect(page.refusals).toMatchObject([[{ message: 'Not readable.' }]])
  }
})

test('an ID with only an error beside it is counted, but isn’t a record of the list', () => {
  const warned = { Object: { ID: '1', Name: 'Ash' }, Errors: ['Odd.'] }
  const bare = [{ ID: '2' }, { ID: '3', Name: '', FullName: null }, { id: '4' }].map((each) => ({
    Object: each,
    Errors: ['In use.'],
  }))
  for (const isSlow of [false, true]) {
    const Contents = [warned, ...bare, { Object: { ID: '5' } }]
    const text = JSON.stringify(isSlow ? { CONTENTS: Contents } : { Contents })
    const block = new TextEncoder().encode(text)
    const set = new RecordSet()
    const page = value(set.addPage({ status: 200, contentType: '', blocks: [block], length: block.length }))
    expect(page).toMatchObject({ count: 5, added: 2, bare: 3, twins: 0, empty: 0, refusals: [] })
    expect(page.recordErrors.map(({ name, isBare }) => [name, isBare])).toEqual([
      ['Ash', false],
      ['2', true],
      ['3', true],
      ['4', true],
    ])
    expect([...set.records(0, 9)].map(({ ID }) => ID)).toEqual(['1', '5'])
  }
})

test('the window explains a partial list with the error’s message', () => {
  const set = standIn<OpenedSet>({
    object: 'customer',
    count: 10,
    readAt: '2026-03-02T12:00:00Z',
    filter: { modifiedFrom: null, modifiedTo: null, ids: [] },
    isWhole: false,
    partialReason: 'The service says: Not readable.',
  })
  const format = new Format({ locale: 'en-GB', negatives: 'minus', timeZone: 'UTC' })
  expect(stampOf(set, null, new Date(set.readAt), format)).toMatchObject({
    extent: 'not the whole list: The service says: Not readable.',
    isWhole: false,
  })
})
