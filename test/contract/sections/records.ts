// Specification, sections 2.2 to 2.4 and 4.1: customers, vendors, and accounts are read, inserted, and changed.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  activeCompanies,
  type ActiveCompany,
  call,
  codeOf,
  envelopeOf,
  goodEnvelopeOf,
  recordOf,
  recordsOf,
  textOf,
} from '../service-client.ts'
import { isSample, mayWrite, type ServiceUnderTest } from '../service-under-test.ts'

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  customer: ['ID', 'Name', 'FullName', 'IsActive', 'Balance', 'CreatedDate', 'LastModifiedDate'],
  vendor: ['ID', 'Name', 'IsActive', 'CreatedDate', 'LastModifiedDate'],
  account: ['ID', 'Name', 'Type', 'IsActive', 'CreatedDate', 'LastModifiedDate'],
}

/** Declares the tests. They call `service` when they run. */
export function describeRecords(service: () => ServiceUnderTest): void {
  let companies: ActiveCompany[] = []
  const desktop = (): string => companies.find((company) => company.endpoint === 'qbd')?.endpointId ?? ''
  const online = (): string => companies.find((company) => company.endpoint === 'qbo')?.endpointId ?? ''
  const write = async (
    method: string,
    endpointId: string,
    object: string,
    body: unknown,
  ): Promise<ReturnType<typeof envelopeOf>> =>
    envelopeOf(await call(service(), `/v2/data/${endpointId}/${object}`, { method, body }))

  beforeAll(async () => {
    companies = await activeCompanies(service())
  })

  describe('section 4.1, GET', () => {
    it.each(Object.entries(FIELDS))(
      'reads every %s, each with its own ID (2.2 to 2.4)',
      async (object, fields) => {
        for (const { endpointId } of companies) {
          const envelope = goodEnvelopeOf(await call(service(), `/v2/data/${endpointId}/${object}`))
          const ids = envelope.Contents.map((item) => textOf(recordOf(item), 'ID'))
          expect(new Set(ids).size).toBe(ids.length)
          for (const item of envelope.Contents) {
            expect(item.Kind).toBe(object)
            for (const field of fields) expect(item.Object, field).toHaveProperty(field)
          }
        }
      },
    )

    it('returns the records of several IDs', async () => {
      for (const { endpointId } of companies) {
        const all = await recordsOf(service(), endpointId, 'vendor')
        const ids = [all[0], all[2]].map((record) => textOf(record ?? {}, 'ID'))
        const query = `?id=${ids.map(encodeURIComponent).join('&id=')}`
        const found = await recordsOf(service(), endpointId, 'vendor', query)
        expect(found.map((record) => record['ID']).toSorted()).toEqual(ids.toSorted())
      }
    })

    it('honors modTimeStart and modTimeEnd with their offsets', async () => {
      const { endpointId } = companies[0] ?? { endpointId: '' }
      const all = await recordsOf(service(), endpointId, 'customer')
      const moments = all
        .map((record) => Date.parse(textOf(record, 'LastModifiedDate')))
        .toSorted((a, b) => a - b)
      const middle = moments[Math.floor(moments.length / 2)] ?? 0
      const since = all.filter((record) => Date.parse(textOf(record, 'LastModifiedDate')) >= middle)
      for (const offset of ['+00:00', '-08:00', '+05:30']) {
        const query = `?modTimeStart=${encodeURIComponent(withOffset(middle, offset))}`
        const found = await recordsOf(service(), endpointId, 'customer', query)
        expect(found.length).toBe(since.length)
      }
      const until = `?modTimeEnd=${encodeURIComponent(withOffset(middle - 1000, '+02:00'))}`
      expect((await recordsOf(service(), endpointId, 'customer', until)).length).toBe(
        all.length - since.length,
      )
    })

    it('accepts paths in the specification’s casing and in any other', async () => {
      const { endpointId } = companies[0] ?? { endpointId: '' }
      const first = goodEnvelopeOf(await call(service(), `/v2/data/${endpointId}/terms`))
      if (!isSample) return
      const second = goodEnvelopeOf(await call(service(), `/V2/Data/${endpointId.toUpperCase()}/TERMS`))
      expect(second.Contents.map((item) => item.Object)).toEqual(first.Contents.map((item) => item.Object))
    })

    it.runIf(isSample)('refuses a time without an offset', async () => {
      const answer = await call(service(), `/v2/data/${desktop()}/customer?modTimeStart=2026-01-01T00:00:00`)
      expect(envelopeOf(answer).HasErrors).toBe(true)
    })

    it.runIf(isSample)('reports an ID that it can’t find along with the records that it finds', async () => {
      const [known] = await recordsOf(service(), desktop(), 'vendor')
      const answer = await call(
        service(),
        `/v2/data/${desktop()}/vendor?id=80009999-1&id=${textOf(known ?? {}, 'ID')}`,
      )
      const envelope = envelopeOf(answer)
      expect(envelope.Contents.length).toBe(1)
      expect(envelope.Errors?.map(codeOf)).toEqual(['500'])
    })

    it.runIf(isSample)('shows jobs under their customer by Parent and FullName', async () => {
      const customers = await recordsOf(service(), desktop(), 'customer')
      const names = new Map(customers.map((record) => [record['ID'], textOf(record, 'FullName')]))
      const jobs = customers.filter((record) => (record['Parent'] as { ID: string }).ID !== '')
      expect(jobs.length).toBeGreaterThan(20)
      for (const job of jobs) {
        const parent = job['Parent'] as { ID: string; FullName: string }
        expect(parent.FullName).toBe(names.get(parent.ID))
        expect(job['FullName']).toBe(`${parent.FullName}:${textOf(job, 'Name')}`)
      }
    })
  })

  describe.runIf(mayWrite)('section 4.1, POST', () => {
    it('inserts a record and returns its new ID and the values that the application filled in', async () => {
      const body = {
        ID: '',
        Name: unique('Dunning, Ezra'),
        Email: 'ezra@postbox.example',
        IsActive: true,
        Balance: 120.5,
      }
      const envelope = await write('POST', desktop(), 'customer', body)
      expect(envelope.HasErrors).toBe(false)
      const made = recordOf(envelope.Contents[0])
      expect(textOf(made, 'ID')).not.toBe('')
      expect(made).toMatchObject({ Name: body.Name, Email: body.Email, IsActive: 'true' })
      if (isSample) {
        expect(made['Balance']).toBe('120.50')
        expect(made['TaxCode']).toMatchObject({ FullName: 'Tax' })
        expect(made['ItemSalesTax']).toMatchObject({ FullName: 'Bayshore County' })
      }
      const [back] = await recordsOf(service(), desktop(), 'customer', `?id=${textOf(made, 'ID')}`)
      expect(back).toEqual(made)
    })

    it('inserts the valid records of an array and reports what is wrong with the others', async () => {
      const name = unique('Gallant Cycle')
      const envelope = await write('POST', desktop(), 'customer', [
        { ID: '', Name: name },
        { ID: '', Name: name },
        { ID: '', Name: `${name} 2` },
      ])
      expect(envelope.HasErrors).toBe(true)
      expect(envelope.Contents.map((item) => (item.Errors ?? []).length > 0)).toEqual([false, true, false])
      if (isSample) expect(envelope.Contents[1]?.Errors?.map(codeOf)).toEqual(['3100'])
      expect(envelope.Contents[1]?.Object).toBeNull()
    })
  })

  describe.runIf(mayWrite)('section 4.1, PATCH', () => {
    it('changes the fields that are sent and no others', async () => {
      const inserted = await write('POST', desktop(), 'customer', {
        ID: '',
        Name: unique('Eckhart Millwork'),
        Phone: '(650) 555-0150',
        BillingAddress: { Line1: '612 Cypress Ave', City: 'Middlefield' },
      })
      const before = recordOf(inserted.Contents[0])
      const changed = await write('PATCH', desktop(), 'customer', {
        ID: before['ID'],
        Phone: '(650) 555-0151',
        IsActive: false,
      })
      const after = recordOf(changed.Contents[0])
      const { LastModifiedDate: _then, ...kept } = before
      expect(after).toMatchObject({ ...kept, Phone: '(650) 555-0151', IsActive: 'false' })
      expect(Date.parse(textOf(after, 'LastModifiedDate'))).toBeGreaterThan(
        Date.parse(textOf(before, 'LastModifiedDate')),
      )
    })
  })

  describe.runIf(isSample)('section 4.1, what the applications refuse', () => {
    it.each([
      ['qbd', { Name: 'Bad Type', IsActive: 'true' }, '3030'],
      ['qbd', { Name: 'Bad Type', Balance: '12.50' }, '3030'],
      ['qbd', { Name: 'Bad Field', Mobile: '(415) 555-0100' }, '3045'],
      ['qbd', { Name: 'Bad Terms', Terms: { ID: '', FullName: 'Net 33' } }, '3140'],
      ['qbd', { Name: '' }, '3150'],
      ['qbd', { Name: 'Cascade Lumber & Supply' }, '3100'],
      ['qbd', { Name: 'A name much longer than forty-one characters' }, '3070'],
      ['qbo', { Name: 'Bad Terms', Terms: { ID: '999', FullName: '' } }, '2500'],
      ['qbo', { Phone: '(415) 555-0100' }, '2020'],
      ['qbo', { Name: 'Blueline Reprographics' }, '6240'],
      ['qbo', { Name: 'Bad Field', AlternateContact: 'Noor' }, '2010'],
    ])('%s refuses to insert %j with code %s', async (application, body, code) => {
      const endpointId = application === 'qbd' ? desktop() : online()
      const envelope = await write('POST', endpointId, 'customer', body)
      expect(envelope.Contents[0]?.Errors?.map(codeOf)).toEqual([code])
      expect(envelope.Contents[0]?.Object).toBeNull()
    })

    it.each([
      ['an id that is not there', { ID: '80009999-1', Phone: '1' }, '3120'],
      ['a record that changed since', { Phone: '1', LastModifiedDate: '2020-01-01T00:00:00+00:00' }, '3200'],
      ['a balance', { Balance: 5 }, '3180'],
    ])('refuses to change %s', async (_words, change, code) => {
      const [known] = await recordsOf(service(), desktop(), 'customer')
      const envelope = await write('PATCH', desktop(), 'customer', { ID: known?.['ID'], ...change })
      expect(envelope.Contents[0]?.Errors?.map(codeOf)).toEqual([code])
    })

    it('applies a new name to the jobs under a customer', async () => {
      const name = unique('Hargrove')
      const [parent] = (await write('POST', desktop(), 'customer', { Name: name })).Contents
      const Parent = { ID: recordOf(parent)['ID'], FullName: '' }
      const [job] = (await write('POST', desktop(), 'customer', { Name: 'Deck', Parent })).Contents
      expect(recordOf(job)['FullName']).toBe(`${name}:Deck`)
      await write('PATCH', desktop(), 'customer', { ID: Parent.ID, Name: `${name} II` })
      const [read] = await recordsOf(service(), desktop(), 'customer', `?id=${textOf(recordOf(job), 'ID')}`)
      expect(read?.['FullName']).toBe(`${name} II:Deck`)
    })
  })
}

let made = 0

/** A new name, because the records stay at a real service. */
function unique(name: string): string {
  made++
  return `${name} ${Date.now().toString(36)}${String(made)}`
}

function withOffset(moment: number, offset: string): string {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const shift = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return `${new Date(moment + shift).toISOString().slice(0, 19)}${offset}`
}
