/** One import into a list: the table that was read, what its columns are, the plan, and the drafts made of it. */
import type { SavedFile } from '../../../shared/contract/parts.ts'
import { type PastImport, findRepeats, fingerprintSteps } from '../../../shared/import/fingerprint.ts'
import type { Steps } from '../../../shared/import/steps.ts'
import type { OpenedTable } from '../../../shared/import/table.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { Format } from '../../../shared/format/format.ts'
import { asksForAll } from '../list/filter.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import { inTurns } from '../list/turns.ts'
import { ImportColumns } from './columns.svelte.ts'
import { type PlanLine, planLines } from './plan-lines.ts'
import { type ImportPlan, type RowOutcome, planSteps, refusedReasons, rowFingerprints } from './plan/plan.ts'
import type { MatchBy } from './plan/matching.ts'
import type { LocalWriting } from './plan/values.ts'
import { ImportSource, type TableRead, importRecords } from './source.svelte.ts'

export type ImportStep = 'file' | 'columns' | 'plan'

/** What importing would do. */
interface Made {
  readonly plan: ImportPlan
  readonly lines: readonly PlanLine[]
  /** Fingerprint of the file. */
  readonly file: string
  /** The same file was imported into this list before. */
  readonly before: PastImport | null
  /** Rows that would be drafts and were saved in these books by an import before, by their numbers in the file. */
  readonly repeated: ReadonlyMap<number, PastImport>
}

/** Drafts that an import has made. */
export interface PutDrafts {
  readonly changed: number
  readonly added: number
  /** Cells that could not take their values. */
  readonly refused: number
}

type Draft = Extract<RowOutcome, { readonly kind: 'insert' | 'change' }>

function isDraft(outcome: RowOutcome): outcome is Draft {
  return outcome.kind === 'insert' || outcome.kind === 'change'
}

export class ImportDesk {
  readonly list: RecordsList
  readonly #api: Api
  readonly #local: LocalWriting
  readonly #source: ImportSource
  /** What the columns of the table are. */
  readonly columns: ImportColumns
  step = $state<ImportStep>('file')
  opened = $state.raw<OpenedTable | null>(null)
  made = $state.raw<Made | null>(null)
  leavesOutRepeated = $state(true)
  /** What the person chose to match rows by; `null`: what fits best. */
  matchBy = $state.raw<MatchBy | null>(null)
  /** Rows that a person ticked or unticked against the proposal, by their numbers in the file. */
  #turned = $state.raw<ReadonlySet<number>>(new Set())
  /** What is being done just now; empty when nothing is. */
  working = $state('')
  error = $state.raw<AppError | null>(null)
  #stop: () => void = () => undefined

  readonly #toPut = $derived.by(() => this.#drafts())

  constructor(api: Api, list: RecordsList, local: LocalWriting) {
    this.#api = api
    this.list = list
    this.#local = local
    this.columns = new ImportColumns(api, list, local)
    this.#source = new ImportSource(api, () => (this.working = 'Reading the file'))
  }

  /** Whether it is known which fields can be changed: until then nothing can be imported. */
  get isReady(): boolean {
    return (this.list.support?.supported ?? null) !== null
  }

  /** Whether a row of the plan becomes a draft. */
  isTicked(outcome: RowOutcome): boolean {
    return isDraft(outcome) && this.#isProposed(outcome) !== this.#turned.has(outcome.row)
  }

  tick(rows: readonly number[], ticked: boolean): void {
    const turned = new Set(this.#turned)
    const chosen = new Set(rows)
    for (const outcome of this.made?.plan.outcomes ?? []) {
      if (!isDraft(outcome) || !chosen.has(outcome.row)) continue
      if (this.#isProposed(outcome) === ticked) turned.delete(outcome.row)
      else turned.add(outcome.row)
    }
    this.#turned = turned
  }

  /** A record that may be another one is left alone unless the person says so. */
  #isProposed(draft: Draft): boolean {
    return !draft.isRenamed && !(this.leavesOutRepeated && this.made?.repeated.has(draft.row) === true)
  }

  async useMatchBy(by: MatchBy): Promise<void> {
    this.matchBy = by
    await this.makePlan()
  }

  /** The rows that become drafts. */
  get toPut(): readonly Draft[] {
    return this.#toPut
  }

  /** Whether the whole list was read: only then can a row be a new record. */
  get isWholeList(): boolean {
    const { set, isFilling } = this.list.reader
    return set !== null && set.isWhole && asksForAll(set.filter) && !isFilling
  }

  // ---- the file

  chooseFile(): Promise<void> {
    return this.#take(this.#source.choose())
  }

  /** Takes a file that was dropped. */
  takeFile(file: File): Promise<void> {
    return this.#take(this.#source.take(file))
  }

  paste(text: string): Promise<void> {
    return this.#take(this.#source.paste(text))
  }

  async useSheet(sheet: string): Promise<void> {
    if (sheet !== this.opened?.sheet) await this.#take(this.#source.sheet(sheet))
  }

  async #take(reading: Promise<Result<TableRead | null>>): Promise<void> {
    this.error = null
    const read = await reading
    this.working = ''
    if (!read.ok) this.error = read.error
    if (!read.ok || read.value === null) return
    this.close()
    this.opened = read.value.opened
    this.matchBy = null
    await this.columns.take(read.value.rows)
    this.step = 'columns'
  }

