/** The state of one import: the open table, its columns, the plan, and the drafts created from it. */
import type { PastImport } from '../../../shared/contract/import.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { OpenedTable, TextFormat } from '../../../shared/import/table.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import { type Interruptible, runInSlices } from '../list/time-slice.ts'
import { ImportColumns } from './columns/columns.svelte.ts'
import { contentFingerprint, findRepeats } from './plan/fingerprint.ts'
import type { MatchBy } from './plan/matching.ts'
import { type ImportPlan, planImport, refusedRows, rowFingerprints, type RowPlan } from './plan/plan.ts'
import { type CreatedDrafts, type PlanLine, toPlanLines } from './plan/plan-lines.ts'
import type { LocalFormats } from './plan/values.ts'
import { FROM_FILE, importRecords, ImportSource, type TableRead } from './source.ts'

export type ImportStep = 'file' | 'columns' | 'plan'

/** What the import would do, for the user to review. */
interface ImportPreview {
  readonly plan: ImportPlan
  readonly lines: readonly PlanLine[]
  /** Numbers of the rows that are hidden in the workbook. */
  readonly hidden: ReadonlySet<number>
  /** The fingerprint of the file's content (`fingerprint.ts`). */
  readonly file: string
  /** The last import of the same file into this list. */
  readonly before: PastImport | null
  /** By row number: the earlier import that already saved the same row in these books. */
  readonly repeated: ReadonlyMap<number, PastImport>
}

type Draft = Extract<RowPlan, { readonly kind: 'insert' | 'change' }>

function isDraft(outcome: RowPlan): outcome is Draft {
  return outcome.kind === 'insert' || outcome.kind === 'change'
}

export class ImportModel {
  readonly list: RecordsList
  readonly #api: Api
  readonly #local: LocalFormats
  readonly #source: ImportSource
  readonly columns: ImportColumns
  step = $state<ImportStep>('file')
  opened = $state.raw<OpenedTable | null>(null)
  /** Encoding and delimiter that the user chose for a text file. */
  textFormat = $state.raw<TextFormat>(FROM_FILE)
  preview = $state.raw<ImportPreview | null>(null)
  skipsRepeated = $state(true)
  skipsHidden = $state(false)
  /** The key that the user chose for matching rows; `null` to use the best fit. */
  matchBy = $state.raw<MatchBy | null>(null)
  /** Fields whose damaged values are imported anyway. */
  #acceptedDamage = $state.raw<ReadonlySet<string>>(new Set())
  /** Numbers of the rows whose selection the user changed from the default. */
  #toggled = $state.raw<ReadonlySet<number>>(new Set())
  /** The work under way, for the status line; empty when idle. */
  working = $state('')
  error = $state.raw<AppError | null>(null)
  #stop: () => void = () => undefined
  /** Counts reads, so that an earlier one that ends later doesn't replace a later one. */
  #openings = 0

  readonly #selectedDrafts = $derived.by(() => this.#drafts())

  constructor(api: Api, list: RecordsList, local: LocalFormats) {
    this.#api = api
    this.list = list
    this.#local = local
    this.columns = new ImportColumns(api, list, local)
    this.#source = new ImportSource(api, () => (this.working = 'Reading the file'))
  }

  /** Whether the editable fields are known. Nothing can be imported before that. */
  get isReady(): boolean {
    return (this.list.support?.supported ?? null) !== null
  }

  /** Whether a planned row will become a draft. */
  isSelected(outcome: RowPlan): boolean {
    return isDraft(outcome) && this.#isProposed(outcome) !== this.#toggled.has(outcome.row)
  }

