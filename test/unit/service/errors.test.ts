/**
 * The service's errors in a bookkeeper's words. The tables below have a row for each: the code, the message, and the
 * advice.
 */
import { describe, expect, test } from 'vitest'
import { saysNotAvailable } from '../../../electron/service/errors/error-meanings.ts'
import { timedOutError } from '../../../electron/service/errors/failures.ts'
import {
  isNothingMatched,
  normalCode,
  refusedKeyInEnvelope,
  refusedKeyOf,
  translateErrors,
  translateReadErrors,
} from '../../../electron/service/errors/service-errors.ts'
import { busyError } from '../../../electron/service/protocol/cooldown.ts'
import { decodeErrors, envelopeOf } from '../../../electron/service/protocol/envelope.ts'
import type { AppError } from '../../../shared/result.ts'

const RAW = 'The application’s own words, which nobody here knows'

function said(application: string, entry: unknown, status = 200): AppError {
  return translateErrors(application, decodeErrors(entry), 'r-17', status)
}

function byCode(application: string, code: string, message = RAW): AppError {
  return said(application, { Code: code, Message: message })
}

/** A row: the code, the message, and the advice. */
type Row = readonly [code: string, message: RegExp, advice: RegExp]

const REACHING: readonly Row[] = [
  [
    '80040408',
    /couldn’t start, or it isn’t clear which company file/,
    /sign in, and open this company’s file/,
  ],
  ['8004040A', /Another company file is open/, /Open this company’s file, or close the other/],
  ['80040410', /wrong mode \(single-user or multi-user\)/, /Switch the mode in the File menu of QuickBooks/],
  ['80040414', /A dialog is open/, /Close it on that computer. It may be behind other windows/],
  [
    '8004041D',
    /Automatic sign-in isn’t allowed/,
    /Sign in to QuickBooks as Admin.*Preferences > Integrated Applications/,
  ],
  ['80040420', /Access was denied/, /Authorize it again there\. Choose “Yes, always; allow access/],
]

const RECORDS: readonly Row[] = [
  ['1', /No records match/, /^$/],
  ['500', /requested record was not found/, /deleted, or its ID belongs to another file/],
  ['550', /Saved, but its notes were not/, /Add the notes/],
  ['3000', /The ID is not valid/, /Get the records again/],
  ['3100', /name is already used by a customer, vendor, employee, or other name/, /Choose another name/],
  ['3120', /record was not found/, /may have been deleted/],
  ['3140', /refers to something that doesn’t exist/, /Choose terms, a tax code, or a parent/],
  ['3171', /books are closed/, /closing date and its password are set in QuickBooks/],
  ['3175', /in use by someone else/, /Try again when they are done/],
  ['3176', /locked, because it is in use by someone else/, /Try again when they are done/],
  ['3180', /couldn’t be saved\. The service says: .*own words/, /message from QuickBooks explains/],
  ['3200', /changed since it was read/, /Get it again/],
  ['3250', /feature is turned off/, /administrator can turn it on/],
  ['3260', /didn’t give permission/, /administrator can grant it/],
]

const ONLINE: readonly Row[] = [
  ['120', /not authorized the connection, or the authorization expired/, /Authorize it again/],
  ['3200', /not authorized the connection, or the authorization expired/, /Authorize it again/],
  ['610', /not found, or was made inactive/, /Get the records again/],
  ['2020', /value that QuickBooks requires is missing/, /Fill it in/],
  ['2500', /doesn’t exist or is inactive/, /Choose one that exists/],
  ['5010', /changed since it was read/, /Get it again/],
  ['6000', /QuickBooks doesn’t allow it\. The service says: .*own words/, /message from QuickBooks explains/],
  ['6140', /document number is already in use/, /Choose another number/],
  ['6190', /subscription of this company has ended/, /renew their QuickBooks subscription/],
  ['6210', /books are closed/, /closing date is set/],
  ['6240', /name is already in use/, /Choose another name/],
]

describe('the desktop application: reaching the company file', () => {
  test.each(REACHING)('%s', (code, message, advice) => {
    const spellings = [
      code,
      code.toLowerCase(),
      `0x${code}`,
      String(Number.parseInt(code, 16)),
      String(Number.parseInt(code, 16) - 2 ** 32),
    ]
    for (const spelling of spellings) {
      expect(normalCode(spelling)).toBe(code)
      const error = byCode('qbd', spelling)
      expect(error.kind).toBe('company-unavailable')
      expect(error.message).toMatch(message)
      expect(error.advice).toMatch(advice)
      expect(said('qbd', `The file could not be opened (error ${spelling}).`).message).toMatch(message)
    }
  })

  test('the decimal code of the published example is that code', () => {
    expect(normalCode('-2147220472')).toBe('80040408')
  })
})

