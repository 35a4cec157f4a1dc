/** One cell's text as it is shown. Pure. */
import type { Format } from '../ui/format.ts'
import type { ColumnKind } from './report-columns.ts'

export function cellText(value: string, kind: ColumnKind, format: Format): string {
  switch (kind) {
    case 'money':
      return format.money(value)
    case 'decimal':
      return format.decimal(value)
    case 'date':
      return format.date(value)
    case 'text':
      return value
  }
}

/** Whether the column's values stand at the right, one digit under the other. */
export function isFigure(kind: ColumnKind): boolean {
  return kind === 'money' || kind === 'decimal'
}