  select(rows: readonly number[], isSelected: boolean): void {
    const toggled = new Set(this.#toggled)
    const chosen = new Set(rows)
    for (const outcome of this.preview?.plan.outcomes ?? []) {
      if (!isDraft(outcome) || !chosen.has(outcome.row)) continue
      if (this.#isProposed(outcome) === isSelected) toggled.delete(outcome.row)
      else toggled.add(outcome.row)
    }
    this.#toggled = toggled
  }

  /** Whether damaged values of a field are ignored, so that the books keep theirs. */
  leavesDamage(path: string): boolean {
    return !this.#acceptedDamage.has(path)
  }

  async setLeavesDamage(path: string, leaves: boolean): Promise<void> {
    const accepted = new Set(this.#acceptedDamage)
    if (leaves) accepted.delete(path)
    else accepted.add(path)
    this.#acceptedDamage = accepted
    await this.#plan()
  }

  /** Whether a row is selected by default. Totals aren't, and neither are renames, where the match may be wrong. */
  #isProposed(draft: Draft): boolean {
    if (draft.isRenamed || draft.skipReason !== '') return false
    if (this.skipsHidden && this.preview?.hidden.has(draft.row) === true) return false
    return !(this.skipsRepeated && this.preview?.repeated.has(draft.row) === true)
  }

  async setMatchBy(by: MatchBy): Promise<void> {
    this.matchBy = by
    await this.makePlan()
  }

  /** The planned rows that will become drafts. */
  get selectedDrafts(): readonly Draft[] {
    return this.#selectedDrafts
  }

  /** Whether the whole list is loaded. Without it, no row can count as a new record. */
  get isWholeList(): boolean {
    return this.list.isWholeList
  }

  chooseFile(): Promise<void> {
    this.textFormat = FROM_FILE
    return this.#open(this.#source.choose())
  }

  /** Opens a dropped file. */
  useFile(file: File): Promise<void> {
    this.textFormat = FROM_FILE
    return this.#open(this.#source.takeFile(file))
  }

  paste(text: string): Promise<void> {
    return this.#open(this.#source.paste(text))
  }

  /** Reads the text again with another encoding or delimiter. */
  async useTextFormat(change: Partial<TextFormat>): Promise<void> {
    this.textFormat = { ...this.textFormat, ...change }
    await this.#open(this.#source.reread(this.textFormat))
  }

  /** Whether the file couldn't be read and may be text in another encoding. */
  get canRetryAsText(): boolean {
    return this.step === 'file' && this.error?.kind === 'file' && this.#source.hasFile
  }

  async openSheet(sheet: string): Promise<void> {
    if (sheet !== this.opened?.sheet) await this.#open(this.#source.sheet(sheet))
  }

  async #open(reading: Promise<Result<TableRead | null>>): Promise<void> {
    const own = (this.#openings += 1)
    const before = this.step
    this.error = null
    const read = await reading
    if (own !== this.#openings) {
      if (read.ok && read.value !== null) this.#release(read.value.opened)
      return
    }
    this.working = ''
    if (!read.ok) this.error = read.error
    if (!read.ok || read.value === null) return
    this.#stop()
    this.#release(this.opened)
    this.opened = read.value.opened
    this.matchBy = null
    await this.columns.start(read.value.rows)
    // Back may have been pressed in the meantime.
    if (this.step === before) this.step = 'columns'
  }

  /** Plans the import with the current columns. */
  async makePlan(): Promise<void> {
    this.#toggled = new Set()
    this.#acceptedDamage = new Set()
    await this.#plan()
  }

  async #plan(): Promise<void> {
    const { list } = this
    this.step = 'plan'
    this.preview = null
    this.error = null
    this.working = 'Comparing the rows with the list'
    const { records, locked } = importRecords(list)
    const target = { ...list.company, object: list.object }
    const plan = await this.#inSlices(
      planImport({
        target,
        table: this.columns.table,
        columns: this.columns.choices,
        records,
        isWholeList: this.isWholeList,
        supported: new Set(list.support?.supported ?? []),
        locked,
        local: this.#local,
        formats: this.columns.formats,
        matchBy: this.matchBy,
        acceptedDamage: this.#acceptedDamage,
      }),
    )
    const file = await this.#inSlices(contentFingerprint(target, this.columns.fileTable))
    const rows = rowFingerprints(plan)
    const { company, object } = list
    const asked = await this.#api.call('import.repeats', { company, object, file, rows: [...rows.values()] })
    this.working = ''
    if (!asked.ok) this.error = asked.error
    const repeats = findRepeats(file, rows, asked.ok ? asked.value.past : [])
    const { table } = this.columns
    const hidden = new Set(table.rows.flatMap(({ number, isHidden }) => (isHidden === true ? [number] : [])))
    const lines = toPlanLines(plan, this.columns.table, this.columns.choices, new Set(repeats.rows.keys()))
    this.preview = { plan, lines, hidden, file, before: repeats.file, repeated: repeats.rows }
  }

