/** One export of a list: what leaves, and the handing on of its rows, piece by piece. */
import type { ExportKind } from '../../../shared/contract/export.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import {
  type Edits,
  isGivenWhole,
  memberOf,
  ownValue,
  shownValue,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import type { FieldType } from '../../../shared/records/definition.ts'
import { fieldWords } from '../../../shared/records/fields.ts'
import { type AppError, type Result, appError, err, ok } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { Format } from '../../../shared/format/format.ts'
import { type PlanEntry, allColumns } from '../grid/columns/plan.ts'
import { filterWords } from '../list/filter.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'

/** Rows a call: few enough to be made within a frame or two. */
const PIECE = 500

/** What is on the screen. */
export interface ShownList {
  /** As they are filtered and sorted. */
  readonly rows: readonly RecordRow[]
  /** Paths of the columns that are seen. */
  readonly paths: readonly string[]
  /** What was searched for; empty for nothing. */
  readonly search: string
}

export class ExportModel {
  readonly list: RecordsList
  readonly #api: Api
  readonly #format: Format
  kind = $state<ExportKind>('xlsx')
  columns = $state<'all' | 'shown'>('all')
  withDrafts = $state(false)
  /** How many rows were handed on; `null` while nothing is being saved. */
  done = $state<number | null>(null)
  error = $state.raw<AppError | null>(null)
  #isStopped = false
  readonly #shown = $derived.by(() => this.#lookAgain())
  readonly #look: () => ShownList

  constructor(api: Api, list: RecordsList, look: () => ShownList, format: Format) {
    this.list = list
    this.#api = api
    this.#look = look
    this.#format = format
  }

  #lookAgain(): ShownList {
    // Rows come and go while the list is read.
    void this.list.reader.isBusy
    void this.list.count
    return this.#look()
  }

  /** The rows that leave. New records are drafts: they are in nobody's books yet. */
  get rows(): readonly RecordRow[] {
    const { rows } = this.#shown
    return this.withDrafts ? rows : rows.filter(({ origin }) => origin === 'read')
  }

  /** Rows with changes that are not sent. */
  get draftCount(): number {
    return this.#shown.rows.filter(({ rowId }) => this.list.drafts.draft(rowId) !== undefined).length
  }

  /** Which part of the list this is, in words; empty for all that was read. */
  get partWords(): string {
    const { set } = this.list.reader
    const read = [...this.list.rows].filter(({ origin }) => origin === 'read').length
    const shown = this.#shown.rows.filter(({ origin }) => origin === 'read').length
    const { search } = this.#shown
    const filtered = `${this.#format.count(shown)} of ${this.#format.count(read)} rows${search === '' ? '' : `, with “${search}”`}`
    return [set ? filterWords(set.filter, this.#format) : '', shown < read ? filtered : '']
      .filter(Boolean)
      .join('; ')
  }

  /** Why what was read is not the whole list; empty when it is. */
  get partialBecause(): string {
    const { set } = this.list.reader
    if (!set || set.isWhole) return ''
    return set.partialBecause || 'the service didn’t send all of it'
  }

  /** Saves the file. Errors: `stopped`, `file`, and `not-found` when the page was loaded anew. */
  async save(): Promise<Result<SavedFile>> {
    const { list } = this
    const { set } = list.reader
    if (!set) return err(appError('not-found', 'Nothing was read yet.', 'Get the records first.'))
    const { rows } = this
    const columns =
      this.columns === 'all'
        ? everyColumn(list.object, list.plan, rows)
        : shownColumns(list.object, list.plan, this.#shown.paths, rows)
    const begun = await this.#api.call('export.begin', {
      company: list.company,
      object: list.object,
      kind: this.kind,
      readAt: set.readAt,
      askedFor: this.partWords,
      partialBecause: this.partialBecause,
      withDrafts: this.withDrafts,
      columns: columns.map(({ heading, type }) => ({ heading, type })),
    })
    if (!begun.ok) return begun
    const { exportId } = begun.value
    if (exportId === null) return ok({ saved: false })
    for (let from = 0; from < rows.length; from += PIECE) {
      this.done = from
      if (this.#isStopped) {
        await this.#api.call('export.cancel', { exportId })
        return err(appError('stopped', 'Export canceled. No file was saved.', ''))
      }
      const cells = rows.slice(from, from + PIECE).map((row) => {
        const edits = this.withDrafts ? list.drafts.draft(row.rowId)?.edits : undefined
        return exportCells(list.object, row, edits, columns)
      })
      const given = await this.#api.call('export.rows', { exportId, rows: cells })
      if (!given.ok) return given
    }
    this.done = rows.length
    return this.#api.call('export.end', { exportId })
  }

  stop(): void {
    this.#isStopped = true
  }
}

// Which columns leave in a file, and what stands in their cells; pure.

export interface ExportColumn {
  readonly path: string
  /** From which import finds the field again. */
  readonly heading: string
  readonly type: FieldType
  /** A field that leaves in parts, and that some records have as one value: this is the column for those. */
  readonly isWhole: boolean
}

/**
 * Every field of the list. Addresses leave in parts: in one line nobody could take them apart again.
 * @param rows those that leave; a field in parts that some of them have as one value has a column for that too
 */
export function everyColumn(
  object: string,
  plan: readonly PlanEntry[],
  rows: readonly RecordRow[],
): readonly ExportColumn[] {
  return allColumns(plan).flatMap(({ path, type }): ExportColumn[] => {
    const heading = fieldWords(object, path)
    if (type !== 'line') return [{ path, heading, type, isWhole: false }]
    const isSomeWhole = rows.some(({ record }) => isGivenWhole(ownValue(record, topField(path))))
    return isSomeWhole ? [{ path, heading, type: 'text', isWhole: true }] : []
  })
}

/** The columns that are seen, a folded group by all its parts; the ID goes along, so that import finds the records. */
export function shownColumns(
  object: string,
  plan: readonly PlanEntry[],
  paths: readonly string[],
  rows: readonly RecordRow[],
): readonly ExportColumn[] {
  const every = everyColumn(object, plan, rows)
  const lines = new Set(allColumns(plan).flatMap(({ path, type }) => (type === 'line' ? [path] : [])))
  const chosen = [...paths, 'ID'].flatMap((path) =>
    every.filter((column) =>
      lines.has(path)
        ? column.isWhole
          ? column.path === path
          : memberOf(column.path) !== null && column.path.startsWith(`${path}.`)
        : column.path === path,
    ),
  )
  return [...new Set(chosen)]
}

/** A row's cells in canonical form, references by their full names. */
export function exportCells(
  object: string,
  { record }: RecordRow,
  edits: Edits | undefined,
  columns: readonly ExportColumn[],
): readonly string[] {
  return columns.map(({ path, isWhole }) => {
    if (isWhole) {
      const whole = ownValue(record, topField(path))
      return isGivenWhole(whole) ? textOf(whole) : ''
    }
    const value = shownValue(object, record, edits, path)
    return typeof value === 'string' ? value : value.FullName
  })
}
