// A key that a service echoes is found in every encoding, and in two encodings on top of each other.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMask, redact, redactedText } from '../../../electron/service/errors/redact.ts'
import { isDeep } from '../../seeds.ts'

const RUNS = isDeep ? 50_000 : 60
const KEY = 'sk-Live_4f9A+b2C/8dE1zz90QwErTyUiOp'

type Spelling = (text: string) => string

const bytesOf = (text: string): number[] => [...Buffer.from(text)]
const hexOf = (text: string): string => Buffer.from(text).toString('hex')

/** According to RFC 4648, with padding. */
function base32(text: string): string {
  const bits = bytesOf(text)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  const digits = bits.match(/.{1,5}/g) ?? []
  const letters = digits.map((each) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(parseInt(each.padEnd(5, '0'), 2)),
  )
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=')
}

/** The encodings that may be within another one. */
const INNER: Readonly<Record<string, Spelling>> = {
  plain: (text) => text,
  reversed: (text) => [...text].reverse().join(''),
  hex: hexOf,
  'hex in capitals': (text) => hexOf(text).toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 of UTF-16, big end first': (text) => Buffer.from(text, 'utf16le').swap16().toString('base64'),
  base32,
  'base32 in small letters': (text) => base32(text).toLowerCase(),
  'percent, all of it': (text) => hexOf(text).replace(/../g, '%$&'),
  'escaped for JSON': (text) => hexOf(text).replace(/../g, '\\u00$&'),
  entities: (text) =>
    bytesOf(text)
      .map((byte) => `&#${String(byte)};`)
      .join(''),
  spaced: (text) => [...text].join(' '),
  'small letters': (text) => text.toLowerCase(),
}

/** What an error's message contains. */
const OUTER: Readonly<Record<string, Spelling>> = {
  ...INNER,
  'marks of no width': (text) => [...text].join('\u200b'),
  'wide letters': (text) =>
    text.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
  'hex in mixed case, with colons': (text) =>
    hexOf(text)
      .replace(/../g, '$&:')
      .replace(/[a-f]/g, (each, at: number) => (at % 2 === 0 ? each.toUpperCase() : each)),
  'percent of percent': (text) => hexOf(text).replace(/../g, '%25$&'),
  'hexadecimal entities': (text) => hexOf(text).replace(/../g, '&amp;#x$&;'),
  'a list of bytes': (text) => JSON.stringify(bytesOf(text)),
  'a list of hex bytes': (text) => hexOf(text).replace(/../g, '0x$&, '),
  'in lines': (text) => text.replace(/.{8}/g, '$&\r\n'),
}

const pairs = Object.keys(INNER).flatMap((inner) => Object.keys(OUTER).map((outer) => ({ inner, outer })))

/** Whether a part of it is left in the redacted text, apart from the edges that it shares with its neighbors. */
function isSaid(words: string, echoed: string): boolean {
  const middle = echoed.slice(Math.floor(echoed.length / 2) - 8, Math.floor(echoed.length / 2) + 8)
  return words.includes(middle)
}

describe('a key in a service’s message', () => {
  test.each(pairs)('as $inner in $outer is masked, and the text around it stays', ({ inner, outer }) => {
    const echoed = OUTER[outer]?.(INNER[inner]?.(KEY) ?? '') ?? ''
    const words = redact(`The key ${echoed} is unknown.`, createMask([KEY]))
    expect(isSaid(words, echoed)).toBe(false)
    expect(words).toMatch(/^The key .{0,24}•••.{0,50} is unknown\.$/s)
  })

  test('is masked anywhere in encoded text, whatever its length', () => {
    const unit = fc.constantFrom(...'abcXYZ019-_+/=.'.split(''))
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        fc.string({ unit, minLength: 30, maxLength: 200 }),
        fc.string({ maxLength: 12 }),
        fc.string({ maxLength: 12 }),
        ({ inner, outer }, key, before, after) => {
          const spell = (text: string): string => OUTER[outer]?.(INNER[inner]?.(text) ?? '') ?? ''
          const words = redact(spell(`${before} ${key} ${after}`), createMask([key]), 1e6)
          // Its neighbors, and the edges of the encoding that it shares with them.
          expect(words.length).toBeLessThan(spell(`${before} ${key.slice(0, 20)} ${after}`).length)
        },
      ),
      { numRuns: RUNS },
    )
  })

  test.each(['.././.=/_aaaaaaaaaaaaaaaa-_.=_..-', '=_-..--=..__./=.._.=abcXYZ019abcXYZ019'])(
    'is masked with its punctuation: %s',
    (key) => {
      const wide = OUTER['wide letters']?.(key) ?? ''
      expect(redact(`The key (${wide}) is unknown.`, createMask([key]))).toBe('The key (•••) is unknown.')
      expect(redact(`The key (${[...key].join(' ')}) is unknown.`, createMask([key]))).toBe(
        'The key (•••) is unknown.',
      )
    },
  )

  test('is masked if the text was cut within it', () => {
    const echoed = Buffer.from(Buffer.from(KEY).toString('base64')).toString('hex')
    expect(redact(`Echo: ${echoed.slice(0, 30)}… and more`, createMask([KEY]))).toBe('Echo: •••… and more')
  })

  test('masks nothing else', () => {
    const words =
      'Error 3100: the name “Cedar & Sons” is in use. RequestId 7d9f1c2a-5b64-4e0f-9a31-0c8f6d2e4b17. 100%25 &eacute; \\u00e9'
    expect(redact(words, createMask([KEY]))).toBe(words)
    expect(redact(words, createMask(['in use', 'short']))).toBe(words.replace('in use', '•••'))
  })

  test('is searched for in the part of an answer that a user reads, and the rest isn’t kept', () => {
    const block = new TextEncoder().encode(`${'x'.repeat(1_000_000)}${KEY}`)
    const kept = redactedText(
      { status: 200, contentType: '', blocks: [block], length: block.length },
      createMask([KEY]),
    )
    expect(kept).toBe(`${'x'.repeat(1_000_000)}…`)
  })
})
