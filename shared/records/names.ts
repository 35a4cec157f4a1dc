/** Decides whether two names are the same. Shared by reading back, import, and the warnings about drafts. Pure. */
import { isObject, type RecordData, textOf } from './changes.ts'

/**
 * A key for comparing names as the applications do: it ignores case, spaces around the name and around colons, repeated
 * spaces, and how accents are encoded (NFC). Never shown.
 */
export function nameKey(name: string): string {
  return name
    .normalize('NFC')
    .trim()
    .replace(/\s*:\s*/g, ':')
    .replace(/\s+/g, ' ')
    .toLowerCase()
}

const TYPOGRAPHIC = /[`\u00b4\u02bc\u2010-\u2015\u2018-\u201f\u2032\u2033\u2212]/
const TYPED_AS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u02bc`\u00b4\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
]

/** A text with the straight quotes and plain hyphens of a keyboard. */
export function withPlainPunctuation(text: string): string {
  // Most texts have none, and one test is three times as fast as three replacements.
  if (!TYPOGRAPHIC.test(text)) return text
  return TYPED_AS.reduce((typed, [marks, key]) => typed.replace(marks, key), text)
}

/**
 * `nameKey` that also ignores the form of quotes and dashes: a file may have *O'Leary* for the list's *O’Leary*. It finds
 * the record that a user means. It doesn't prove that two names are the same, because applications distinguish these
 * forms.
 */
export function typedNameKey(name: string): string {
  return nameKey(withPlainPunctuation(name))
}

/** A key for comparing our external IDs. Applications may change their case, add braces, or drop hyphens. */
export function externalIdKey(externalId: string): string {
  return externalId.replace(/[\s{}()-]/g, '').toLowerCase()
}

/**
 * Identifies a record's parent: by its ID, or else by its full name, with which the record's own full name begins
 * (*Alder, Ann:Kitchen*). Empty if there is none.
 */
export function parentOf(record: RecordData): string {
  const [name, fullName] = [textOf(record['Name']), textOf(record['FullName'])]
  const parent = record['Parent']
  const given = isObject(parent) ? textOf(parent['ID']) || textOf(parent['FullName']) : textOf(parent)
  // Compare the lengths first: most records have nothing above them, and comparing texts takes longer.
  const isBelow = fullName.length > name.length && fullName.endsWith(`:${name}`)
  if (given !== '' || name === '' || !isBelow) return given
  return fullName.slice(0, -name.length - 1)
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function decodeEntities(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,4});/gi, (whole, entity: string) => {
    if (!entity.startsWith('#')) return ENTITIES[entity.toLowerCase()] ?? whole
    const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}

/** Only the letters and digits of a text, without accents, case, or compatibility forms. */
export function looseKey(text: string): string {
  return decodeEntities(decodeEntities(text))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** A shortened text with at least this many characters is unlikely to be another one. */
const SHORTEST_CUT = 8

/** Whether two `looseKey`s are equal, or one is the beginning of the other. */
export function areAlike(left: string, right: string): boolean {
  if (left === '' || right === '') return false
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  return short === long || (short.length >= SHORTEST_CUT && long.startsWith(short))
}

/** `areAlike` against many keys, in time that depends only on the length of the key. */
export function alikeAmong(keys: Iterable<string>): (key: string) => boolean {
  const known = new Set([...keys].filter((key) => key !== ''))
  const sorted = [...known].toSorted((a, b) => (a < b ? -1 : 1))
  return (key) => {
    if (key === '') return false
    if (known.has(key)) return true
    for (let length = SHORTEST_CUT; length < key.length; length += 1) {
      if (known.has(key.slice(0, length))) return true
    }
    if (key.length < SHORTEST_CUT) return false
    // If any key begins with it, the first one after it does.
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sorted[middle] ?? '') < key) from = middle + 1
      else to = middle
    }
    return sorted[from]?.startsWith(key) === true
  }
}

/** What a service puts in place of a character that it can't store. */
const LOST = /[?\u{fffd}]/u

/** Whether a service may have turned what was sent into this text: shortened, escaped, or with characters lost. */
export function isAlteredForm(sent: string, returned: string): boolean {
  if (areAlike(looseKey(sent), looseKey(returned))) return true
  if (!LOST.test(returned) || LOST.test(sent)) return false
  const ascii = (text: string): string => text.replace(/[^\p{ASCII}]/gu, '')
  // A service may lose a letter with an accent, or only the accent.
  return [
    (text: string) => ascii(looseKey(text)),
    (text: string) => looseKey(ascii(text.normalize('NFC'))),
  ].some((plain) => areAlike(plain(sent), plain(returned)))
}

/** Whether only the marks of lost characters are left of a text. */
export function isCompletelyLost(returned: string): boolean {
  return LOST.test(returned) && looseKey(returned) === ''
}

/** A short fingerprint, equal for names with the same `nameKey`. */
export function nameFingerprint(name: string): string {
  let hash = 0x81_1c_9d_c5
  for (const unit of new TextEncoder().encode(nameKey(name))) hash = Math.imul(hash ^ unit, 0x01_00_01_93)
  return (hash >>> 0).toString(36)
}
