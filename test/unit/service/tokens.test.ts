// No error contains an agent's token, whatever the response looks like.
import { expect, test } from 'vitest'
import { readCompanyToken } from '../../../electron/service/companies/company-list.ts'
import {
  createMask,
  maskTokens,
  redact,
  redactEnvelope,
  redactError,
} from '../../../electron/service/errors/redact.ts'
import { decodeEnvelope } from '../../../electron/service/protocol/envelope.ts'
import type { RawResponse, Wire } from '../../../electron/service/protocol/wire.ts'

const TOKEN = 'TOKEN-CANARY-47\\"11-abcdef'

function answer(text: string): RawResponse {
  const block = new TextEncoder().encode(text)
  return { status: 200, contentType: 'application/json', blocks: [block], length: block.length }
}

test.each([
  ['a bare list that is cut off', `[{"token":"${TOKEN}","endpointId":"e-1","companyName":"Client 001`],
  [
    'an envelope that is cut off in the token',
    `{"Contents":[{"Object":{"endpointId":"e-9","Token": "${TOKEN}`,
  ],
  ['a list of another shape', `[{"TOKEN":"${TOKEN}","endpointId":"e-1"}]`],
])('%s is refused, and the error doesn’t contain the token', (_what, text) => {
  const decoded = decodeEnvelope(answer(text))
  expect(decoded.ok).toBe(false)
  if (decoded.ok) return
  const said = JSON.stringify(redactError(decoded.error, createMask([])))
  expect(said).not.toMatch(/CANARY|abcdef/)
  expect(said).toContain('•••')
})

test('an error that echoes the record is reported without it', () => {
  const record = { endpointId: 'e-1', token: 'TOKEN-CANARY-1' }
  const errors = [
    { Code: 'E9', Message: 'Record could not be read', Detail: JSON.stringify(record), Record: record },
  ]
  const decoded = decodeEnvelope(answer(JSON.stringify({ Contents: [], Errors: errors })))
  if (!decoded.ok) throw new Error(decoded.error.message)
  const said = JSON.stringify(redactEnvelope(decoded.value, createMask([])).errors)
  expect(said).not.toContain('CANARY')
  expect(said).toContain('e-1')
})

test('a key that is echoed as a kind, or outside a record, is removed. A record stays as it is', () => {
  const key = 'KEY-CANARY-0815'
  const contents = [
    { Kind: key, Object: { ID: 'C1', Notes: key } },
    { Kind: 'customer', Object: { Request: { Headers: [`x-api-key: ${key}`], [key]: '' } } },
  ]
  const decoded = decodeEnvelope(answer(JSON.stringify({ Contents: contents, Errors: [] })))
  if (!decoded.ok) throw new Error(decoded.error.message)
  const [record, bare] = redactEnvelope(decoded.value, createMask([key])).items
  expect(record).toMatchObject({ kind: '•••', object: { ID: 'C1', Notes: key } })
  expect(bare?.object).toEqual({ Request: { Headers: ['x-api-key: •••'], '•••': '' } })
})

test('messages about a token stay unchanged', () => {
  const words = 'The agent has no valid token: enter the company’s token.'
  expect(maskTokens(words)).toBe(words)
  expect(maskTokens('https://a.example/?token=abc&page=2')).toBe('https://a.example/?token=•••&page=2')
})

test('a token is found even if the list spells the company’s ID in another case or with spaces', async () => {
  const listed = (endpointId: string): RawResponse =>
    answer(JSON.stringify({ Contents: [{ Object: { endpointId, token: ' T-1 ' } }] }))
  const ask = (written: string): Promise<unknown> => {
    const wire: Pick<Wire, 'listCompanies'> = { listCompanies: (_query, decode) => decode(listed(written)) }
    return readCompanyToken(wire as Wire, 'EP-5')
  }
  for (const written of ['EP-5', 'ep-5', ' EP-5 '])
    expect(await ask(written)).toEqual({ ok: true, value: 'T-1' })
  expect(await ask('EP-6')).toMatchObject({ ok: false, error: { kind: 'not-found' } })
})

const KEY = 'ab/cd+EFgh1234567890=='

test.each([
  ['plain', KEY],
  ['in other case', KEY.toUpperCase()],
  ['in an address', encodeURIComponent(KEY)],
  ['twice in an address', encodeURIComponent(encodeURIComponent(KEY))],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(KEY.replace('/', '\\/')))],
  ['as a character of JSON', KEY.replace('+', '\\u002b')],
  ['in HTML', KEY.replace('/', '&#x2F;').replaceAll('=', '&#61;')],
  ['in hex', Buffer.from(KEY).toString('hex')],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64, behind a name', Buffer.from(`user:${KEY}`).toString('base64')],
  ['in base64 of addresses', Buffer.from(`me:${KEY}`).toString('base64url')],
])('a key that is echoed %s is masked', (_how, echoed) => {
  const clean = redact(`before ${echoed} after`, createMask([KEY]))
  expect(clean).toContain('•••')
  expect(clean).not.toContain(echoed.slice(4, 16))
})

test.each([
  '<token>abc-4711</token>',
  encodeURIComponent('{"token":"abc-4711"}'),
  'token: abc-4711, refused',
])('a token is recognized by its name in %s', (text) => {
  expect(maskTokens(text)).not.toContain('4711')
})
