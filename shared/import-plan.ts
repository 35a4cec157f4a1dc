/**
 * What importing a table would do, row by row, as a value: drafts of new and changed records, rows that say what is
 * there already, and rows that can't be used, with reasons. Every row is exactly one of these. Nothing is written here.
 */
import type { Edits, RecordData } from './changes.ts'
import type { ColumnChoice } from './import-columns.ts'
import { rowFingerprint, type ImportTarget } from './import-fingerprint.ts'
import { RecordIndex, own } from './import-matching.ts'
import { RowPlanner, type PlannedRow } from './import-rows.ts'
import type { HeadedTable } from './import-table.ts'
import type { ChosenWriting, LocalWriting } from './import-values.ts'
import { objectDefinition } from './records.ts'
import { doneAtOnce, ROWS_A_STEP, type Steps } from './steps.ts'

export interface ImportInput {
  readonly target: ImportTarget
  readonly table: HeadedTable
  readonly columns: readonly ColumnChoice[]
  /** The list as it was read. */
  readonly records: readonly RecordData[]
  /** Whether that is the whole list: only then is a row that nothing matches a new record. */
  readonly isWholeList: boolean
  /** Field names that metadata lists; `null` when it could not be read. */
  readonly supported: ReadonlySet<string> | null
  /** Records that can't be changed now, such as those being sent, each with why. */
  readonly closed: ReadonlyMap<RecordData, string>
  readonly local: LocalWriting
  readonly chosen: ChosenWriting
}

/** A draft in the shape of `shared/changes.ts`; saved by `records.saveDrafts`. */
export interface PlannedDraft {
  readonly kind: 'insert' | 'change'
  /** Empty for a new record. */
  readonly recordId: string
  /** The record as it was read; empty for a new one. */
  readonly before: RecordData
  readonly edits: Edits
}

/** What becomes of a row. `row` is its number in the file. */
export type RowOutcome =
  | {
      readonly kind: 'insert' | 'change'
      readonly row: number
      readonly draft: PlannedDraft
      /** Cells that are left out, in sentences; the rest of the row is used. */
      readonly notes: readonly string[]
      /** For the repeat guard (`findRepeats`). */
      readonly fingerprint: string
    }
  | {
      readonly kind: 'unchanged'
      readonly row: number
      /** The record that says it already. */
      readonly record: RecordData
      readonly notes: readonly string[]
    }
  | { readonly kind: 'refused'; readonly row: number; readonly reasons: readonly string[] }

export interface ImportPlan {
  /** In the file's order, one for each of the table's rows. */
  readonly outcomes: readonly RowOutcome[]
  readonly counts: {
    readonly rows: number
    readonly inserts: number
    readonly changes: number
    readonly unchanged: number
    readonly refused: number
  }
  /** How columns were read, where that was in doubt, by the column's heading. */
  readonly notes: readonly string[]
  /** Headings of columns that are no field here. */
  readonly leftOut: readonly string[]
}

/** Plans the import. Pure; about a second for 100,000 rows. */
export function planImport(input: ImportInput): ImportPlan {
  return doneAtOnce(planSteps(input))
}

/** The same in steps. */
export function* planSteps(input: ImportInput): Steps<ImportPlan> {
  const { object } = input.target
  const singular = objectDefinition(object)?.singular ?? 'record'
  const numberField = input.records.some((record) => own(record, 'AccountNumber') !== '')
    ? 'AccountNumber'
    : 'Number'
  const index = new RecordIndex(numberField, singular)
  for (const [at, record] of input.records.entries()) {
    index.add(record)
    if (at % ROWS_A_STEP === 0) yield
  }
  const planner = new RowPlanner(input, index, numberField, singular)
  yield* planner.prepare()
  const planned: PlannedRow[] = []
  for (const row of input.table.rows) {
    planned.push(planner.plan(row))
    if (planned.length % ROWS_A_STEP === 0) yield
  }
  const outcomes = yield* withoutDoubles(planned, input.target)
  const count = (kind: RowOutcome['kind']): number =>
    outcomes.reduce((sum, outcome) => sum + (outcome.kind === kind ? 1 : 0), 0)
  return {
    outcomes,
    counts: {
      rows: outcomes.length,
      inserts: count('insert'),
      changes: count('change'),
      unchanged: count('unchanged'),
      refused: count('refused'),
    },
    notes: planner.notes,
    leftOut: input.columns.flatMap(({ heading, path }) => (path === null ? [heading] : [])),
  }
}

/** Fingerprints of the rows that became drafts, by their numbers in the file. */
export function rowFingerprints(plan: ImportPlan): ReadonlyMap<number, string> {
  return new Map(
    plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'insert' || outcome.kind === 'change'
        ? [[outcome.row, outcome.fingerprint] as const]
        : [],
    ),
  )
}

/** Why each refused row of a plan can't be used, by its number in the file. */
export function refusedReasons(plan: ImportPlan): ReadonlyMap<number, string> {
  return new Map(
    plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [[outcome.row, outcome.reasons.join(' ')] as const] : [],
    ),
  )
}

/**
 * Rows about one record: where they say the same, the first is used and the others repeat it; where they differ,
 * nobody can tell which is meant, and none is used.
 */
function* withoutDoubles(planned: readonly PlannedRow[], target: ImportTarget): Steps<readonly RowOutcome[]> {
  const fingerprints: string[] = []
  for (const row of planned) {
    fingerprints.push(row.kind === 'refused' ? '' : rowFingerprint(target, row.values))
    if (fingerprints.length % ROWS_A_STEP === 0) yield
  }
  const groups = new Map<string, number[]>()
  planned.forEach((row, index) => {
    if (row.kind === 'refused') return
    const group = groups.get(row.identity)
    if (group === undefined) groups.set(row.identity, [index])
    else group.push(index)
  })
  const reasons = new Map<number, string>()
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined || group.length === 1) continue
    const isSame = group.every((index) => fingerprints[index] === fingerprints[first])
    const numbers = group.map((index) => String(planned[index]?.row ?? 0))
    for (const index of group) {
      if (isSame && index !== first) reasons.set(index, `This repeats row ${numbers[0] ?? ''}.`)
      if (!isSame)
        reasons.set(
          index,
          `Rows ${numbers.slice(0, 6).join(', ')}${numbers.length > 6 ? ' and more' : ''} are about the same record and differ; keep one of them.`,
        )
    }
  }
  return planned.map((row, index) => {
    const reason = reasons.get(index)
    if (row.kind === 'refused') return { kind: 'refused', row: row.row, reasons: row.reasons }
    if (reason !== undefined) return { kind: 'refused', row: row.row, reasons: [reason] }
    if (row.kind === 'unchanged')
      return { kind: row.kind, row: row.row, record: row.record, notes: row.notes }
    const { draft, notes } = row
    return { kind: draft.kind, row: row.row, draft, notes, fingerprint: fingerprints[index] ?? '' }
  })
}
