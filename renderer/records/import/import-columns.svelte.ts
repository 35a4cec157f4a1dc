/** The columns of a table that is imported: where their headings stand, which field each is, and how it is written. */
import { headingSetName, type ColumnChoice, type RememberedChoice } from '../../../shared/import-columns.ts'
import { importType } from '../../../shared/import-fields.ts'
import { rowOfHeadings, withHeadings, type ImportRow } from '../../../shared/import-table.ts'
import { columnReader, type ChosenWriting, type LocalWriting } from '../../../shared/import-values.ts'
import type { Api } from '../../api.ts'
import type { RecordsList } from '../records-list.svelte.ts'
import { fieldOptions, leftOutReasons, proposedChoices, withField } from './field-options.ts'
import { importRecords } from './import-records.ts'

export class ImportColumns {
  readonly #api: Api
  readonly #list: RecordsList
  readonly #local: LocalWriting
  #rows = $state.raw<readonly ImportRow[]>([])
  #headingRow = $state<number | undefined>(undefined)
  /** What a person chose; `null`: as proposed. */
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

  /** The first rows, of which one holds the headings. */
  get topRows(): readonly ImportRow[] {
    return this.#rows.slice(0, 15)
  }

  /** What each column is taken for. */
  get choices(): readonly ColumnChoice[] {
    return this.#chosenColumns ?? this.#proposed
  }

  get options() {
    return this.#options
  }

  /** Why columns that have the name of a field are left out. */
  get reasons(): ReadonlyMap<number, string> {
    return this.#reasons
  }

  /** Whether dates, or amounts, can be read in two ways, and nobody has said in which. */
  get doubts(): { readonly dates: boolean; readonly amounts: boolean } {
    return this.#doubts
  }

  /** Another table was read: nothing is chosen for it yet. */
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

  /** How many fields a row names, as headings do. */
  #namedFields(headings: readonly string[]): number {
    const choices = proposedChoices(this.#list.object, headings, this.#options, [])
    return choices.filter(({ path }) => path !== null).length
  }

  /** Asks how a file with these headings was mapped the last time. Without an answer the names decide. */
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

  /** Remembers what was chosen, for the next file of this make. */
  async keep(): Promise<void> {
    await this.#api.call('import.keepMapping', {
      object: this.#list.object,
      headings: headingSetName(this.#table.headings),
      choices: this.choices.map(({ heading, path, emptyMeans }) => ({ heading, path, emptyMeans })),
    })
  }
}
