/** Formats an import plan for display, one line per row of the file. */
import type { Format } from '../../../../shared/format/format.ts'
import { cellText, type HeadedTable, isBlank } from '../../../../shared/import/table.ts'
import { type EditValue, textOf } from '../../../../shared/records/changes.ts'
import { pathHeading } from '../../../../shared/records/fields.ts'
import { valueText } from '../../../../shared/records/value-text.ts'
import type { ColumnTarget } from '../columns/headings.ts'
import { importType } from './import-fields.ts'
import { recordFullName } from './matching.ts'
import type { ImportPlan, PlannedDraft, RowPlan } from './plan.ts'

/**
 * `skipped` is a row that doesn't look like a record. `rename` is a change that renames its record, so the
 * match may be wrong.
 */
export type PlanKind = RowPlan['kind'] | 'rename' | 'skipped'

export interface PlanLine {
  /** The row's number in the file. */
  readonly row: number
  readonly kind: PlanKind
  /** Whether an earlier import already saved this row in these books. */
  readonly isRepeated: boolean
  readonly isHidden: boolean
  /** The opening balance that a new record would post; empty if there is none. */
  readonly openingBalance: string
  readonly name: string
  readonly outcome: RowPlan
}

/** Which lines of the plan to show. */
export type PlanFilter = 'all' | PlanKind | 'hidden' | 'opening-balance'

export function matchesFilter(line: PlanLine, show: PlanFilter): boolean {
  switch (show) {
    case 'all':
      return true
    case 'hidden':
      return line.isHidden
    case 'opening-balance':
      return line.openingBalance !== '' && line.kind !== 'skipped'
    default:
      return line.kind === show
  }
}

const KIND_LABELS: Readonly<Record<PlanKind, string>> = {
  insert: 'New',
  change: 'Changed',
  rename: 'Would be renamed',
  unchanged: 'Unchanged',
  refused: 'Problem',
  skipped: 'Skipped',
}

/**
 * Creates the lines of a plan.
 * @param repeated numbers of the rows that an earlier import already saved
 */
export function toPlanLines(
  plan: ImportPlan,
  table: HeadedTable,
  choices: readonly ColumnTarget[],
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

function kindOf(outcome: RowPlan): PlanKind {
  if (outcome.kind !== 'unchanged' && outcome.skipReason !== '') return 'skipped'
  return outcome.kind === 'change' && outcome.isRenamed ? 'rename' : outcome.kind
}

function nameIn(cells: HeadedTable['rows'][number]['cells'], columns: readonly number[]): string {
  const filled = columns.map((column) => cells[column] ?? '').find((cell) => !isBlank(cell))
  return filled === undefined ? '' : cellText(filled).trim()
}

export function formatKind(line: PlanLine): string {
  const remarks = [line.isRepeated ? 'sent before' : '', line.isHidden ? 'hidden' : '']
  return [KIND_LABELS[line.kind], ...remarks].filter(Boolean).join(', ')
}

/** Describes what a row would change, or why it can't be imported. */
export function formatLine(object: string, line: PlanLine, format: Format): string {
  const { outcome, openingBalance } = line
  switch (outcome.kind) {
    case 'refused':
      return [outcome.skipReason, outcome.reasons.join(' ')].filter(Boolean).join(' · ')
    case 'unchanged':
      return outcome.notes.join(' ')
    case 'insert':
    case 'change':
      return [
        outcome.skipReason,
        openingBalance === '' ? '' : `Posts an opening balance of ${format.money(openingBalance)}.`,
        formatEdits(object, outcome.draft, line.name, format),
        ...outcome.notes,
      ]
        .filter(Boolean)
        .join(' · ')
  }
}

/** @param name the name beside the edits, which a new record's don't repeat */
function formatEdits(
  object: string,
  { edits, before, kind }: PlannedDraft,
  name: string,
  format: Format,
): string {
  return Object.values(edits)
    .filter(({ path, now }) => kind !== 'insert' || path !== 'Name' || now !== name)
    .map(({ path, was, now }) => {
      const value = (each: EditValue): string => {
        const type = importType(object, path, [before])
        return (typeof each === 'string' ? valueText(type, each, format) : each.FullName) || 'empty'
      }
      const change = kind === 'insert' || was === null ? value(now) : `${value(was)} → ${value(now)}`
      return `${pathHeading(object, path)}: ${change}`
    })
    .join(' · ')
}

/** Returns the name of the matched record, because the file may contain only its ID. */
export function formatRecord({ outcome, name }: PlanLine): string {
  const record =
    outcome.kind === 'change' ? outcome.draft.before : outcome.kind === 'unchanged' ? outcome.record : null
  return record === null ? name : recordFullName(record) || textOf(record['ID'])
}

/** How many drafts an import created. */
export interface CreatedDrafts {
  readonly changed: number
  readonly added: number
  /** Number of cells that couldn't be edited. */
  readonly refused: number
}

/** Describes the drafts of an import: *4 drafts added: 2 changed, 2 new. Nothing was sent.* */
export function formatCreatedDrafts({ changed, added, refused }: CreatedDrafts, format: Format): string {
  const count = (value: number): string => format.count(value)
  const kinds = [
    changed > 0 ? `${count(changed)} changed` : '',
    added > 0 ? `${count(added)} new` : '',
  ].filter(Boolean)
  const drafts = changed + added
  return [
    drafts === 0
      ? 'No drafts were added.'
      : `${count(drafts)} ${drafts === 1 ? 'draft' : 'drafts'} added: ${kinds.join(', ')}.`,
    refused > 0 ? `${count(refused)} ${refused === 1 ? 'cell' : 'cells'} couldn’t be filled.` : '',
    'Nothing was sent.',
  ]
    .filter(Boolean)
    .join(' ')
}
