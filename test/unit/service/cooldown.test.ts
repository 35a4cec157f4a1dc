/** How long nothing else is sent after a request. Without a certain response, the service may still be working. */
import { describe, expect, it } from 'vitest'
import { cooldownAfter, type EndedRequest } from '../../../electron/service/protocol/cooldown.ts'
import { appError } from '../../../shared/result.ts'

const NOW = 30_000
const DEADLINE = 180_000
const PAGE = '<html>The request timed out.</html>'
const SAVED = { Contents: [{ Object: { ID: '7' }, Errors: null }], Errors: null, RequestId: 'r' }

function ended(status: number, body: string | object, more: Partial<EndedRequest> & { after?: string } = {}) {
  const block = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const raw = { status, contentType: '', blocks: [block], length: block.length }
  const result = { hasResponse: true, raw, retryAfter: more.after ?? null } as const
  return cooldownAfter({ result, isWrite: true, isLegacy: false, deadlineAt: DEADLINE, now: NOW, ...more })
}

const UNTIL_DEADLINE = { reason: 'at-work', until: DEADLINE }
const SETTLING = { reason: 'at-work', until: NOW }

describe('after a write', () => {
  it.each([500, 501, 502, 503, 504, 505, 509, 524, 529, 598, 599, 408, 499, 200])(
    'answered with a page and %i, nothing is sent before its deadline',
    (status) => {
      expect(ended(status, PAGE)).toEqual(UNTIL_DEADLINE)
    },
  )

  it.each([400, 401, 403, 404, 405, 422])('that %i calls invalid, the next one may be sent', (status) => {
    expect(ended(status, PAGE)).toBeNull()
  })

  it('accepted with 202 and no record, nothing is sent before its deadline', () => {
    const nothing = { Contents: [], Errors: null, RequestId: 'r' }
    expect(ended(202, nothing)).toEqual(UNTIL_DEADLINE)
    expect(ended(202, SAVED)).toBeNull()
    expect(ended(200, nothing)).toBeNull()
  })

  it('that was rate limited, the service gets a moment, or as long as it asks for', () => {
    expect(ended(429, PAGE)).toEqual(SETTLING)
    expect(ended(429, PAGE, { after: '4' })).toEqual({ reason: 'asked', until: NOW + 4_000 })
    expect(ended(503, PAGE, { after: '4' })).toEqual(UNTIL_DEADLINE)
  })

  it.each([200, 409, 500, 504])(
    'with an error of the whole request (%i), nothing is sent before its deadline',
    (status) => {
      const whole = { Contents: [], Errors: ['Agent timed out'], RequestId: 'r' }
      expect(ended(status, whole)).toEqual(UNTIL_DEADLINE)
    },
  )

  it.each([
    [500, { Contents: [], HasErrors: true, Errors: null, RequestId: 'r' }],
    [504, { RequestId: 'r' }],
    [200, { Contents: [], HasErrors: true, Errors: [], RequestId: 'r' }],
    [200, { Contents: [{ Object: null, Errors: null }], HasErrors: true, RequestId: 'r' }],
    [200, { Contents: [{ Object: {}, Errors: [] }], Errors: ['Agent timed out'], RequestId: 'r' }],
    [200, { Contents: [null], Errors: ['Agent timed out'], RequestId: 'r' }],
  ])('with an empty error, or one with empty items (%i), the same', (status, whole) => {
    expect(ended(status, whole)).toEqual(UNTIL_DEADLINE)
  })

  it.each([{ Code: '0x80040414' }, { Code: '-2147220472' }, 'A dialog box is open in the application'])(
    'whose company file wasn’t reached (%j), a moment is enough',
    (error) => {
      expect(ended(500, { Contents: [], Errors: [error], RequestId: 'r' })).toEqual(SETTLING)
      const beside = { Contents: [], Errors: [error, 'Agent timed out'], RequestId: 'r' }
      expect(ended(500, beside), 'beside another error').toEqual(UNTIL_DEADLINE)
    },
  )

  it('whose answer has records in addition to the error, or calls the request invalid, a moment is enough', () => {
    expect(ended(200, { ...SAVED, Errors: ['One was not saved'] })).toEqual(SETTLING)
    expect(ended(400, { Contents: [], Errors: ['Not JSON'], RequestId: 'r' })).toEqual(SETTLING)
  })

  it('that was answered with a warning or a rejected key, the next one may be sent', () => {
    expect(ended(200, SAVED)).toBeNull()
    expect(ended(200, { ...SAVED, Errors: [{ Severity: 'Warn', Message: 'late' }] })).toBeNull()
    expect(ended(401, { Contents: [], Errors: ['No'], RequestId: 'r' })).toBeNull()
    expect(ended(200, { userId: 'u-1' }), 'a user’s creation may be answered without the envelope').toBeNull()
  })

  it('to the older service, the same applies, by its own envelope', () => {
    const meta = (StatusCode: string) => ({ Meta: { StatusCode, Message: 'm' }, Detail: [] })
    expect(ended(200, meta('0'), { isLegacy: true })).toBeNull()
    expect(ended(200, meta('7'), { isLegacy: true })).toEqual(UNTIL_DEADLINE)
    expect(ended(500, PAGE, { isLegacy: true })).toEqual(UNTIL_DEADLINE)
  })
})

describe('after a read', () => {
  const read = { isWrite: false }

  it.each([429, 503])(
    'that is asked to wait (%i), nothing is sent until then. If that is long, the user decides',
    (status) => {
      expect(ended(status, '', { ...read, after: '4' })).toEqual({ reason: 'asked', until: NOW + 4_000 })
      expect(ended(status, '', { ...read, after: '3600' })).toBeNull()
    },
  )

  it('that a gateway gave up on, nothing is sent before its deadline. An error page blocks nothing', () => {
    expect(ended(504, PAGE, read)).toEqual(UNTIL_DEADLINE)
    expect(ended(500, PAGE, read)).toBeNull()
    expect(ended(200, SAVED, read)).toBeNull()
  })

  it('whose answer is incomplete, nothing is sent before its deadline', () => {
    for (const half of ['{"Contents":[{"Object":{"ID":"1"}},{"Obj', '\n{ "RequestId": "r", \n'])
      expect(ended(200, half, read)).toEqual(UNTIL_DEADLINE)
    expect(ended(200, `  ${JSON.stringify(SAVED)}\n`, read)).toBeNull()
    expect(ended(200, PAGE, read), 'a page is another site’s').toBeNull()
  })

  it.each([
    ['dropped', 'dropped', UNTIL_DEADLINE],
    ['longer than may be, and so cut by us', 'too-large', SETTLING],
    ['pointing elsewhere', 'redirected', null],
  ] as const)('whose answer was %s, the next one waits as after a write', (_, kind, rest) => {
    const error = appError(kind, '', '')
    const result = { hasResponse: false, error, wasNotSent: false, status: null } as const
    for (const isWrite of [false, true]) expect(ended(200, '', { isWrite, result })).toEqual(rest)
    const unsent = { ...result, wasNotSent: true }
    expect(ended(200, '', { ...read, result: unsent }), 'nothing left this computer').toBeNull()
  })

  it('that can’t be unpacked ends a read, but may be from a gateway for a write', () => {
    const error = appError('malformed-response', '', '')
    const result = { hasResponse: false, error, wasNotSent: false, status: 200 } as const
    expect(ended(200, '', { isWrite: false, result })).toEqual(SETTLING)
    expect(ended(200, '', { isWrite: true, result })).toEqual(UNTIL_DEADLINE)
  })
})
