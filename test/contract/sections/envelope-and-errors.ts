// Specification, sections 2.1, 5, and 7: the envelope, the key, and how errors are reported.
import { describe, expect, it } from 'vitest'
import { call, codeOf, companyOf, goodEnvelopeOf, refusedEnvelopeOf } from '../service-client.ts'
import { isSample, type ServiceUnderTest } from '../service-under-test.ts'

/** Declares the tests. They call `service` when they run. */
export function describeEnvelopeAndErrors(service: () => ServiceUnderTest): void {
  describe('section 2.1, the envelope', () => {
    it('has every member, with one item for each company', async () => {
      const envelope = goodEnvelopeOf(await call(service(), '/v2/Manage/endpoint'))
      expect(envelope.Page).toBe(1)
      expect(envelope.Contents.length).toBeGreaterThan(0)
    })

    it('names each request with its own ID', async () => {
      const ids = new Set<string>()
      for (let count = 0; count < 3; count++) {
        ids.add(goodEnvelopeOf(await call(service(), '/v2/Manage/endpoint')).RequestId)
      }
      expect(ids.size).toBe(3)
    })

    it('returns booleans, amounts, and timestamps as strings', async () => {
      const company = await companyOf(service(), 'qbd')
      if (company === undefined && !isSample) return
      expect(company).toBeDefined()
      const answer = await call(service(), `/v2/data/${company?.endpointId ?? ''}/customer`)
      for (const item of goodEnvelopeOf(answer).Contents) {
        expect(item.Kind).toBe('customer')
        const record = item.Object ?? {}
        expect(['true', 'false', '']).toContain(record['IsActive'] ?? '')
        expect(record['Balance'] ?? '').toMatch(/^(-?\d+\.\d{2})?$/)
        expect(record['CreatedDate']).toMatch(
          /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
        )
      }
    })
  })

  describe('section 5, authentication', () => {
    it.each([
      ['a wrong key', { 'x-api-key': 'not-the-key' }],
      ['an empty key', { 'x-api-key': '' }],
    ])('refuses %s', async (_words, headers) => {
      const answer = await call(service(), '/v2/Manage/endpoint', { headers })
      expect([401, 403]).toContain(answer.status)
      expect(answer.text).not.toContain(service().key)
    })

    it('refuses the v1 header on v2', async () => {
      const headers = { 'x-api-key': '', authorization: service().key }
      expect([401, 403]).toContain((await call(service(), '/v2/Manage/endpoint', { headers })).status)
    })
  })

  describe.runIf(isSample)('section 7, errors of the whole request', () => {
    it('reports an unknown company', async () => {
      const envelope = refusedEnvelopeOf(await call(service(), '/v2/data/no-such-company/customer'))
      expect(codeOf(envelope.Errors?.[0])).toBe('CompanyNotFound')
      expect(envelope.Contents).toEqual([])
    })

    it('reports an unknown object', async () => {
      const company = await companyOf(service(), 'qbd')
      const path = `/v2/data/${company?.endpointId ?? ''}/unicorn`
      expect(codeOf(refusedEnvelopeOf(await call(service(), path)).Errors?.[0])).toBe('UnknownObject')
    })

    it('reports a body that isn’t JSON, and does nothing', async () => {
      const company = await companyOf(service(), 'qbd')
      const path = `/v2/data/${company?.endpointId ?? ''}/customer`
      const answer = await call(service(), path, { method: 'POST', rawBody: '{"Name": "Half' })
      expect(codeOf(refusedEnvelopeOf(answer).Errors?.[0])).toBe('BadJson')
    })

    it('reports an unknown path or method', async () => {
      expect((await call(service(), '/v2/nowhere')).status).toBe(404)
      expect((await call(service(), '/v2/manage/endpoint', { method: 'DELETE' })).status).toBe(405)
      expect((await call(service(), '/v3/manage/endpoint')).status).toBe(404)
    })
  })
}