  #inSlices<Value>(steps: Interruptible<Value>): Promise<Value> {
    this.#stop()
    return new Promise((done) => {
      this.#stop = runInSlices(steps, done)
    })
  }

  #drafts(): readonly Draft[] {
    return (this.preview?.plan.outcomes ?? []).filter(
      (outcome): outcome is Draft => isDraft(outcome) && this.isSelected(outcome),
    )
  }

  async saveRefusedRows(kind: 'xlsx' | 'csv'): Promise<Result<SavedFile> | null> {
    const { preview, opened, list } = this
    if (!preview || !opened) return null
    return this.#api.call('import.saveFailedRows', {
      company: list.company,
      object: list.object,
      tableId: opened.tableId,
      headingRow: this.columns.table.headingRow,
      kind,
      reasons: refusedRows(preview.plan).map(({ row, reasons, columns }) => {
        return { row, reason: reasons.join(' '), columns }
      }),
    })
  }

  /** Creates drafts for the selected rows as one undoable step. Nothing is sent. */
  async createDrafts(): Promise<CreatedDrafts> {
    const { list, preview, opened } = this
    const drafts = this.#selectedDrafts
    this.working = 'Adding drafts'
    const rowIds = drafts.map(({ kind, draft }) => (kind === 'insert' ? crypto.randomUUID() : draft.recordId))
    const begun = rowIds.filter((_, index) => drafts[index]?.kind === 'insert')
    list.rows.addNew(begun, 'below-new')
    const edits = drafts.flatMap(({ draft }, index) =>
      Object.values(draft.edits).map(({ path, now }) => ({ rowId: rowIds[index] ?? '', path, now })),
    )
    const applied = await list.editing.apply(edits, begun)
    if (preview && opened) await this.#remember(preview, opened, drafts, rowIds)
    // Wait until the drafts are on disk, so that a crash after the dialog closes loses nothing.
    this.working = 'Saving drafts'
    await list.drafts.settled()
    this.working = ''
    return {
      changed: drafts.length - begun.length,
      added: begun.length,
      refused: applied.refused.length,
    }
  }

  /** Remembers the mapping for the next file with these headings, and which row each draft came from. */
  async #remember(
    preview: ImportPreview,
    { tableId }: OpenedTable,
    planned: readonly Draft[],
    rowIds: readonly string[],
  ): Promise<void> {
    const { company, object, drafts } = this.list
    const rows = planned.flatMap(({ row, kind, fingerprint }, index) => {
      const draftId = drafts.draft(rowIds[index] ?? '')?.draftId
      return draftId === undefined ? [] : [[row, fingerprint, draftId, kind] as const]
    })
    const { headingRow } = this.columns.table
    await this.columns.remember()
    await this.#api.call('import.keep', { company, object, tableId, headingRow, file: preview.file, rows })
  }

  back(): void {
    this.#stop()
    this.working = ''
    this.error = null
    this.preview = null
    this.step = this.step === 'plan' ? 'columns' : 'file'
  }

  /** Releases the table that the main process holds. */
  close(): void {
    this.#openings += 1
    this.#stop()
    this.#release(this.opened)
    this.opened = null
  }

  #release(opened: OpenedTable | null): void {
    if (opened !== null) void this.#api.call('import.close', { tableId: opened.tableId })
  }
}

/** *imported 3 March, 48 added and 2 changed* */
export function formatPastImport({ importedAt, added, changed }: PastImport, format: Format): string {
  const became = [
    added > 0 ? `${format.count(added)} added` : '',
    changed > 0 ? `${format.count(changed)} changed` : '',
  ].filter(Boolean)
  return `imported ${format.moment(importedAt)}, ${became.join(' and ')}`
}
