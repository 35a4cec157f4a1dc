/** The state of one export: its options, its columns, and passing the rows to the main process in pieces. */
import type { ExportKind } from '../../../shared/contract/export.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Format } from '../../../shared/format/format.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { formatFilter } from '../filters/records-filter.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { everyColumn, exportCells, shownColumns } from './table.ts'

/** Rows per call, few enough to prepare within a frame or two. */
const PIECE = 500

/** The list as it is shown. */
export interface ShownList {
  /** The filtered and sorted rows. */
  readonly rows: readonly RecordRow[]
  /** Paths of the visible columns. */
  readonly paths: readonly string[]
  /** The search text; empty if there is none. */
  readonly search: string
}

export class ExportModel {
  readonly list: RecordsList
  readonly #api: Api
  readonly #format: Format
  kind = $state<ExportKind>('xlsx')
  columns = $state<'all' | 'shown'>('all')
  withDrafts = $state(false)
  /** Number of rows passed on; `null` if no file is being saved. */
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
    // Rows may change while the list is being read.
    void this.list.reader.isBusy
    void this.list.count
    return this.#look()
  }

  /** The rows to export. New records only count if unsent changes are included. */
  get rows(): readonly RecordRow[] {
    const { rows } = this.#shown
    return this.withDrafts ? rows : rows.filter(({ origin }) => origin === 'read')
  }

  /** Number of rows with unsent changes. */
  get draftCount(): number {
    return this.#shown.rows.filter(({ rowId }) => this.list.drafts.draft(rowId) !== undefined).length
  }

  /** Describes which part of the list is exported; empty if it is everything that was read. */
  get partText(): string {
    const { set } = this.list.reader
    const read = [...this.list.rows].filter(({ origin }) => origin === 'read').length
    const shown = this.#shown.rows.filter(({ origin }) => origin === 'read').length
    const { search } = this.#shown
    const filtered = `${this.#format.count(shown)} of ${this.#format.count(read)} rows${search === '' ? '' : `, with “${search}”`}`
    return [set ? formatFilter(set.filter, this.#format) : '', shown < read ? filtered : '']
      .filter(Boolean)
      .join('; ')
  }

  /** Why the loaded list is incomplete; empty if it isn't. */
  get partialReason(): string {
    const { set } = this.list.reader
    if (!set || set.isWhole) return ''
    return set.partialReason || 'the service didn’t send all of it'
  }

  /** Saves the file. Errors: `stopped`, `file`, and `not-found` if the window was reloaded. */
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
      askedFor: this.partText,
      partialReason: this.partialReason,
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
