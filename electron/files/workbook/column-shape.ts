/** What a report's columns are and how wide, found by one pass over its rows: the service says neither. */
import { parseDecimal } from '../../../shared/money.ts'
import { isZeroRow } from '../../../shared/report-levels.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { SheetColumn } from './sheet.ts'
import type { CellKind } from './styles.ts'

/** Headings of columns that hold numbers nobody adds up: their digits are a name, and stay text. */
const NAMES =
  /^(?:num(?:ber)?|no\.?|nr\.?|#|ref(?:erence)?(?: no\.?| number)?|doc(?:ument)? ?(?:no\.?|number)|(?:account|check|cheque|invoice|trans(?:action)?|entry|item|phone|zip|postal) ?(?:#|no\.?|num(?:ber)?|id|code)?|id|code)$/i

/** One column as far as its cells were seen. */
class Seen {
  readonly #heading: string
  #decimals = 0
  #fractions = 0
  #texts = 0
  #hasLeadingZero = false
  #longest: number

  constructor(heading: string) {
    this.#heading = heading.trim()
    this.#longest = heading.length + 2
  }

  add(value: string): void {
    if (value === '') return
    if (value.length > this.#longest) this.#longest = value.length
    if (parseDecimal(value) === null) {
      this.#texts += 1
      return
    }
    this.#decimals += 1
    if (value.includes('.')) this.#fractions += 1
    else if (/^-?0\d/.test(value)) this.#hasLeadingZero = true
  }

  get kind(): CellKind {
    if (this.#decimals === 0 || this.#texts > this.#decimals) return 'text'
    if (this.#fractions > 0) return 'amount'
    return this.#hasLeadingZero || this.#texts > 0 || NAMES.test(this.#heading) ? 'text' : 'integer'
  }

  /** With room for thousands marks and a sign, and for text in letters that are wider than digits. */
  get width(): number {
    const more = this.kind === 'text' ? 2 : Math.ceil(this.#longest / 3)
    return Math.min(48, Math.max(10, this.#longest + more))
  }
}

/** The sheet's columns: the names first, then one a value. An error among the rows is handed on. */
export async function reportColumns(
  head: Pick<ReportHead, 'nameColumn' | 'columns'>,
  rows: AsyncIterable<Result<readonly ReportRow[]>>,
  hideZeroRows: boolean,
): Promise<Result<readonly SheetColumn[]>> {
  const seen = head.columns.map((heading) => new Seen(heading))
  let names = Math.max(24, head.nameColumn.length)
  for await (const batch of rows) {
    if (!batch.ok) return batch
    for (const row of batch.value) {
      if (row.kind === 'spacer' || (hideZeroRows && isZeroRow(row))) continue
      names = Math.max(names, row.name.length + row.level * 2)
      for (let column = 0; column < seen.length; column += 1) seen[column]?.add(row.values[column] ?? '')
    }
  }
  return ok([
    { heading: head.nameColumn, kind: 'text', width: Math.min(60, names + 2) },
    ...seen.map(({ kind, width }, column) => ({ heading: head.columns[column] ?? '', kind, width })),
  ])
}
