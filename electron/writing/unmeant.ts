/**
 * What changed in a record beside what was edited, where no data definition tells who keeps it. *Assumption*
 * (service.md tells of no field but its name): the application moves dates of change, versions, balances and totals, and
 * names that follow; everything else that had a value and has another one now was not meant.
 */
import { ownValue, textOf, type EditValue, type FieldEdit } from '../../shared/records/changes.ts'

/** Words in the names of fields that an application moves by itself. */
const KEPT_WORDS: ReadonlySet<string> = new Set([
  'modified',
  'modification',
  'updated',
  'changed',
  'accessed',
  'sync',
  'sequence',
  'version',
  'revision',
  'etag',
  'stamp',
  'timestamp',
  'checksum',
  'hash',
  'balance',
  'total',
  'subtotal',
])

/**
 * Whether a value is not as it was, and nothing says that the application moved it by itself. What was empty and is
 * filled is news and no loss; what is emptied was never meant.
 * @param name of the field or part, without the path to it
 */
export function isUnmeantChange(
  name: string,
  was: unknown,
  is: unknown,
  edits: readonly FieldEdit[],
): boolean {
  if (!hasValue(was)) return false
  if (!hasValue(is)) return true
  if (Array.isArray(was) && Array.isArray(is)) {
    return was.length !== is.length || was.some((each, at) => isUnmeantChange(name, each, is[at], edits))
  }
  if (isObject(was) && isObject(is)) {
    return Object.entries(was).some(([part, value]) =>
      isUnmeantChange(part, value, ownValue(is, part), edits),
    )
  }
  const [before, after] = [textOf(was), textOf(is)]
  if (before === after) return false
  return !isKeptName(name) && !isLaterMoment(before, after) && !followsAnEdit(name, before, after, edits)
}

/** Whether something is there: an address whose parts are all empty has none. */
export function hasValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.values(value).some(hasValue)
    : textOf(value) !== ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `EditSequence`, `TIME_MODIFIED`, `balanceDue`: by the words that a name is made of. */
function wordsOf(name: string): readonly string[] {
  return (name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? []).map((word) => word.toLowerCase())
}

function isKeptName(name: string): boolean {
  return name === 'FullName' || wordsOf(name).some((word) => KEPT_WORDS.has(word))
}

/** A time of day that went on: the moment of a change. A date, such as when something is due, does not. */
function isLaterMoment(before: string, after: string): boolean {
  const [from, to] = [before, after].map(
    (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && Date.parse(text),
  )
  const isMidnight = /T00:00(?::00(?:\.0+)?)?(?!\d)/.test(after)
  return typeof from === 'number' && typeof to === 'number' && to > from && !isMidnight
}

/** A text with the edited words in it, or a name made of them. */
function followsAnEdit(name: string, before: string, after: string, edits: readonly FieldEdit[]): boolean {
  const isName = wordsOf(name).includes('name')
  return edits.some(({ was, now }) => {
    const [from, to] = [wordsIn(was), wordsIn(now)]
    if (to === '') return false
    return (isName && after.includes(to)) || (from !== '' && after === before.replaceAll(from, to))
  })
}

/** The text of a value that has letters in it; a yes or no, or a number, stands in many fields by chance. */
function wordsIn(value: EditValue | null): string {
  const text = typeof value === 'string' ? value : (value?.FullName ?? '')
  return /\p{L}/u.test(text) && !/^(?:true|false)$/i.test(text) ? text : ''
}
