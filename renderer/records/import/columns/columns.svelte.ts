/** The columns of an import: the heading row, the field of each column, and the format of its cells. */
import type {
  ColumnMapping,
  DerivedColumn,
  RememberedChoice,
  SavedMapping,
} from '../../../../shared/contract/import.ts'
import { type ImportRow, rowOfHeadings, withHeadings } from '../../../../shared/import/table.ts'
import { topField } from '../../../../shared/records/changes.ts'
import type { AppError } from '../../../../shared/result.ts'
import type { Api } from '../../../api.ts'
import type { RecordsList } from '../../list/records-list.svelte.ts'
import { importType } from '../plan/import-fields.ts'
import { type ChosenFormats, createColumnReader, type LocalFormats } from '../plan/values.ts'
import { importRecords } from '../source.ts'
import {
  applicable,
  columnName,
  derivedHeadings,
  sourcesOf,
  type SplitBy,
  SPLITS,
  withDerived,
} from './derived.ts'
import {
  fieldOptions,
  firstAddress,
  leftOutReasons,
  proposedChoices,
  SKIP_COLUMN,
  withField,
} from './fields.ts'
import { type ColumnTarget, headingSetKey, plainName } from './headings.ts'
import { templatesFor } from './templates.ts'

export class ImportColumns {
  readonly #api: Api
  readonly #list: RecordsList
  readonly #local: LocalFormats
  #rows = $state.raw<readonly ImportRow[]>([])
  #headingRow = $state<number | undefined>(undefined)
  /** The user's choices; `null` while the proposal is unchanged. */
  #choices = $state.raw<readonly ColumnTarget[] | null>(null)
  #remembered = $state.raw<readonly RememberedChoice[]>([])
  formats = $state.raw<ChosenFormats>({ separators: null, dates: null })

  #derived = $state.raw<readonly DerivedColumn[]>([])
  #saved = $state.raw<readonly SavedMapping[]>([])
  /** The name of the mapping in use; empty for the proposed one. */
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
  readonly #ambiguous = $derived.by(() => this.#findAmbiguous())