  // ---- the plan

  async makePlan(): Promise<void> {
    const { list } = this
    this.step = 'plan'
    this.made = null
    this.#turned = new Set()
    this.error = null
    this.working = 'Comparing the rows with the list'
    const { records, closed } = importRecords(list)
    const target = { ...list.company, object: list.object }
    const plan = await this.#inTurns(
      planSteps({
        target,
        table: this.columns.table,
        columns: this.columns.choices,
        records,
        isWholeList: this.isWholeList,
        supported: new Set(list.support?.supported ?? []),
        closed,
        local: this.#local,
        chosen: this.columns.chosen,
        matchBy: this.matchBy,
      }),
    )
    const file = await this.#inTurns(fingerprintSteps(target, this.columns.table))
    const rows = rowFingerprints(plan)
    const { company, object } = list
    const asked = await this.#api.call('import.repeats', { company, object, file, rows: [...rows.values()] })
    this.working = ''
    if (!asked.ok) this.error = asked.error
    const repeats = findRepeats(file, rows, asked.ok ? asked.value.past : [])
    const lines = planLines(plan, this.columns.table, this.columns.choices, new Set(repeats.rows.keys()))
    this.made = { plan, lines, file, before: repeats.file, repeated: repeats.rows }
  }

  #inTurns<Value>(steps: Steps<Value>): Promise<Value> {
    this.#stop()
    return new Promise((done) => {
      this.#stop = inTurns(steps, done)
    })
  }

  #drafts(): readonly Draft[] {
    return (this.made?.plan.outcomes ?? []).filter(
      (outcome): outcome is Draft => isDraft(outcome) && this.isTicked(outcome),
    )
  }

  async saveNotTaken(): Promise<Result<SavedFile> | null> {
    const { made, opened, list } = this
    if (!made || !opened) return null
    return this.#api.call('import.saveNotTaken', {
      company: list.company,
      object: list.object,
      tableId: opened.tableId,
      headingRow: this.columns.table.headingRow,
      reasons: [...refusedReasons(made.plan)].map(([row, because]) => ({ row, because })),
    })
  }

  /** Makes drafts of the plan, as one step that can be undone. Nothing is sent. */
  async put(): Promise<PutDrafts> {
    const { list, made, opened } = this
    const drafts = this.#toPut
    this.working = 'Putting the rows into the list'
    const rowIds = drafts.map(({ kind, draft }) => (kind === 'insert' ? crypto.randomUUID() : draft.recordId))
    const begun = rowIds.filter((_, index) => drafts[index]?.kind === 'insert')
    list.drafted.begin(begun, 'below-new')
    const edits = drafts.flatMap(({ draft }, index) =>
      Object.values(draft.edits).map(({ path, now }) => ({ rowId: rowIds[index] ?? '', path, now })),
    )
    const applied = await list.editing.apply(edits, begun)
    if (made && opened) await this.#remember(made, opened, drafts, rowIds)
    // What is said to be drafts is on disk: a crash right after it loses nothing.
    this.working = 'Keeping the drafts on this computer'
    await list.book.settled()
    this.working = ''
    return {
      changed: drafts.length - begun.length,
      added: begun.length,
      refused: applied.refused.length,
    }
  }

  /** For the next file of this make, for the repeat guard, and for rows that will not be accepted. */
  async #remember(
    made: Made,
    { tableId }: OpenedTable,
    drafts: readonly Draft[],
    rowIds: readonly string[],
  ): Promise<void> {
    const { company, object, book } = this.list
    const rows = drafts.flatMap(({ row, kind, fingerprint }, index) => {
      const draftId = book.draft(rowIds[index] ?? '')?.draftId
      return draftId === undefined ? [] : [[row, fingerprint, draftId, kind] as const]
    })
    const { headingRow } = this.columns.table
    await this.columns.keep()
    await this.#api.call('import.keep', { company, object, tableId, headingRow, file: made.file, rows })
  }

  back(): void {
    this.#stop()
    this.working = ''
    this.error = null
    this.made = null
    this.step = this.step === 'plan' ? 'columns' : 'file'
  }

  /** Gives back what the main process holds. */
  close(): void {
    this.#stop()
    if (this.opened) void this.#api.call('import.close', { tableId: this.opened.tableId })
    this.opened = null
  }
}

// An import of before, in words.

/** *imported 3 March, 48 added and 2 changed* */
export function beforeWords({ importedAt, added, changed }: PastImport, format: Format): string {
  const became = [
    added > 0 ? `${format.count(added)} added` : '',
    changed > 0 ? `${format.count(changed)} changed` : '',
  ].filter(Boolean)
  return `imported ${format.moment(importedAt)}, ${became.join(' and ')}`
}
