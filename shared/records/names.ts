/** When two names mean the same: one rule for reading back, for import and for the warnings beside a draft. */

/**
 * A name as it is compared: without regard to case, to blanks around it and around the colons of a full name, to how
 * many of them stand in a row, and to how its accents are written (NFC), as the applications do. Never shown.
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

/** A text as a keyboard types it: with straight quotes and plain hyphens. */
export function asTyped(text: string): string {
  // Most texts have none of them, and one look is a third of three.
  if (!TYPOGRAPHIC.test(text)) return text
  return TYPED_AS.reduce((typed, [marks, key]) => typed.replace(marks, key), text)
}

/**
 * `nameKey` without regard to the form of quotes and dashes: a file has *O'Leary* where the list has *O’Leary*. It finds
 * records that people mean; it doesn't prove that two names are one, since applications tell these forms apart.
 */
export function typedNameKey(name: string): string {
  return nameKey(asTyped(name))
}

/** A mark of ours (an id) as it is compared: applications write ids in capitals, in braces or without dashes. */
export function markKey(mark: string): string {
  return mark.replace(/[\s{}()-]/g, '').toLowerCase()
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

/** Letters and digits alone, without accents, case, or compatibility forms; empty for a text that has none. */
export function looseKey(text: string): string {
  return decodeEntities(decodeEntities(text))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Characters from which on a shortened text can hardly be another one. */
const SHORTEST_CUT = 8

/** Whether two `looseKey`s are of one text, or of a text and the beginning of it. */
export function areAlike(left: string, right: string): boolean {
  if (left === '' || right === '') return false
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  return short === long || (short.length >= SHORTEST_CUT && long.startsWith(short))
}

/** Whether a key is alike to one of many (`areAlike`), in the time that it takes to read it. */
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
    // The first of them that comes after it is the one that begins with it, if any does.
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sorted[middle] ?? '') < key) from = middle + 1
      else to = middle
    }
    return sorted[from]?.startsWith(key) === true
  }
}

/** What a service puts in the place of a character that it can't store. */
const LOST = /[?\u{fffd}]/u

/** Whether a text may be what a service made of the one that was sent: cut, escaped, or with characters lost. */
export function isAlteredForm(sent: string, told: string): boolean {
  if (areAlike(looseKey(sent), looseKey(told))) return true
  if (!LOST.test(told) || LOST.test(sent)) return false
  const ascii = (text: string): string => text.replace(/[^\p{ASCII}]/gu, '')
  // A letter with an accent may be lost whole, or its accent alone.
  return [
    (text: string) => ascii(looseKey(text)),
    (text: string) => looseKey(ascii(text.normalize('NFC'))),
  ].some((plain) => areAlike(plain(sent), plain(told)))
}

/** Whether nothing is left of a text but the marks of what was lost. */
export function isWhollyLost(told: string): boolean {
  return LOST.test(told) && looseKey(told) === ''
}

/** A short fingerprint of a name, the same for all names that are one by `nameKey`. */
export function nameFingerprint(name: string): string {
  let hash = 0x81_1c_9d_c5
  for (const unit of new TextEncoder().encode(nameKey(name))) hash = Math.imul(hash ^ unit, 0x01_00_01_93)
  return (hash >>> 0).toString(36)
}
