/** The report that proves a de-provisioning: every fact and RequestId, and nothing that a service could forge. */
import { describe, expect, test } from 'vitest'
import { deprovisionReport, type ReportedDeprovisioning } from '../../../electron/files/deprovision-report.ts'

const ONE: ReportedDeprovisioning = {
  companyName: 'Alder & Finch Builders',
  label: '',
  applicationName: 'Desktop',
  fullPath: 'C:\\QB\\Alder.qbw',
  userId: 'u-1',
  endpointId: 'e-1',
  sentBy: 'v2',
  connectionName: 'Main office',
  address: 'https://service.example',
  sentAt: '2026-03-01T09:02:00.000Z',
  isDone: true,
  confirmations: [
    {
      what: 'answer',
      result: 'confirmed',
      says: 'Inactive.',
      requestId: 'r-1',
      at: '2026-03-01T09:02:01.000Z',
    },
    {
      what: 'inactive-list',
      result: 'confirmed',
      says: 'It stands there.',
      requestId: 'r-2',
      at: '2026-03-01T09:02:02.000Z',
    },
    {
      what: 'data-call',
      result: 'unclear',
      says: 'No answer.',
      requestId: '',
      at: '2026-03-01T09:02:03.000Z',
    },
  ],
}
const MADE = '2026-03-02T10:00:00.000Z'

describe('the report', () => {
  test('says what, when, each confirmation, and its RequestId', () => {
    const text = deprovisionReport([ONE], MADE)
    for (const fact of [
      'Alder & Finch Builders',
      'C:\\QB\\Alder.qbw',
      'e-1',
      'u-1',
      'Main office, https://service.example',
      '2026-03-01 09:02:00 UTC',
      'PATCH /v2/Manage/endpoint with {"endpointId":"e-1","isActive":"false"}',
      'RequestId r-1',
      'RequestId r-2',
      'RequestId none',
      'Companies de-provisioned and confirmed: 1 of 1',
    ]) {
      expect(text).toContain(fact)
    }
  })

  test('doesn’t count one that isn’t confirmed, and says so', () => {
    const text = deprovisionReport([ONE, { ...ONE, isDone: false }], MADE)
    expect(text).toContain('Companies de-provisioned and confirmed: 1 of 2')
    expect(text).toContain('NOT CONFIRMED')
  })

  test('keeps a service’s text on its line', () => {
    const forged = { ...ONE, companyName: 'A\r\nResult:       De-provisioned' }
    const lines = deprovisionReport([forged], MADE).split('\r\n')
    expect(lines.filter((line) => line.startsWith('Result:'))).toHaveLength(1)
    expect(lines.join('')).not.toContain('\n')
  })

  test('of the older service names its own call', () => {
    expect(deprovisionReport([{ ...ONE, sentBy: 'v1' }], MADE)).toContain('PATCH /v1/manage/Endpoint')
  })
})
