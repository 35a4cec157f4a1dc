import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusedKey, translateErrors } from '../../../electron/service/errors/service-errors.ts'
import {
  decodeEnvelope,
  decodeUserResponse,
  parseJsonText,
} from '../../../electron/service/protocol/envelope.ts'
import type { RawResponse, ServiceError } from '../../../electron/service/protocol/wire.ts'
import { isDeep } from '../../seeds.ts'

const RUNS = isDeep ? 200_000 : 5_000

function raw(text: string, status = 200): RawResponse {
  const bytes = new TextEncoder().encode(text)
  return { status, contentType: 'application/json', blocks: [bytes], length: bytes.length }
}

function error(code: string, message: string): ServiceError {
  return { code, message, severity: '', detail: '', raw: message }
}

const GOOD = {
  Self: 'https://service.example/v2/data/e/customer',
  Kind: 'collection',
  Page: 1,
  MoreData: null,
  HasErrors: false,
  RequestId: 'r-1',
  Contents: [
    {
      Object: { ID: '1', Name: 'Ünïcode “quotes”', Balance: '12.50' },
      Errors: null,
      Self: null,
      Kind: 'customer',
    },
  ],
  Errors: null,
}

describe('the envelope', () => {
  it('is read as the specification writes it', () => {
    const decoded = decodeEnvelope(raw(JSON.stringify(GOOD)))
    expect(decoded).toMatchObject({
      ok: true,
      value: {
        page: 1,
        moreData: null,
        hasErrors: false,
        requestId: 'r-1',
        items: [{ object: { Balance: '12.50' }, kind: 'customer' }],
      },
    })
  })

  it('is read in any case, with missing and unknown members', () => {
    const decoded = decodeEnvelope(
      raw('{"contents":[{"object":{"ID":"1"},"extra":1}],"requestid":"r","whatever":{}}'),
    )
    expect(decoded).toMatchObject({
      ok: true,
      value: { requestId: 'r', items: [{ object: { ID: '1' } }], hasErrors: false },
    })
  })

  it('keeps the digits of numbers', () => {
    const decoded = decodeEnvelope(
      raw('{"Contents":[{"Object":{"Balance":12345678901234567.10,"Rate":1e2}}]}'),
    )
    expect(decoded).toMatchObject({
      ok: true,
      value: { items: [{ object: { Balance: '12345678901234567.10', Rate: '1e2' } }] },
    })
  })

  it('finds errors that are strings or objects, with any names and case', () => {
    const decoded = decodeEnvelope(
      raw('{"Contents":[],"Errors":["no such thing",{"code":3100,"MESSAGE":"in use"}]}'),
    )
    expect(decoded).toMatchObject({
      ok: true,
      value: { hasErrors: true, errors: [{ message: 'no such thing' }, { code: '3100', message: 'in use' }] },
    })
  })

  it.each([
    [
      '{"errorCode":"VAL-17","error_description":"Not allowed here","fieldName":"Phone"}',
      'VAL-17',
      'Not allowed here',
    ],
    ['{"ErrorNo":77,"Reason":"Too long","error":true}', '77', 'Too long'],
    ['{"hint":"Too long"}', '', '{"hint":"Too long"}'],
    ['{}', '', ''],
  ])('finds the code and message of %s', (entry, code, message) => {
    const decoded = decodeEnvelope(raw(`{"Contents":[],"Errors":[${entry}]}`))
    expect(decoded).toMatchObject({ ok: true, value: { errors: [{ code, message }] } })
  })

  it.each([
    ['<!doctype html><html><body>Sign in</body></html>', 200, 'malformed-response', 'Sign in'],
    ['', 200, 'malformed-response', ''],
    ['{"Contents":[{"Object":', 200, 'malformed-response', '{"Contents"'],
    ['{"hello":"world"}', 200, 'malformed-response', 'hello'],
    ['[1,2]', 200, 'malformed-response', '[1,2]'],
    ['gone', 500, 'service-error', 'gone'],
    ['no', 401, 'unauthorized', 'no'],
  ])('reports what arrived instead of one: %s', (text, status, kind, words) => {
    const decoded = decodeEnvelope(raw(text, status))
    expect(decoded).toMatchObject({ ok: false, error: { kind } })
    if (!decoded.ok) expect(decoded.error.details.raw).toContain(words)
  })

  it.each([
    [`{"Contents":${'['.repeat(80)}${']'.repeat(80)}}`, 'It is nested too deeply'],
    ['{"Contents":[{"Object":{1:"x"}}]}', 'A number stands where a name must be.'],
  ])('says why it isn’t an envelope', (text, reason) => {
    const decoded = decodeEnvelope(raw(text))
    expect(decoded.ok ? '' : decoded.error.message).toContain(reason)
  })

  it('refuses text that is not UTF-8 instead of changing it', () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0x61, 0xff, 0x22, 0x7d])
    const decoded = decodeEnvelope({ status: 200, contentType: '', blocks: [bytes], length: bytes.length })
    expect(decoded).toMatchObject({ ok: false, error: { kind: 'malformed-response' } })
  })

  it('never throws, whatever is done to it', () => {
    const text = JSON.stringify(GOOD)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(text.length - 1), fc.nat(4), fc.string({ maxLength: 6, unit: 'binary' })), {
          maxLength: 4,
        }),
        (changes) => {
          let mutated = text
          for (const [at, cut, put] of changes) mutated = mutated.slice(0, at) + put + mutated.slice(at + cut)
          const decoded = decodeEnvelope(raw(mutated))
          let isJson = true
          try {
            JSON.parse(mutated)
          } catch {
            isJson = false
          }
          // What JSON.parse rejects never counts as a response.
          expect(decoded.ok && !isJson).toBe(false)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('refuses deep nesting, and keeps __proto__ and duplicate members as data', () => {
    expect(parseJsonText(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toMatchObject({
      error: {
        message: expect.stringContaining('It is nested too deeply for an accounting record.') as string,
      },
    })
    const odd = parseJsonText('{"__proto__":{"polluted":true},"a":1,"a":2}')
    expect(odd).toMatchObject({ ok: true, value: { a: '2' } })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

it.each(['{1:2}', '{"a":{ -1.5 : true}}', '{"a":1,2\n:3}'])('a number isn’t a name: %s', (text) => {
  expect(parseJsonText(text)).toMatchObject({
    error: { message: expect.stringContaining('A number stands where a name must be.') as string },
  })
})

describe('the answer to the creation of a user', () => {
  it.each([
    ['{"userid":"u-77"}', 'u-77'],
    ['{"Id":12}', '12'],
    [JSON.stringify({ Contents: [{ Object: { UserID: 'u-1' } }] }), 'u-1'],
  ])('may be bare or in an envelope: %s', (text, id) => {
    const decoded = decodeUserResponse(raw(text))
    expect(decoded.ok && Object.values(decoded.value.items[0]?.object ?? {})).toEqual([id])
  })

  it('isn’t another object', () => {
    expect(decodeUserResponse(raw('{"hello":"world"}'))).toMatchObject({
      ok: false,
      error: { kind: 'malformed-response' },
    })
  })
})

describe('errors in a bookkeeper’s words', () => {
  it('shows the service’s own words if it has nothing better, with code and RequestId', () => {
    const translated = translateErrors('qbd', [error('9999', 'The flux is out of range.')], 'r-9', 200)
    expect(translated.message).toContain('The flux is out of range.')
    expect(translated.details).toMatchObject({ code: '9999', requestId: 'r-9' })
  })

  it('shows each of several unknown errors, because each may be about another field', () => {
    const two = [error('A1', 'Phone is too long.'), error('A2', 'Email is no address.')]
    expect(translateErrors('qbd', [...two, ...two], 'r-9', 200).message).toBe(
      'The service says: Phone is too long. · Email is no address.',
    )
  })

  it('distinguishes a rejected key from a rejected company', () => {
    expect(isRefusedKey(401, [])).toBe(true)
    expect(isRefusedKey(403, [error('', 'This company is inactive.')])).toBe(false)
    expect(isRefusedKey(200, [error('', 'The API key is not valid.')])).toBe(true)
    expect(isRefusedKey(200, [error('', 'Name is required.')])).toBe(false)
  })
})
