/**
 * What reading back teaches about a service: how names and marks come back, whether an answer says what is stored,
 * whether IDs last, and how its clock and its lists lag. Pure functions; the first insert and the first change of a list
 * are read back for this, and so is every later array with a kind of text that none before it had.
 */
import {
  isEmpty,
  pathType,
  sameValue,
  topField,
  valueAt,
  type FieldEdit,
  type RecordData,
} from '../../shared/records/changes.ts'
import type { JournalOperation, Learned, Manners } from '../store/journal.ts'
import { markSays } from './marks.ts'
import { createdAt, idOf } from './names.ts'

/** Characters up to which texts were read back; desktop applications cut names at 31 or 41 and phones at 21. */
const LENGTHS = [21, 31, 41, 100] as const

const KINDS: readonly (readonly [trait: string, pattern: RegExp])[] = [
  ['markup', /[&<>]/],
  ['quotes', /['"‘’“”]/],
  ['colon', /:/],
  ['blanks', /^\s|\s\s|\s$/],
  ['control', /\p{C}/u],
  ['accents', /\p{M}|[À-ɏ]/u],
  ['other script', /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u],
  ['compatibility', /[\u{fb00}-\u{fb4f}\u{ff00}-\u{ffef}]/u],
]

/** The kinds of text among the edits, by which a service may alter them. Each field counts as one by itself. */
function textTraits(edits: readonly FieldEdit[]): readonly string[] {
  const traits = new Set<string>()
  for (const { path, now } of edits) {
    const text = typeof now === 'string' ? now : now.FullName
    const length = LENGTHS.find((most) => text.length <= most)
    traits.add(`${path.slice(0, 60)} ${length ?? 'long'}`)
    for (const [trait, pattern] of KINDS) if (pattern.test(text)) traits.add(trait)
  }
  return [...traits]
}

/** Whether what an answer calls saved has to be read before it is believed. */
export function needsReadingBack(manners: Manners, operations: readonly JournalOperation[]): boolean {
  const { isProven, learned } = manners
  if (!isProven || learned.answersAsStored === false || learned.keepsIds === false) return true
  const known = new Set(learned.traits)
  return operations.some(({ edits }) => textTraits(edits).some((trait) => !known.has(trait)))
}

/** One record that was read back. */
export interface ReadBack {
  readonly operation: JournalOperation
  /** As the answer told it; `null` where none did. */
  readonly told: RecordData | null
  readonly stored: RecordData
  /** When it was sent, and when it was first found, in milliseconds since 1970. */
  readonly sentAt: number
  readonly foundAt: number
  /** The answer was followed at once by a read that found it. */
  readonly isFoundAtOnce: boolean
}

/** Traits that are kept, at most: with more, the oldest are read back once again. */
const MOST_TRAITS = 200

export function learnFrom(learned: Learned, read: ReadBack): Learned {
  const { operation, told, stored } = read
  const isStoredAsTold = told !== null && isAsTold(operation, told, stored)
  const traits = isStoredAsTold
    ? [...new Set([...learned.traits, ...textTraits(operation.edits)])]
    : learned.traits
  const next: Learned = {
    ...learned,
    answersAsStored:
      told === null ? learned.answersAsStored : learned.answersAsStored !== false && isStoredAsTold,
    traits: traits.slice(-MOST_TRAITS),
  }
  if (operation.kind === 'change') return next
  const name = operation.edits.find(({ path }) => path === 'Name')
  const isNamed = name !== undefined && !isEmpty(name.now)
  const keepsName = isNamed && sameValue('text', valueAt(operation.object, stored, 'Name'), name.now)
  const says = markSays(operation.mark, stored)
  const toldId = operation.recordId || (told === null ? '' : idOf(told))
  const lag = read.isFoundAtOnce ? 0 : Math.max(0, read.foundAt - read.sentAt)
  return {
    ...next,
    keepsNames: isNamed ? learned.keepsNames !== false && keepsName : learned.keepsNames,
    keepsMarks: operation.mark === '' ? learned.keepsMarks : learned.keepsMarks !== false && says === 'ours',
    keepsIds: toldId === '' ? learned.keepsIds : learned.keepsIds !== false && toldId === idOf(stored),
    clockAhead: clockAhead(stored, read) ?? learned.clockAhead,
    lag: toldId === '' ? learned.lag : Math.max(learned.lag ?? 0, lag),
  }
}

/** Whether what the answer says about the fields that were sent is what is stored. */
function isAsTold({ object, edits }: JournalOperation, told: RecordData, stored: RecordData): boolean {
  return edits.every(({ path }) => {
    if (!Object.hasOwn(told, topField(path))) return true
    return sameValue(pathType(object, path), valueAt(object, told, path), valueAt(object, stored, path))
  })
}

/** A service dates a record between its arrival and its answer; what is dated days away is dated by other rules. */
const LONGEST_DIFFERENCE = 3 * 24 * 60 * 60_000
/** Milliseconds of difference that the way of a request explains. */
const UNTOLD_DIFFERENCE = 5_000

function clockAhead(stored: RecordData, { sentAt, foundAt, isFoundAtOnce }: ReadBack): number | null {
  const created = createdAt(stored)
  if (!isFoundAtOnce || !/T\d\d:\d\d.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(created)) return null
  const at = Date.parse(created)
  if (Number.isNaN(at)) return null
  const ahead = at < sentAt ? at - sentAt : at > foundAt ? at - foundAt : 0
  if (Math.abs(ahead) > LONGEST_DIFFERENCE) return null
  return Math.abs(ahead) < UNTOLD_DIFFERENCE ? 0 : ahead
}
