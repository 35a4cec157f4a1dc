/** The fields that a column of a file can go to. Pure. */
import type { RememberedChoice } from '../../../../shared/contract/import.ts'
import type { OpenedSet } from '../../../../shared/contract/records.ts'
import { REASON_HEADING } from '../../../../shared/import/table.ts'
import { pathType, topField } from '../../../../shared/records/changes.ts'
import { editability, fieldsOf, importPaths, pathHeading } from '../../../../shared/records/fields.ts'
import type { ComboboxOption } from '../../../ui/fields/combobox.svelte.ts'
import { clearRefusal } from '../plan/import-fields.ts'
import { type ColumnTarget, proposeColumns } from './headings.ts'

/** The path prefix of a list's first address, such as `BillingAddress.`; empty if the list has none. */
export function firstAddress(options: readonly FieldOption[]): string {
  const city = options.find(({ path, reason }) => path.endsWith('.City') && reason === '')
  return city ? `${topField(city.path)}.` : ''
}

const KEYS = ['ID', 'FullName']

/** Whether a field identifies the record, so that it is never changed or cleared. */
export function isMatchKey(path: string): boolean {
  return KEYS.includes(path)
}

/** The option that skips a column. */
export const SKIP_COLUMN = ''

export interface FieldOption {
  readonly path: string
  readonly label: string
  /** Why the field can't be imported; empty if it can. */
  readonly reason: string
  /** A hint about a field that can be imported. */
  readonly note: string
}

/**
 * Lists every field of an object in the order of its definition.
 * @param found fields found in the records, with their members
 * @param supported paths that the metadata lists for this company's application
 */
export function fieldOptions(
  object: string,
  found: OpenedSet['fields'],
  supported: ReadonlySet<string>,
): readonly FieldOption[] {
  const fields = new Map(found.map(({ name, members }) => [name, new Set(members)]))
  for (const [name, members] of fieldsOf(supported)) {
    fields.set(name, new Set([...(fields.get(name) ?? []), ...members]))
  }
  const all = [...fields].map(([name, members]) => ({ name, members: [...members] }))
  return importPaths(object, all).map((path) => {
    const label = pathHeading(object, path)
    if (isMatchKey(path)) return { path, label, reason: '', note: 'used to match' }
    const existing = editability(object, path, supported, 'existing')
    if (existing.editable) return { path, label, reason: '', note: '' }
    const isForNew = editability(object, path, supported, 'new').editable
    return isForNew
      ? { path, label, reason: '', note: 'new records only' }
      : { path, label, reason: existing.reason, note: '' }
  })
}

/** The fields of existing records that an import can change and that can be blank. */
export function clearablePaths(object: string, options: readonly FieldOption[]): ReadonlySet<string> {
  const canClear = ({ path, reason, note }: FieldOption): boolean =>
    reason === '' &&
    note === '' &&
    clearRefusal(object, { path, heading: '', type: pathType(object, path) }) === ''
  return new Set(options.filter(canClear).map(({ path }) => path))
}

/** Proposes fields from the remembered choices, and otherwise from the headings. Only importable fields are used. */
export function proposedChoices(
  object: string,
  headings: readonly string[],
  options: readonly FieldOption[],
  remembered: readonly RememberedChoice[],
): readonly ColumnTarget[] {
  const choosable = options.filter(({ reason }) => reason === '').map(({ path }) => path)
  return proposeColumns(object, headings, choosable, remembered)
}

/** By column index: why a column is skipped although its heading names a field. */
export function leftOutReasons(
  object: string,
  headings: readonly string[],
  options: readonly FieldOption[],
): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>()
  const byPath = new Map(options.map((option) => [option.path, option]))
  const paths = options.map(({ path }) => path)
  for (const { column, path, heading } of proposeColumns(object, headings, paths, [])) {
    const reason = path === null ? '' : (byPath.get(path)?.reason ?? '')
    if (reason !== '') reasons.set(column, reason)
    if (heading === REASON_HEADING) reasons.set(column, 'This column is from an earlier import.')
  }
  return reasons
}

/** Assigns a field to a column and removes it from any other column. */
export function withField(
  choices: readonly ColumnTarget[],
  column: number,
  path: string,
): readonly ColumnTarget[] {
  return choices.map((choice) => {
    if (choice.column === column) return { ...choice, path: path === SKIP_COLUMN ? null : path }
    return choice.path === path && path !== SKIP_COLUMN ? { ...choice, path: null } : choice
  })
}

/** The options of a column's combobox. */
export function comboboxOptions(options: readonly FieldOption[]): readonly ComboboxOption[] {
  return [
    { value: SKIP_COLUMN, label: 'Skip' },
    ...options.map(({ path, label, reason, note }) => {
      const hint = reason || note
      return {
        value: path,
        label,
        ...(hint === '' ? {} : { note: hint }),
        ...(reason === '' ? {} : { disabled: true }),
      }
    }),
  ]
}
