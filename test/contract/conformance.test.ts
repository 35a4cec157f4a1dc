// The specification, section by section, over HTTP: against the sample on loopback by default, or any other service
// (service-under-test.ts). It is one file, so that there is never more than one request at a time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeCompanies, describeLegacy } from './sections/companies.ts'
import { describeEnvelopeAndErrors } from './sections/envelope-and-errors.ts'
import { describeMetadata } from './sections/metadata.ts'
import { describeRecords } from './sections/records.ts'
import { describeReports } from './sections/reports.ts'
import { call } from './service-client.ts'
import { hasLegacy, isSample, openServiceUnderTest, type ServiceUnderTest } from './service-under-test.ts'

let opened: ServiceUnderTest | undefined

function service(): ServiceUnderTest {
  if (opened === undefined) throw new Error('The service is asked before it is there')
  return opened
}

beforeAll(async () => {
  opened = await openServiceUnderTest()
})
afterAll(async () => {
  await opened?.close()
})

describeEnvelopeAndErrors(service)
describeRecords(service)
describeReports(service)
describeMetadata(service)
describeCompanies(service)
describe.runIf(hasLegacy)('v1', () => {
  describeLegacy(service)
})

describe.runIf(isSample)('section 8.1, one request at a time', () => {
  it('refuses a second request while one is running', async () => {
    const answers = await Promise.all([
      call(service(), '/v2/Manage/endpoint'),
      call(service(), '/v2/Manage/endpoint?isactive=true'),
    ])
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
  })
})
