/** The columns of an import: the row of headings, the field of each column, and how its cells are written. */
import type {
  ColumnMapping,
  DerivedColumn,
  RememberedChoice,
  SavedMapping,
} from '../../../shared/contract/import.ts'
import { topField } from '../../../shared/records/changes.ts'
import type { RecordSet } from '../../../shared/contract/records.ts'
import { type ColumnChoice, headingSetName, plainName, proposeColumns } from './headings.ts'
import { type ImportRow, REASON_HEADING, rowOfHeadings, withHeadings } from '../../../shared/import/table.ts'
import { editability, fieldWords, fieldsOf, importPaths } from '../../../shared/records/fields.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import {
  SPLITS,
  applicable,
  columnName,
  derivedHeadings,
  sourcesOf,
  withDerived,
  type SplitBy,
} from './derived.ts'
import { templatesFor } from './templates.ts'
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

  #derived = $state.raw<readonly DerivedColumn[]>([])
  #saved = $state.raw<readonly SavedMapping[]>([])
  /** The name of the mapping in use; empty for the proposal. */
  mappingName = $state('')

  readonly #fileTable = $derived.by(() => withHeadings(this.#rows, this.#headingRow))
  readonly #table = $derived.by(() => withDerived(this.#fileTable, this.#derived))
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

  /** The file's columns, with the derived ones after them. */
  get table() {
    return this.#table
  }

  /** The file's own columns. */
  get fileTable() {
    return this.#fileTable
  }

  get derived(): readonly DerivedColumn[] {
    return this.#derived
  }

  /** The mappings for programs that Bookbridge knows. */
  get templates(): readonly SavedMapping[] {
    return templatesFor(this.#list.object)
  }

  get savedMappings(): readonly SavedMapping[] {
    return this.#saved
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
    this.#derived = []
    this.#headingRow = rowOfHeadings(rows, (headings) => this.#namedFields(headings))
    this.chosen = { marks: null, dates: null }
    await Promise.all([this.#remind(), this.#loadSaved()])
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
    const headings = headingSetName(this.#fileTable.headings)
    const known = await this.#api.call('import.mapping', { object, headings })
    this.mappingName = ''
    this.#use(known.ok ? known.value : { choices: [], derived: [] })
  }

  #use({ choices, derived }: ColumnMapping): void {
    this.#derived = applicable(this.#fileTable.headings, derived)
    this.#remembered = choices
    this.#chosenColumns = null
  }

  /** Uses a template or a saved mapping; an empty name goes back to the proposal. */
  async useMapping(name: string): Promise<void> {
    const known = [...this.#saved, ...this.templates].find((each) => each.name === name)
    if (!known) return this.#remind()
    this.mappingName = name
    this.#use(known.mapping)
  }

  async #loadSaved(): Promise<void> {
    const answer = await this.#api.call('import.savedMappings', { object: this.#list.object })
    this.#saved = answer.ok ? answer.value.mappings : []
  }

  /** Saves the choices under a name. @returns why not, where that failed */
  async saveMapping(name: string): Promise<AppError | null> {
    const { object } = this.#list
    const saved = await this.#api.call('import.saveMapping', { object, name, mapping: this.#mapping() })
    if (!saved.ok) return saved.error
    await this.#loadSaved()
    this.mappingName = name
    return null
  }

  /** Deletes the saved mapping in use. The choices stay. */
  async deleteMapping(): Promise<AppError | null> {
    const deleted = await this.#api.call('import.deleteMapping', {
      object: this.#list.object,
      name: this.mappingName,
    })
    if (!deleted.ok) return deleted.error
    this.mappingName = ''
    await this.#loadSaved()
    return null
  }

  #mapping(): ColumnMapping {
    return {
      choices: this.choices.map(({ heading, path, emptyMeans }) => ({ heading, path, emptyMeans })),
      derived: this.#derived,
    }
  }

  /** Splits a column of the file. Its pieces get the fields that they are named for. */
  split(column: number, by: SplitBy): void {
    const { headings } = this.#fileTable
    const field = topField(this.choices[column]?.path ?? '')
    const isAddress = this.#options.some(({ path }) => path === `${field}.City`)
    const address = isAddress ? `${field}.` : firstAddress(this.#options)
    const paths = SPLITS[by].pieces.map(({ field: piece }) =>
      by === 'city-state-zip' ? `${address}${piece}` : piece,
    )
    this.#derive({ kind: 'split', column: columnName(headings, column), by }, paths)
  }

  /** Combines columns of the file into one, for the field of the first that has one. */
  combine(
    columns: readonly number[],
    separator: Extract<DerivedColumn, { kind: 'combine' }>['separator'],
  ): void {
    const { headings } = this.#fileTable
    const path = columns.map((column) => this.choices[column]?.path).find((each) => each !== null) ?? LEFT_OUT
    const names = columns.map((column) => columnName(headings, column))
    this.#derive({ kind: 'combine', columns: names, separator }, [path])
  }

  #derive(derived: DerivedColumn, paths: readonly string[]): void {
    const sources = sourcesOf(this.#fileTable.headings, derived)
    const choosable = new Set(this.#options.flatMap(({ path, because }) => (because === '' ? [path] : [])))
    let choices = this.choices.map((choice) =>
      sources.includes(choice.column) ? { ...choice, path: null } : choice,
    )
    for (const [at, heading] of derivedHeadings(derived).entries()) {
      const column = choices.length
      const path = paths[at] ?? LEFT_OUT
      choices.push({ column, heading, path: null, emptyMeans: 'leave' })
      if (choosable.has(path)) choices = [...withField(choices, column, path)]
    }
    this.#derived = [...this.#derived, derived]
    this.#chosenColumns = choices
  }

  /** Removes a derived column, with the other pieces of its split. */
  removeDerived(derived: DerivedColumn): void {
    const at = this.#derived.indexOf(derived)
    const widths = this.#derived.map((each) => derivedHeadings(each).length)
    const from = widths.slice(0, at).reduce((sum, width) => sum + width, this.#fileTable.headings.length)
    const choices = this.choices.filter(({ column }) => column < from || column >= from + (widths[at] ?? 0))
    this.#derived = this.#derived.filter((each) => each !== derived)
    this.#chosenColumns = choices.map((choice, column) => ({ ...choice, column }))
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
      headings: headingSetName(this.#fileTable.headings),
      mapping: this.#mapping(),
    })
  }
}

/** The first address of a list, with its dot; empty for a list without one. */
function firstAddress(options: readonly FieldOption[]): string {
  const city = options.find(({ path, because }) => path.endsWith('.City') && because === '')
  return city ? `${topField(city.path)}.` : ''
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
    if (KEYS.includes(path)) return { path, words, because: '', note: 'used to match' }
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
    if (heading === REASON_HEADING) reasons.set(column, 'This column is from an earlier import.')
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
    { value: LEFT_OUT, label: 'Skip' },
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
