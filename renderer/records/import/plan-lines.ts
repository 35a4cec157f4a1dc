/** Formats an import plan for the screen: one line per row of the file. */
import { textOf, type EditValue } from '../../../shared/records/changes.ts'
import { fieldWords } from '../../../shared/records/fields.ts'
import type { ColumnChoice } from './headings.ts'
import { recordFullName } from './plan/matching.ts'
import { type ImportPlan, type PlannedDraft, type RowOutcome, importType } from './plan/plan.ts'
import { cellText as rawText, isBlank, type HeadedTable } from '../../../shared/import/table.ts'
import { cellText } from '../grid/cell-text.ts'
import type { Format } from '../../../shared/format/format.ts'

/** `rename` is a change that renames its record, which may be the wrong one. */
export type PlanKind = RowOutcome['kind'] | 'rename'

export interface PlanLine {
  /** The row's number in the file. */
  readonly row: number
  readonly kind: PlanKind
  /** An earlier import saved this row in these books. */
  readonly isRepeated: boolean
  readonly name: string
  readonly outcome: RowOutcome
}

/** Which lines of the plan are shown. */
export type PlanShow = 'all' | PlanKind

const KIND_WORDS: Readonly<Record<PlanKind, string>> = {
  insert: 'New',
  change: 'Changed',
  rename: 'Would be renamed',
  unchanged: 'Unchanged',
  refused: 'Problem',
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
    kind: outcome.kind === 'change' && outcome.isRenamed ? 'rename' : outcome.kind,
    isRepeated: repeated.has(outcome.row),
    name: nameIn(table.rows[index]?.cells ?? [], names),
    outcome,
  }))
}

function nameIn(cells: HeadedTable['rows'][number]['cells'], columns: readonly number[]): string {
  const filled = columns.map((column) => cells[column] ?? '').find((cell) => !isBlank(cell))
  return filled === undefined ? '' : rawText(filled).trim()
}

export function formatKind(line: PlanLine): string {
  return line.isRepeated ? `${KIND_WORDS[line.kind]}, sent before` : KIND_WORDS[line.kind]
}

/** What a row would change, or why it can't be used. */
export function formatLine(object: string, { outcome }: PlanLine, format: Format): string {
  switch (outcome.kind) {
    case 'refused':
      return outcome.reasons.join(' ')
    case 'unchanged':
      return outcome.notes.join(' ')
    case 'insert':
    case 'change':
      return [editWords(object, outcome.draft, format), ...outcome.notes].join(' · ')
  }
}

function editWords(object: string, { edits, before, kind }: PlannedDraft, format: Format): string {
  return Object.values(edits)
    .map(({ path, was, now }) => {
      const value = (each: EditValue): string => {
        const type = importType(object, path, [before])
        return (typeof each === 'string' ? cellText(type, each, format) : each.FullName) || 'empty'
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
