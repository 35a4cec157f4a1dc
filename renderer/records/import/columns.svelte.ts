/** The columns of an import: the row of headings, the field of each column, and how its cells are written. */
import type { RememberedChoice } from '../../../shared/contract/import.ts'
import type { RecordSet } from '../../../shared/contract/records.ts'
import { type ColumnChoice, headingSetName, plainName, proposeColumns } from './headings.ts'
import { type ImportRow, REASON_HEADING, rowOfHeadings, withHeadings } from '../../../shared/import/table.ts'
import { editability, fieldWords, fieldsOf, importPaths } from '../../../shared/records/fields.ts'
import type { Api } from '../../api.ts'
import type { ComboboxOption } from '../../ui/fields/combobox.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import { importType } from './plan/plan.ts'
import { type ChosenWriting, type LocalWriting, columnReader } from './plan/values.ts'
import { importRecords } from './source.svelte.ts'

export class ImportColumns {
  readonly #api: Api
  readonly #list: RecordsList
  readonly #local: LocalWriting
  #rows = $state.raw<readonly ImportRow[]>([])
  #headingRow = $state<number | undefined>(undefined)
  /** The person's choices; `null` while the proposal stands. */
  #chosenColumns = $state.raw<readonly ColumnChoice[] | null>(null)
  #remembered = $state.raw<readonly RememberedChoice[]>([])
  chosen = $state.raw<ChosenWriting>({ marks: null, dates: null })

  readonly #table = $derived.by(() => withHeadings(this.#rows, this.#headingRow))
  readonly #options = $derived.by(() => this.#fieldOptions())
  readonly #proposed = $derived.by(() =>
    proposedChoices(this.#list.object, this.#table.headings, this.#options, this.#remembered),
  )
  readonly #reasons = $derived.by(() =>
    leftOutReasons(this.#list.object, this.#table.headings, this.#options),
  )
  readonly #doubts = $derived.by(() => this.#doubtful())

  constructor(api: Api, list: RecordsList, local: LocalWriting) {
    this.#api = api
    this.#list = list
    this.#local = local
  }

  get table() {
    return this.#table
  }

  /** The rows that may hold the headings. */
  get topRows(): readonly ImportRow[] {
    return this.#rows.slice(0, 15)
  }

  get choices(): readonly ColumnChoice[] {
    return this.#chosenColumns ?? this.#proposed
  }

  get options() {
    return this.#options
  }

  /** Why columns with a field's name can't be that field, by column. */
  get reasons(): ReadonlyMap<number, string> {
    return this.#reasons
  }

  /** Whether dates or amounts are ambiguous and the person hasn't said how to read them. */
  get doubts(): { readonly dates: boolean; readonly amounts: boolean } {
    return this.#doubts
  }

  /** Starts over with another table. */
  async take(rows: readonly ImportRow[]): Promise<void> {
    this.#rows = rows
    this.#headingRow = rowOfHeadings(rows, (headings) => this.#namedFields(headings))
    this.chosen = { marks: null, dates: null }
    await this.#remind()
  }

  async useHeadings(row: number): Promise<void> {
    this.#headingRow = row
    await this.#remind()
  }

  /** How many cells of a row are headings of fields. */
  #namedFields(headings: readonly string[]): number {
    const choices = proposedChoices(this.#list.object, headings, this.#options, [])
    return choices.filter(({ path }) => path !== null).length
  }

  /** Loads how these headings were mapped last time. Without an answer the names decide. */
  async #remind(): Promise<void> {
    const { object } = this.#list
    const headings = headingSetName(this.#table.headings)
    const known = await this.#api.call('import.mapping', { object, headings })
    this.#remembered = known.ok ? known.value.choices : []
    this.#chosenColumns = null
  }

  choose(column: number, path: string): void {
    this.#chosenColumns = withField(this.choices, column, path)
  }

  setEmptyMeans(column: number, emptyMeans: ColumnChoice['emptyMeans']): void {
    this.#chosenColumns = this.choices.map((choice) =>
      choice.column === column ? { ...choice, emptyMeans } : choice,
    )
  }

  #fieldOptions() {
    const list = this.#list
    const supported = new Set(list.support?.supported ?? [])
    return fieldOptions(list.object, list.reader.set?.fields ?? [], supported)
  }

  #doubtful(): { readonly dates: boolean; readonly amounts: boolean } {
    const { object } = this.#list
    const records = importRecords(this.#list).records
    const types = new Set(
      this.choices.flatMap(({ path, column }) => {
        const type = path === null ? 'text' : importType(object, path, records)
        if (type !== 'money' && type !== 'timestamp') return []
        const cells = this.#table.rows.map(({ cells: all }) => all[column] ?? '')
        return columnReader(type, cells, this.#local, { marks: null, dates: null }).isInDoubt ? [type] : []
      }),
    )
    return { dates: types.has('timestamp'), amounts: types.has('money') }
  }

  /** Remembers the choices for the next file with these headings. */
  async keep(): Promise<void> {
    await this.#api.call('import.keepMapping', {
      object: this.#list.object,
      headings: headingSetName(this.#table.headings),
      choices: this.choices.map(({ heading, path, emptyMeans }) => ({ heading, path, emptyMeans })),
    })
  }
}

/** Fields that only find the record and never change. */
const KEYS = ['ID', 'FullName']
/** The value that leaves a column out. */
export const LEFT_OUT = ''

export interface FieldOption {
  readonly path: string
  readonly words: string
  /** Why no column can be this field; empty when one can. */
  readonly because: string
  /** A remark on a field that can be chosen. */
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

/** The first proposal, from the fields that can be chosen: as last time, else by name. */
export function proposedChoices(
  object: string,
  headings: readonly string[],
  options: readonly FieldOption[],
  remembered: readonly RememberedChoice[],
): readonly ColumnChoice[] {
  const choosable = options.filter(({ because }) => because === '').map(({ path }) => path)
  return proposeColumns(object, headings, choosable, remembered)
}

/** Why columns with a field's name are left out, by column. */
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

/** Assigns a field to a column. A column that had the field before loses it. */
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

/** The options of a column's combobox. */
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

/** A heading for the screen; *Column 3* where it is empty. */
export function formatHeading(heading: string, column: number): string {
  return plainName(heading) === '' ? `Column ${String(column + 1)}` : heading
}