describe('the desktop application: records', () => {
  test.each(RECORDS)('%s', (code, message, advice) => {
    for (const each of [byCode('qbd', code), byCode('QBD', ` 0${code}`)]) {
      expect(each.message).toMatch(message)
      expect(each.advice).toMatch(advice)
      expect(each.details).toMatchObject({ requestId: 'r-17', raw: expect.stringContaining(RAW) as string })
    }
  })

  test('messages about a read don’t mention saving', () => {
    for (const [code, words] of [
      ['3180', /^The record couldn’t be read\. The service says: It is damaged\.$/],
      ['550', /^The record was read, but its notes were not\.$/],
      ['3175', /^The record is in use by someone else\.$/],
    ] as const) {
      const error = { code, message: 'It is damaged.', severity: '', detail: '', raw: '' }
      expect(translateReadErrors('qbd', [error], 'r', 200).message).toMatch(words)
    }
  })

  test('an error that wraps another one is explained by that one', () => {
    const error = byCode('qbd', '3180', 'There was an error when saving. QB error message: status code 3140.')
    expect(error.message).toMatch(/refers to something that doesn’t exist/)
    expect(error.details.code).toBe('3180')
  })
})

describe('the online application', () => {
  test.each(ONLINE)('%s', (code, message, advice) => {
    const error = byCode('qbo', code)
    expect(error.message).toMatch(message)
    expect(error.advice).toMatch(advice)
    expect(error.details).toMatchObject({ code, requestId: 'r-17' })
  })
})

describe('a code', () => {
  test('counts only with its application', () => {
    expect(byCode('qbd', '3200').message).toMatch(/changed since it was read/)
    expect(byCode('qbo', '3200').message).toMatch(/not authorized/)
    for (const application of ['', 'xero']) {
      expect(byCode(application, '3200').message).toBe(`The service says: ${RAW}`)
    }
    expect(byCode('qbo', '3100').message).toBe(`The service says: ${RAW}`)
    expect(byCode('qbd', '6240').message).toBe(`The service says: ${RAW}`)
  })

  test('is found in the message, unless it is an HTTP status', () => {
    expect(said('qbd', 'Request failed with error code: 3100').message).toMatch(/name is already used/)
    expect(said('qbd', 'Upstream answered HTTP status 500').message).toMatch(/^The service says: Upstream/)
  })

  test('that only repeats the HTTP status isn’t the application’s', () => {
    const error = said('qbd', { Code: 500, Message: 'Something broke' }, 500)
    expect(error.message).toBe('The service says: Something broke')
    expect(byCode('qbd', '500').message).toMatch(/not found/)
  })

  test('without a table entry keeps the service’s own words, with code, raw text, and RequestId in Details', () => {
    const error = byCode('qbd', 'ZX-81', '  Odd, “quoted” & <b>bold</b> ')
    expect(error.message).toBe('The service says:   Odd, “quoted” & <b>bold</b> ')
    expect(error.details).toMatchObject({ code: 'ZX-81', requestId: 'r-17' })
    expect(error.details.raw).toContain('<b>bold</b>')
  })
})

describe('a number in the message', () => {
  test.each([
    ['qbd', 'Error code 3100: refused', /name is already used/],
    ['qbd', 'The request failed (error 3100).', /name is already used/],
    ['qbd', 'statusCode="3171" statusSeverity="Error"', /books are closed/],
    ['qbd', 'Code: 3140', /doesn’t exist in this company/],
    ['qbo', 'Business Validation Error: error 6000, blah', /QuickBooks doesn’t allow it/],
    ['qbo', 'errorCode=120; statusCode=401', /not authorized/],
    ['qbd', '3100: The name is already in use', /name is already used by a customer/],
    ['qbd', { Code: 'E-7', Message: '[3171] - closed until March' }, /books are closed/],
    ['qbd', '-2147220472: could not start', /couldn’t start/],
    [
      'qbo',
      { Message: 'Failed', Detail: '6240: Duplicate Name Exists Error' },
      /This name is already in use/,
    ],
  ])('%s: “%s” is a code', (application, words, message) => {
    expect(said(application, words).message).toMatch(message)
  })

  test.each([
    'Account code 3200 is inactive.',
    'The tax code 120 does not exist',
    'Postal code 2020 is not valid for this state',
    'Postal code: 3000',
    'Zip code "3100" not found',
    'Area code 610 is not a phone number',
    'Maximum length error: 120 characters',
    '3100 Main Street is not an address',
    '3120-4 is no account',
    '500: The object was not found',
    'The remote server returned an error: (500) Internal Server Error.',
    'Request failed with status code 500',
  ])('“%s” isn’t one, and the message stays as it is', (words) => {
    for (const application of ['qbd', 'qbo']) {
      expect(said(application, words).message).toBe(`The service says: ${words}`)
    }
  })

  test('500 is the server’s own if its words are', () => {
    expect(said('qbd', { Code: 500, Message: 'Internal server error' }).message).toMatch(/^The service says/)
    expect(said('qbd', { Code: 500, Message: 'Object "7" was not found.' }).message).toMatch(/was not found/)
  })
})