  constructor(api: Api, list: RecordsList, local: LocalFormats) {
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

  /** Built-in mappings for the exports of common programs. */
  get templates(): readonly SavedMapping[] {
    return templatesFor(this.#list.object)
  }

  get savedMappings(): readonly SavedMapping[] {
    return this.#saved
  }

  /** The first rows of the file, one of which contains the headings. */
  get topRows(): readonly ImportRow[] {
    return this.#rows.slice(0, 15)
  }

  get choices(): readonly ColumnTarget[] {
    return this.#choices ?? this.#proposed
  }

  get options() {
    return this.#options
  }

  /** By column index: why a column can't be imported although its heading names a field. */
  get reasons(): ReadonlyMap<number, string> {
    return this.#reasons
  }

  /** Whether dates or amounts are ambiguous, so that the user has to choose their format. */
  get ambiguous(): { readonly dates: boolean; readonly amounts: boolean } {
    return this.#ambiguous
  }

  /** Replaces the table and resets all choices. */
  async start(rows: readonly ImportRow[]): Promise<void> {
    this.#rows = rows
    this.#derived = []
    this.#headingRow = rowOfHeadings(rows, (headings) => this.#namedFields(headings))
    this.formats = { separators: null, dates: null }
    await Promise.all([this.#loadRemembered(), this.#loadSaved()])
  }

  async useHeadings(row: number): Promise<void> {
    this.#headingRow = row
    await this.#loadRemembered()
  }

  /** Counts the cells of a row that name a field. */
  #namedFields(headings: readonly string[]): number {
    const choices = proposedChoices(this.#list.object, headings, this.#options, [])
    return choices.filter(({ path }) => path !== null).length
  }

  /** Loads the last mapping of these headings. If that fails, the headings alone decide. */
  async #loadRemembered(): Promise<void> {
    const { object } = this.#list
    const headings = headingSetKey(this.#fileTable.headings)
    const known = await this.#api.call('import.mapping', { object, headings })
    this.mappingName = ''
    this.#use(known.ok ? known.value : { choices: [], derived: [] })
  }

  #use({ choices, derived }: ColumnMapping): void {
    this.#derived = applicable(this.#fileTable.headings, derived)
    this.#remembered = choices
    this.#choices = null
  }

  /** Applies a template or a saved mapping. An empty name restores the proposal. */
  async useMapping(name: string): Promise<void> {
    const known = [...this.#saved, ...this.templates].find((each) => each.name === name)
    if (!known) return this.#loadRemembered()
    this.mappingName = name
    this.#use(known.mapping)
  }

  async #loadSaved(): Promise<void> {
    const result = await this.#api.call('import.savedMappings', { object: this.#list.object })
    this.#saved = result.ok ? result.value.mappings : []
  }

  /**
   * Saves the choices under a name.
   * @returns the error, or `null` on success
   */
  async saveMapping(name: string): Promise<AppError | null> {
    const { object } = this.#list
    const saved = await this.#api.call('import.saveMapping', { object, name, mapping: this.#mapping() })
    if (!saved.ok) return saved.error
    await this.#loadSaved()
    this.mappingName = name
    return null
  }

  /** Deletes the saved mapping in use, but keeps the choices. */
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

  /** Splits a column of the file. Each part is mapped to the field it is named after. */
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

  /** Combines columns of the file into one, mapped to the field of the first column that has one. */
  combine(
    columns: readonly number[],
    separator: Extract<DerivedColumn, { kind: 'combine' }>['separator'],
  ): void {
    const { headings } = this.#fileTable
    const path =
      columns.map((column) => this.choices[column]?.path).find((each) => each !== null) ?? SKIP_COLUMN
    const names = columns.map((column) => columnName(headings, column))
    this.#derive({ kind: 'combine', columns: names, separator }, [path])
  }

  #derive(derived: DerivedColumn, paths: readonly string[]): void {
    const sources = sourcesOf(this.#fileTable.headings, derived)
    const choosable = new Set(this.#options.flatMap(({ path, reason }) => (reason === '' ? [path] : [])))
    let choices = this.choices.map((choice) =>
      sources.includes(choice.column) ? { ...choice, path: null } : choice,
    )
    for (const [at, heading] of derivedHeadings(derived).entries()) {
      const column = choices.length
      const path = paths[at] ?? SKIP_COLUMN
      choices.push({ column, heading, path: null, emptyMeans: 'leave' })
      if (choosable.has(path)) choices = [...withField(choices, column, path)]
    }
    this.#derived = [...this.#derived, derived]
    this.#choices = choices
  }

  /** Removes a derived column and the other parts of the same split. */
  removeDerived(derived: DerivedColumn): void {
    const at = this.#derived.indexOf(derived)
    const widths = this.#derived.map((each) => derivedHeadings(each).length)
    const from = widths.slice(0, at).reduce((sum, width) => sum + width, this.#fileTable.headings.length)
    const choices = this.choices.filter(({ column }) => column < from || column >= from + (widths[at] ?? 0))
    this.#derived = this.#derived.filter((each) => each !== derived)
    this.#choices = choices.map((choice, column) => ({ ...choice, column }))
  }

  choose(column: number, path: string): void {
    this.#choices = withField(this.choices, column, path)
  }

  setEmptyMeans(column: number, emptyMeans: ColumnTarget['emptyMeans']): void {
    this.#choices = this.choices.map((choice) =>
      choice.column === column ? { ...choice, emptyMeans } : choice,
    )
  }

  #fieldOptions() {
    const list = this.#list
    const supported = new Set(list.support?.supported ?? [])
    return fieldOptions(list.object, list.reader.set?.fields ?? [], supported)
  }

  #findAmbiguous(): { readonly dates: boolean; readonly amounts: boolean } {
    const { object } = this.#list
    const records = importRecords(this.#list).records
    const types = new Set(
      this.choices.flatMap(({ path, column }) => {
        const type = path === null ? 'text' : importType(object, path, records)
        if (type !== 'money' && type !== 'timestamp') return []
        const cells = this.#table.rows.map(({ cells: all }) => all[column] ?? '')
        return createColumnReader(type, cells, this.#local, { separators: null, dates: null }).isAmbiguous
          ? [type]
          : []
      }),
    )
    return { dates: types.has('timestamp'), amounts: types.has('money') }
  }

  /** Remembers the mapping for the next file with these headings. */
  async remember(): Promise<void> {
    await this.#api.call('import.keepMapping', {
      object: this.#list.object,
      headings: headingSetKey(this.#fileTable.headings),
      mapping: this.#mapping(),
    })
  }
}

/** A heading for display: *Column 3* if it is empty. */
export function formatHeading(heading: string, column: number): string {
  return plainName(heading) === '' ? `Column ${String(column + 1)}` : heading
}
