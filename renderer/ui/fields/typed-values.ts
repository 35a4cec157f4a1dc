/** Parses typed text as a value of a field, in a cell or for many records. */
import { type NumberSeparators, parseTypedDecimal } from '../../../shared/format/money.ts'
import { type EditValue, EMPTY_REFERENCE, LONGEST_TEXT } from '../../../shared/records/changes.ts'
import type { FieldType } from '../../../shared/records/definition.ts'

export type Typed =
  { readonly ok: true; readonly value: EditValue } | { readonly ok: false; readonly reason: string }

const YES = new Set(['true', 'yes', 'y', '1', 'x', '✓', '✔', 'on', 'active'])
const NO = new Set(['false', 'no', 'n', '0', 'off', 'inactive', 'not active'])

/** Reads a word for yes or no, as people and applications write it; `null` for anything else. */
export function yesOrNo(text: string): boolean | null {
  // `Not-active` and `Not Active` are the same.
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
  return YES.has(word) ? true : NO.has(word) ? false : null
}

/**
 * Parses typed text.
 * @param canBeEmpty whether the field may be empty. Every field of a new record may, but the boolean and amount
 * fields of an existing one can't be cleared (decisions.md, "Clearing a field").
 */
export function readTyped(
  type: FieldType,
  text: string,
  separators: NumberSeparators,
  canBeEmpty: boolean,
): Typed {
  if (text.length > LONGEST_TEXT) return { ok: false, reason: 'This is too long for any field.' }
  const word = text.trim()
  switch (type) {
    case 'money':
      return readAmount(word, separators, canBeEmpty)
    case 'boolean': {
      const is = yesOrNo(word)
      if (is !== null) return { ok: true, value: String(is) }
      if (word === '' && canBeEmpty) return { ok: true, value: '' }
      return { ok: false, reason: 'Type yes or no.' }
    }
    case 'reference':
      return { ok: true, value: word === '' ? EMPTY_REFERENCE : { ID: '', FullName: word } }
    case 'text':
    case 'address':
    case 'contact':
    case 'timestamp':
      return { ok: true, value: text }
  }
}

function readAmount(word: string, separators: NumberSeparators, canBeEmpty: boolean): Typed {
  if (word === '') {
    return canBeEmpty ? { ok: true, value: '' } : { ok: false, reason: 'An amount can’t be blank. Type 0.' }
  }
  const amount = parseTypedDecimal(word, separators)
  if (amount !== null) return { ok: true, value: amount }
  return {
    ok: false,
    reason: `“${word}” is not an amount. Enter it like 1${separators.group}234${separators.decimal}50.`,
  }
}
