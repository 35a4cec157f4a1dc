/** The list of companies is complete only if nothing suggests that one may be missing. Setups rely on it. */
import { expect, test } from 'vitest'
import { readCompanyList } from '../../../electron/service/companies/company-list.ts'
import { createMask } from '../../../electron/service/errors/redact.ts'
import type { Wire } from '../../../electron/service/protocol/wire.ts'
import { standIn } from '../records/list/stand-in.ts'

const item = (endpointId: string) => ({ Object: { endpointId, companyName: endpointId }, Errors: null })

/** Answers with the pages one after another, then repeats the last one. */
function wireOf(...pages: readonly object[]): Wire {
  return wireUnder(200, ...pages)
}

function wireUnder(status: number, ...pages: readonly object[]): Wire {
  const listCompanies: Wire['listCompanies'] = ({ page = 1 }, decode) => {
    const body = JSON.stringify({ RequestId: 'r', Errors: null, ...pages[Math.min(page, pages.length) - 1] })
    const block = new TextEncoder().encode(body)
    return decode({ status, contentType: '', blocks: [block], length: block.length })
  }
  return standIn<Wire>({ listCompanies, target: { mask: createMask(['the-key']) } })
}

test.each([
  ['one page', true, [{ Contents: [item('1')], MoreData: false }]],
  [
    'two pages',
    true,
    [
      { Contents: [item('1')], MoreData: true },
      { Contents: [item('2')], MoreData: false },
    ],
  ],
  ['a last page that repeats', false, [{ Contents: [item('1')], MoreData: true }, { Contents: [item('1')] }]],
  ['an item that holds no company', false, [{ Contents: [item('1'), { Object: null }], MoreData: false }]],
])('%s: whole is %s', async (_what, isWhole, pages) => {
  expect(await readCompanyList(wireOf(...pages))).toMatchObject({ ok: true, value: { isWhole } })
})

const refused = (Message: string) => ({ Object: null, Errors: [{ Message }] })

test('errors in place of companies are reported if there are other companies, or else fail the read', async () => {
  const words = 'One company is being moved.'
  expect(await readCompanyList(wireOf({ Contents: [item('1'), refused(words)] }))).toMatchObject({
    ok: true,
    value: { isWhole: false, notice: words, companies: [{ endpointId: '1' }] },
  })
  expect(
    await readCompanyList(wireOf({ Contents: [item('1')], MoreData: true }, { Contents: [refused(words)] })),
  ).toMatchObject({ ok: true, value: { isWhole: false, notice: words, companies: [{ endpointId: '1' }] } })
  expect(await readCompanyList(wireOf({ Contents: [refused(words)], MoreData: false }))).toMatchObject({
    ok: false,
    error: { kind: 'service-error', message: `The service says: ${words}`, details: { requestId: 'r' } },
  })
})

test.each([
  ['any words under 401', 401, 'Nope'],
  ['words that name the key', 200, 'Invalid API key'],
])('a rejected key in place of companies is a rejected key: %s', async (_what, status, words) => {
  expect(await readCompanyList(wireUnder(status, { Contents: [refused(words)] }))).toMatchObject({
    ok: false,
    error: { kind: 'unauthorized', details: { requestId: 'r' } },
  })
})
