/** Formats an import plan for the screen: one line per row of the file. */
import { textOf, type EditValue } from '../../../shared/records/changes.ts'
import { fieldWords } from '../../../shared/records/fields.ts'
import type { ColumnChoice } from './headings.ts'
import { recordFullName } from './plan/matching.ts'
import { type ImportPlan, type PlannedDraft, type RowOutcome, importType } from './plan/plan.ts'
import { cellText, isBlank, type HeadedTable } from '../../../shared/import/table.ts'
import { valueText } from '../../../shared/records/value-text.ts'
import type { Format } from '../../../shared/format/format.ts'

/** `set-aside` is a row that seems to be no record. `rename` is a change that renames its record, which may be the wrong one. */
export type PlanKind = RowOutcome['kind'] | 'rename' | 'set-aside'

export interface PlanLine {
  /** The row's number in the file. */
  readonly row: number
  readonly kind: PlanKind
  /** An earlier import saved this row in these books. */
  readonly isRepeated: boolean
  readonly isHidden: boolean
  /** The opening balance that a new record would post; empty for none. */
  readonly openingBalance: string
  readonly name: string
  readonly outcome: RowOutcome
}

/** Which lines of the plan are shown. */
export type PlanShow = 'all' | PlanKind | 'hidden' | 'opening-balance'

export function isShown(line: PlanLine, show: PlanShow): boolean {
  switch (show) {
    case 'all':
      return true
    case 'hidden':
      return line.isHidden
    case 'opening-balance':
      return line.openingBalance !== ''
    default:
      return line.kind === show
  }
}

const KIND_WORDS: Readonly<Record<PlanKind, string>> = {
  insert: 'New',
  change: 'Changed',
  rename: 'Would be renamed',
  unchanged: 'Unchanged',
  refused: 'Problem',
  'set-aside': 'Skipped',
}

/** @param repeated numbers of the rows that an earlier import saved */
export function toPlanLines(
  plan: ImportPlan,
  table: HeadedTable,
  choices: readonly ColumnChoice[],
  repeated: ReadonlySet<number>,
): readonly PlanLine[] {
  const names = ['FullName', 'Name', 'ID'].flatMap(
    (path) => choices.find((choice) => choice.path === path)?.column ?? [],
  )
  return plan.outcomes.map((outcome, index) => ({
    row: outcome.row,
    kind: kindOf(outcome),
    isRepeated: repeated.has(outcome.row),
    isHidden: table.rows[index]?.isHidden === true,
    openingBalance: plan.openingBalances.get(outcome.row) ?? '',
    name: nameIn(table.rows[index]?.cells ?? [], names),
    outcome,
  }))
}

function kindOf(outcome: RowOutcome): PlanKind {
  if (outcome.kind !== 'unchanged' && outcome.setAside !== '') return 'set-aside'
  return outcome.kind === 'change' && outcome.isRenamed ? 'rename' : outcome.kind
}

function nameIn(cells: HeadedTable['rows'][number]['cells'], columns: readonly number[]): string {
  const filled = columns.map((column) => cells[column] ?? '').find((cell) => !isBlank(cell))
  return filled === undefined ? '' : cellText(filled).trim()
}

export function formatKind(line: PlanLine): string {
  const remarks = [line.isRepeated ? 'sent before' : '', line.isHidden ? 'hidden' : '']
  return [KIND_WORDS[line.kind], ...remarks].filter(Boolean).join(', ')
}

/** What a row would change, or why it can't be used. */
export function formatLine(object: string, line: PlanLine, format: Format): string {
  const { outcome, openingBalance } = line
  switch (outcome.kind) {
    case 'refused':
      return [outcome.setAside, ...outcome.reasons].filter(Boolean).join(' ')
    case 'unchanged':
      return outcome.notes.join(' ')
    case 'insert':
    case 'change':
      return [
        outcome.setAside,
        openingBalance === '' ? '' : `Posts an opening balance of ${format.money(openingBalance)}.`,
        formatEdits(object, outcome.draft, format),
        ...outcome.notes,
      ]
        .filter(Boolean)
        .join(' · ')
  }
}

function formatEdits(object: string, { edits, before, kind }: PlannedDraft, format: Format): string {
  return Object.values(edits)
    .map(({ path, was, now }) => {
      const value = (each: EditValue): string => {
        const type = importType(object, path, [before])
        return (typeof each === 'string' ? valueText(type, each, format) : each.FullName) || 'empty'
      }
      const change = kind === 'insert' || was === null ? value(now) : `${value(was)} → ${value(now)}`
      return `${fieldWords(object, path)}: ${change}`
    })
    .join(' · ')
}

/** The name of the matched record, since a file may give only its ID. */
export function formatRecord({ outcome, name }: PlanLine): string {
  const record =
    outcome.kind === 'change' ? outcome.draft.before : outcome.kind === 'unchanged' ? outcome.record : null
  return record === null ? name : recordFullName(record) || textOf(record['ID'])
}
