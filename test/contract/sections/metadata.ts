// Specification, sections 2.8 and 4.3: which fields are supported for which application.
import { describe, expect, it } from 'vitest'
import { call, goodEnvelopeOf, recordOf, refusedEnvelopeOf } from '../service-client.ts'
import { isSample, type ServiceUnderTest } from '../service-under-test.ts'

/** Declares the tests. They call `service` when they run. */
export function describeMetadata(service: () => ServiceUnderTest): void {
  const fieldsOf = async (object: string, query: string): Promise<string[]> => {
    const envelope = goodEnvelopeOf(await call(service(), `/v2/meta/${object}?${query}`))
    expect(envelope.Contents.length).toBe(1)
    expect(envelope.Contents[0]?.Kind.toLowerCase()).toBe(object)
    return Object.keys(recordOf(envelope.Contents[0]))
  }

  describe('section 4.3, metadata', () => {
    it.each(['customer', 'vendor', 'account'])(
      'names the fields of %s, with empty values (2.8)',
      async (object) => {
        for (const application of ['qbd', 'qbo']) {
          const answer = await call(service(), `/v2/meta/${object}?app=${application}`)
          expect(leavesOf(recordOf(goodEnvelopeOf(answer).Contents[0])).every((value) => value === '')).toBe(
            true,
          )
          expect(await fieldsOf(object, `app=${application}`)).toContain('Name')
        }
      },
    )

    it('returns with overlap only what both applications support', async () => {
      const desktop = await fieldsOf('customer', 'app=qbd')
      const online = await fieldsOf('customer', 'app=qbo')
      const both = await fieldsOf('customer', 'app=qbd&app=qbo&overlap=true')
      expect(both.toSorted()).toEqual(desktop.filter((name) => online.includes(name)).toSorted())
    })

    it('supports no additional fields for additional applications', async () => {
      const one = await fieldsOf('customer', 'app=qbd')
      const two = await fieldsOf('customer', 'app=qbd&app=qbo')
      expect(two.length).toBeLessThanOrEqual(one.length)
    })

    it.runIf(isSample)('differs by application', async () => {
      const desktop = await fieldsOf('customer', 'app=qbd')
      const online = await fieldsOf('customer', 'app=qbo')
      expect(desktop).toContain('AlternateContact')
      expect(online).not.toContain('AlternateContact')
      expect(online).toContain('Mobile')
      expect(desktop).not.toContain('Mobile')
    })

    it.runIf(isSample)('returns the fields of either application when overlap is false', async () => {
      const either = await fieldsOf('customer', 'app=qbd&app=qbo&overlap=false')
      expect(either).toEqual(expect.arrayContaining(['AlternateContact', 'Mobile', 'Name']))
    })

    it.runIf(isSample)('refuses an unknown object, application, or overlap', async () => {
      refusedEnvelopeOf(await call(service(), '/v2/meta/unicorn?app=qbd'))
      refusedEnvelopeOf(await call(service(), '/v2/meta/customer?app=abacus'))
      refusedEnvelopeOf(await call(service(), '/v2/meta/customer?app=qbd&overlap=perhaps'))
    })
  })
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}