describe('the agent’s conditions (specification, section 1)', () => {
  test.each([
    ['The client machine is turned off', /computer isn’t responding/],
    ['The end user’s computer is not available.', /computer isn’t responding/],
    ['The user is not logged in to Windows', /No one is signed in/],
    ['No user is logged on to that machine', /No one is signed in/],
    ['The agent of this company is not connected.', /agent .* isn’t responding/],
    ['Agent not running', /agent .* isn’t responding/],
    ['The on-premises agent is offline', /agent .* isn’t responding/],
    ['Timed out waiting for the agent', /agent .* isn’t responding/],
    ['Could not reach the desktop agent', /agent .* isn’t responding/],
    ['No response from agent: agent did not respond in time', /agent .* isn’t responding/],
    ['The agent has no valid token for this company.', /no valid token/],
    ['Invalid token entered in the agent', /no valid token/],
    ['A different company file is open', /Another company file is open/],
    [
      'The company data file is already open and it is different from the one requested.',
      /Another company file is open/,
    ],
    ['The company file is not open', /file isn’t open/],
    ['A modal dialog box is showing in the user interface', /A dialog is open/],
    ['The user has denied access to the company file.', /Access wasn’t authorized/],
    ['This company has been de-provisioned', /company is inactive/],
    ['The company is not active', /company is inactive/],
    ['Only one request at a time can be processed', /still working on another request/],
  ])('%s', (words, message) => {
    for (const entry of [words, { message: words }, { Code: 'X', Detail: words }, { errorMessage: words }]) {
      const error = said('qbd', entry)
      expect(error.message).toMatch(message)
      expect(error.advice).not.toBe('')
    }
  })

  test('apply only to the desktop: online, a token isn’t the agent’s', () => {
    expect(said('qbo', 'Token expired: the online company has to be authorised again.').message).not.toMatch(
      /agent/,
    )
    expect(said('qbo', 'Unexpected token in field').message).toMatch(/^The service says/)
  })
})

describe('"nothing matched"', () => {
  const isOne = (application: string, entry: object, status = 200): boolean => {
    const [error] = decodeErrors({ Code: '1', Message: 'No matching object was found.', ...entry })
    return error !== undefined && isNothingMatched(application, error, status)
  }

  test.each([{}, { Severity: 'Info' }, { Severity: 'Warn' }, { Code: 1 }])(
    'is the desktop’s code 1, and isn’t an error: %o',
    (entry) => {
      expect(isOne('qbd', entry)).toBe(true)
    },
  )

  test.each([
    ['is no word of the online application', 'qbo', {}, 200],
    ['is no word of an application that is not known', '', {}, 200],
    ['is not under the status of an error', 'qbd', {}, 404],
    ['is no error', 'qbd', { Severity: 'Error' }, 200],
    ['is not an agent that is away', 'qbd', { Message: 'The agent did not answer.' }, 200],
    ['is another code', 'qbd', { Code: '500' }, 200],
  ])('%s', (_what, application, entry, status) => {
    expect(isOne(application, entry, status)).toBe(false)
  })

  test('doesn’t apply to an error that only has its number', () => {
    const entry = { StatusCode: 1, Severity: 'Error', Message: 'The agent did not answer.' }
    expect(said('qbd', entry)).toMatchObject({
      kind: 'company-unavailable',
      message: 'The agent on the client’s computer isn’t responding.',
    })
  })
})

