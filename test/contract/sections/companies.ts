// Specification, sections 2.5, 3, 4.4, 4.5, and 4.6: users, provisioning, de-provisioning, and the list of companies.
import { describe, expect, it } from 'vitest'
import {
  call,
  callLegacy,
  codeOf,
  goodEnvelopeOf,
  recordOf,
  refusedEnvelopeOf,
  textOf,
} from '../service-client.ts'
import { isSample, type ServiceUnderTest } from '../service-under-test.ts'

const FIELDS = ['companyName', 'fullPath', 'version', 'dateTimeCreated', 'dateTimeLastAccess', 'endpoint']
const MORE_FIELDS = [
  'endpointId',
  'id',
  'isActive',
  'userId',
  'token',
  'externalId',
  'appName',
  'isHostedNetworks',
]

/** Declares the tests. They call `service` when they run. De-provisioning is tested only with the sample. */
export function describeCompanies(service: () => ServiceUnderTest): void {
  const list = async (query = ''): Promise<Record<string, unknown>[]> =>
    goodEnvelopeOf(await call(service(), `/v2/Manage/endpoint${query}`)).Contents.map(recordOf)

  describe('section 4.6, list companies', () => {
    it('returns a record for each company with the fields of section 2.5', async () => {
      for (const record of await list()) {
        for (const field of [...FIELDS, ...MORE_FIELDS]) expect(record, field).toHaveProperty(field)
        expect(['qbd', 'qbo']).toContain(record['endpoint'])
      }
    })

    it('separates active companies from inactive ones', async () => {
      const all = await list()
      const active = await list('?isactive=true')
      const inactive = await list('?isactive=false')
      expect(active.length + inactive.length).toBe(all.length)
      expect(active.every((record) => record['isActive'] === 'true')).toBe(true)
      expect(inactive.every((record) => record['isActive'] === 'false')).toBe(true)
    })
  })

  describe.runIf(isSample)('sections 4.4 and 4.5, from a new user to an inactive company', () => {
    it('creates a user, provisions the file that is open, and de-provisions it', async () => {
      const before = await list()
      const user = goodEnvelopeOf(await call(service(), '/v2/manage/user', { method: 'POST', body: {} }))
      const userId = textOf(recordOf(user.Contents[0]), 'userId')
      const body = { userId, endpoint: 'qbd' }
      const provisioned = goodEnvelopeOf(
        await call(service(), '/v2/manage/company', { method: 'POST', body }),
      )
      expect(provisioned.Contents[0]?.Kind).toBe('company')
      const company = recordOf(provisioned.Contents[0])
      expect(company).toMatchObject({ companyName: 'Juniper Ridge Veterinary', isActive: 'true', userId })
      const endpointId = textOf(company, 'endpointId')
      expect(before.map((record) => record['endpointId'])).not.toContain(endpointId)
      goodEnvelopeOf(await call(service(), `/v2/data/${endpointId}/customer`))

      const off = goodEnvelopeOf(
        await call(service(), '/v2/Manage/endpoint', {
          method: 'PATCH',
          body: { endpointId, isActive: 'false' },
        }),
      )
      expect(off.Contents[0]?.Kind).toBe('collection')
      expect(recordOf(off.Contents[0])).toMatchObject({ endpointId, isActive: 'false' })
      const inactive = await list('?isactive=false')
      expect(inactive.map((record) => record['endpointId'])).toContain(endpointId)
      const refused = refusedEnvelopeOf(await call(service(), `/v2/data/${endpointId}/customer`))
      expect(codeOf(refused.Errors?.[0])).toBe('CompanyInactive')
    })

    it('returns a new record when the file is provisioned again', async () => {
      const inactive = new Set((await list('?isactive=false')).map((record) => record['endpointId']))
      const [first] = await list('?isactive=true')
      const body = { userId: first?.['userId'], endpoint: 'qbd' }
      const again = goodEnvelopeOf(await call(service(), '/v2/manage/company', { method: 'POST', body }))
      expect(recordOf(again.Contents[0])['companyName']).toBe('Juniper Ridge Veterinary')
      expect(inactive.has(recordOf(again.Contents[0])['endpointId'])).toBe(false)
    })

    it.each([
      ['an unknown user', { userId: 'nobody', endpoint: 'qbd' }, 'UnknownUser'],
      ['no user', { endpoint: 'qbd' }, 'MissingParameter'],
    ])('refuses to provision for %s', async (_words, body, code) => {
      const answer = await call(service(), '/v2/manage/company', { method: 'POST', body })
      expect(codeOf(refusedEnvelopeOf(answer).Errors?.[0])).toBe(code)
    })

    it('can’t be activated again (section 3)', async () => {
      const [inactive] = await list('?isactive=false')
      const body = { endpointId: inactive?.['endpointId'], isActive: 'true' }
      refusedEnvelopeOf(await call(service(), '/v2/Manage/endpoint', { method: 'PATCH', body }))
    })
  })
}

interface LegacyAnswer {
  readonly Meta: { readonly StatusCode: string; readonly Message: string }
  readonly Detail: readonly Record<string, unknown>[]
}

/** Declares the tests of sections 2.6 and 4.7. */
export function describeLegacy(service: () => ServiceUnderTest): void {
  const list = async (query = ''): Promise<LegacyAnswer> =>
    (await callLegacy(service(), `/v1/manage/Endpoint${query}`)).json as LegacyAnswer

  describe('section 4.7, the older service', () => {
    it('returns its records in the v1 envelope (2.6) with their number', async () => {
      const { Meta, Detail } = await list()
      expect(Meta.StatusCode).toBe('0')
      expect(Meta.Message).toContain(String(Detail.length))
      const fields = [
        'isActive',
        'endpointId',
        'endpoint',
        'fullPath',
        'companyName',
        'dateTimeCreated',
        'appName',
      ]
      for (const record of Detail) {
        for (const field of fields) expect(record).toHaveProperty(field)
      }
    })

    it('filters by IsActive', async () => {
      const [all, active, inactive] = [
        await list(),
        await list('?IsActive=true'),
        await list('?IsActive=false'),
      ]
      expect(active.Detail.length + inactive.Detail.length).toBe(all.Detail.length)
    })

    it('refuses the v2 header', async () => {
      const answer = await callLegacy(service(), '/v1/manage/Endpoint', {
        headers: { 'x-api-key': service().key },
      })
      expect([401, 403]).toContain(answer.status)
    })

    it.runIf(isSample)('sets a company inactive', async () => {
      const old = (await list('?IsActive=true')).Detail.find((record) =>
        String(record['companyName']).startsWith('Weatherby'),
      )
      const body = { endpointId: old?.['endpointId'], isActive: 'false' }
      const answer = await callLegacy(service(), '/v1/manage/Endpoint', { method: 'PATCH', body })
      expect(answer.json).toMatchObject({ Meta: { StatusCode: '0' }, Detail: [{ isActive: 'false' }] })
      expect((await list('?IsActive=false')).Detail.map((record) => record['endpointId'])).toContain(
        body.endpointId,
      )
    })
  })
}
