/** Which fields of a list a column of a file may be, and why the others can't be chosen; pure. */
import type { RecordSet } from '../../../shared/contract/records.ts'
import { fieldWords, importPaths } from '../../../shared/field-words.ts'
import {
  plainName,
  proposeColumns,
  type ColumnChoice,
  type RememberedChoice,
} from '../../../shared/import-columns.ts'
import { REASON_HEADING } from '../../../shared/import-failures.ts'
import { editability, fieldsOf } from '../../../shared/editability.ts'
import type { ComboboxOption } from '../../ui/narrow.ts'

/** They say which record a row is about, and are never changed. */
const KEYS = ['ID', 'FullName']
/** The value that leaves a column out. */
export const LEFT_OUT = ''

export interface FieldOption {
  readonly path: string
  readonly words: string
  /** Why no column can be this field; empty when one can. */
  readonly because: string
  /** What is said beside one that can be chosen. */
  readonly note: string
}

/**
 * Every field of a list, in the definition's order.
 * @param found fields found in the records, with their members
 * @param supported paths that metadata lists for this company's application
 */
export function fieldOptions(
  object: string,
  found: RecordSet['fields'],
  supported: ReadonlySet<string>,
): readonly FieldOption[] {
  const fields = new Map(found.map(({ name, members }) => [name, new Set(members)]))
  for (const [name, members] of fieldsOf(supported)) {
    fields.set(name, new Set([...(fields.get(name) ?? []), ...members]))
  }
  const all = [...fields].map(([name, members]) => ({ name, members: [...members] }))
  return importPaths(object, all).map((path) => {
    const words = fieldWords(object, path)
    if (KEYS.includes(path)) return { path, words, because: '', note: 'finds the record' }
    const existing = editability(object, path, supported, 'existing')
    if (existing.editable) return { path, words, because: '', note: '' }
    const isForNew = editability(object, path, supported, 'new').editable
    return isForNew
      ? { path, words, because: '', note: 'new records only' }
      : { path, words, because: existing.because, note: '' }
  })
}

/** What the columns are taken for at first: by name, or as the last time; only what can be chosen. */
export function proposedChoices(
  object: string,
  headings: readonly string[],
  options: readonly FieldOption[],
  remembered: readonly RememberedChoice[],
): readonly ColumnChoice[] {
  const takable = options.filter(({ because }) => because === '').map(({ path }) => path)
  return proposeColumns(object, headings, takable, remembered)
}

/** Why a column is left out that has the name of a field, by the column's place in the file. */
export function leftOutReasons(
  object: string,
  headings: readonly string[],
  options: readonly FieldOption[],
): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>()
  const byPath = new Map(options.map((option) => [option.path, option]))
  const paths = options.map(({ path }) => path)
  for (const { column, path, heading } of proposeColumns(object, headings, paths, [])) {
    const because = path === null ? '' : (byPath.get(path)?.because ?? '')
    if (because !== '') reasons.set(column, because)
    if (heading === REASON_HEADING) reasons.set(column, 'It is from an import before this one.')
  }
  return reasons
}

/** The choice with a column as another field; no two columns are the same one. */
export function withField(
  choices: readonly ColumnChoice[],
  column: number,
  path: string,
): readonly ColumnChoice[] {
  return choices.map((choice) => {
    if (choice.column === column) return { ...choice, path: path === LEFT_OUT ? null : path }
    return choice.path === path && path !== LEFT_OUT ? { ...choice, path: null } : choice
  })
}

/** What a column can be chosen as. */
export function comboboxOptions(options: readonly FieldOption[]): readonly ComboboxOption[] {
  return [
    { value: LEFT_OUT, label: 'Leave out' },
    ...options.map(({ path, words, because, note }) => {
      const said = because || note
      return {
        value: path,
        label: words,
        ...(said === '' ? {} : { note: said }),
        ...(because === '' ? {} : { disabled: true }),
      }
    }),
  ]
}

/** A heading as it is shown, also where it is empty. */
export function headingWords(heading: string, column: number): string {
  return plainName(heading) === '' ? `Column ${String(column + 1)}` : heading
}