describe('the key', () => {
  test.each([
    ['any words under 401', 401, 'Nope'],
    ['any words under 403', 403, 'Forbidden'],
    ['words about the key under any status', 200, 'The API key is invalid'],
    ['words about the key under any status', 400, 'x-api-key missing'],
    ['words about the key under any status', 500, 'Unknown key'],
  ])('is refused by %s (%i)', (_what, status, words) => {
    expect(said('qbd', words, status)).toMatchObject({
      kind: 'unauthorized',
      message: 'The service refused this key.',
      details: { requestId: 'r-17' },
    })
    const envelope = envelopeOf({ Errors: [words], Contents: [] }, status)
    expect(refusedKeyInEnvelope(envelope)?.kind).toBe('unauthorized')
    // For a write, only 401 and 403 prove that nothing was done.
    expect(refusedKeyOf(envelope)?.kind).toBe(status === 401 || status === 403 ? 'unauthorized' : undefined)
  })

  test.each([
    'Foreign key missing for Terms.',
    'There is no key for this index.',
    'Invalid key in line 3.',
    'Missing key FullName in the agent answer',
    'Violation: the key is not valid for the batch',
    'Duplicate key value violates a unique constraint',
  ])('isn’t rejected by a message about another key: %s', (words) => {
    expect(said('qbd', words, 200).kind).not.toBe('unauthorized')
    expect(refusedKeyInEnvelope(envelopeOf({ Errors: [words], Contents: [] }, 200))).toBeNull()
  })

  test.each(['Invalid key.', 'Your key has expired', 'No key', 'Unauthorized: the access key is not valid.'])(
    'is rejected by a message that says only that: %s',
    (words) => {
      expect(said('qbd', words, 200).kind).toBe('unauthorized')
    },
  )

  test('isn’t rejected by an error about a company, whatever its status', () => {
    for (const status of [200, 401, 403]) {
      expect(said('qbd', 'You may not use this company: it is inactive', status).kind).toBe(
        'company-unavailable',
      )
    }
  })
})

describe('*endpoint*, the service’s own word for a company', () => {
  test.each(['Endpoint client-13 is not active', 'The endpoint is inactive.', 'Inactive endpoint'])(
    'is one that has ended, even with 403: %s',
    (words) => {
      for (const status of [200, 403]) {
        const error = said('qbd', words, status)
        expect(error).toMatchObject({ kind: 'company-unavailable' })
        expect(error.message).toMatch(/company is inactive/)
      }
      expect(refusedKeyOf(envelopeOf({ Errors: [words], Contents: [] }, 403))).toBeNull()
    },
  )

  test.each([
    'Endpoint 6f1c-77 not found',
    'No such endpoint',
    'This endpoint does not exist',
    'Unknown endpoint',
  ])('isn’t a rejected key: %s', (words) => {
    expect(said('qbd', words, 403).kind).toBe('service-error')
  })

  test.each([
    'You may not call this endpoint',
    'Access to endpoint /v2/data is denied',
    'Endpoint v2: forbidden',
  ])('is an address where it is called one: %s', (words) => {
    expect(said('qbd', words, 403).kind).toBe('unauthorized')
  })
})

describe('the key, by errors of items', () => {
  const bare = (entry: unknown, status: number): ReturnType<typeof envelopeOf> =>
    envelopeOf({ Errors: [], Contents: [{ Object: null, Errors: [entry] }] }, status)

  test.each([
    ['any words under 401', 401, 'Nope'],
    ['any words under 403', 403, 'Forbidden'],
    ['words that name the service’s key', 200, 'Invalid API key'],
  ])('is refused by %s (%i)', (_what, status, words) => {
    expect(refusedKeyInEnvelope(bare(words, status))).toMatchObject({
      kind: 'unauthorized',
      details: { raw: words },
    })
  })

  test.each([
    ['an error that speaks of the company', 403, 'This company is inactive'],
    ['a code of an application’s own', 403, { Code: '80040420', Message: 'No' }],
    ['a code of an application’s own', 401, { Code: '3200', Message: 'Sign in again' }],
    ['a record’s own error about a key', 200, { Code: '3120', Message: 'Key not found.' }],
    ['a record’s own error about a key without a code', 200, 'Key not found.'],
  ])('is not refused by %s (%i)', (_what, status, entry) => {
    expect(refusedKeyInEnvelope(bare(entry, status))).toBeNull()
    expect(refusedKeyOf(bare(entry, status))).toBeNull()
  })

  test('isn’t rejected if only some items say so', () => {
    const contents = ['Invalid API key', 'Name is required'].map((words) => ({
      Object: null,
      Errors: [words],
    }))
    expect(refusedKeyInEnvelope(envelopeOf({ Errors: [], Contents: contents }, 200))).toBeNull()
  })

  test('is never the reason why a single record is refused', () => {
    const errors = decodeErrors({ Code: '', Message: 'Key not found.' })
    expect(translateErrors('qbd', errors, 'r-17', 200, 'record').message).toBe(
      'The service says: Key not found.',
    )
  })

  test.each([
    ['qbo', '120', 403],
    ['qbo', '6190', 401],
    ['qbd', '3260', 403],
  ])('isn’t rejected by %s %s with %i, which is about the company', (application, code, status) => {
    const error = said(application, { Code: code, Message: RAW }, status)
    expect(error.kind).not.toBe('unauthorized')
    expect(error.details).toMatchObject({ code, raw: expect.stringContaining(RAW) as string })
  })
})

describe('messages that only look like a condition of the agent', () => {
  test.each([
    'The string "Pop-Up Bakery" in the field "Name" is too long',
    'The specified sales agent was not found',
    'Field Computer Repair is not available for this object',
    'Sales quota must be a number',
    'The name “The dialog open house” is in use',
  ])('stay as they are: %s', (words) => {
    expect(said('qbd', { Code: '3070', Message: words })).toMatchObject({
      kind: 'service-error',
      message: `The service says: ${words}`,
    })
  })

  test.each([
    ['The user is not logged into Windows', /No one is signed in/],
    ['Nobody is logged on to the machine', /No one is signed in/],
    ['A different company is open', /Another company file is open/],
    ['The wrong file is open', /Another company file is open/],
    ['The accounting software is not running', /isn’t running/],
    ["The agent 'OFFICE-PC' is not running", /agent .* isn’t responding/],
    ['Agent: "the company file is not open"', /isn’t open in QuickBooks/],
  ])('differ from the agent’s own: %s', (words, message) => {
    expect(said('qbd', words)).toMatchObject({
      kind: 'company-unavailable',
      message: expect.stringMatching(message) as string,
    })
  })
})

describe('other known errors', () => {
  test('a timeout says what to check', () => {
    const error = timedOutError(180)
    expect(error).toMatchObject({ kind: 'timed-out', message: 'No response came within 3 minutes.' })
    expect(error.advice).toContain('Test company')
  })

  test.each([
    [429, null, 'The service is busy and asked Bookbridge to wait.'],
    [429, '30', 'The service is busy and asked Bookbridge to wait 30 seconds.'],
    [503, '600', 'The service is busy and asked Bookbridge to wait 10 minutes.'],
  ])('a rate limit (%i, Retry-After %s) says how long', (status, retryAfter, message) => {
    expect(busyError(status, retryAfter, 0)?.error).toMatchObject({
      kind: 'busy',
      message,
      details: { status, code: `HTTP ${status}` },
    })
  })

  test('a rate limit in words is the same', () => {
    expect(said('qbd', 'Rate limit exceeded').kind).toBe('busy')
    expect(said('', 'Too many requests').kind).toBe('busy')
  })

  test('an error without a message says so', () => {
    expect(translateErrors('qbd', [], 'r-17', 500)).toMatchObject({
      message: 'The service reported an error without details.',
      details: { status: 500, requestId: 'r-17' },
    })
  })

  test('further errors stay in Details', () => {
    const error = said('qbd', [
      { Code: '3100', Message: 'a' },
      { Code: '3140', Message: 'b' },
    ])
    expect(error.message).toMatch(/name is already used/)
    expect(error.details.more).toEqual([expect.stringContaining('3140')])
  })
})

describe('a report that a company doesn’t have', () => {
  test.each([
    'No budget has been set up.',
    'There are no budgets for this fiscal year.',
    'This report is not available for this company.',
    'Reports of this kind aren’t supported by this edition.',
    'Class tracking is turned off.',
    byCode('qbd', '3250').message,
  ])('is known by “%s”', (text) => {
    expect(saysNotAvailable(text)).toBe(true)
  })

  test.each([
    'Not for this user.',
    'The report could not be created.',
    'The report is not available right now. Try again.',
    'The report service is unavailable.',
    'The report is not available while the file is locked.',
    'Data is not available.',
    'Some classes were left out.',
    byCode('qbd', '3260').message,
  ])('is not known by “%s”', (text) => {
    expect(saysNotAvailable(text)).toBe(false)
  })
})
