/** What a workbook could not take as it was: said on its last sheet, so that nobody has to find out. */

/** As many cells are named; the rest are counted. */
const NAMED = 20

interface Found {
  count: number
  readonly named: string[]
}

export class KeptNotes {
  readonly #long: Found = { count: 0, named: [] }
  readonly #cut: Found = { count: 0, named: [] }
  readonly #others: string[] = []

  /** A number of more than 15 significant digits, which stands there as text. */
  longNumber(sheet: string, reference: string): void {
    remember(this.#long, sheet, reference)
  }

  /** A text that is longer than a cell can hold. */
  cutText(sheet: string, reference: string): void {
    remember(this.#cut, sheet, reference)
  }

  /** Columns beyond the last that a sheet has. */
  columns(sheet: string, leftOut: number): void {
    if (leftOut > 0)
      this.#others.push(`${sheet}: the last ${String(leftOut)} columns are left out; a sheet has 16,384.`)
  }

  /** The rows go on in another sheet. */
  continued(sheet: string, next: string): void {
    this.#others.push(`${sheet} goes on in ${next}: a sheet has 1,048,576 rows.`)
  }

  /** In sentences; none when everything is as it was. */
  sentences(): readonly string[] {
    const sentences: string[] = []
    if (this.#long.count > 0) {
      sentences.push(
        `Numbers with more than 15 digits stand as text, because a spreadsheet would round them: ${listed(this.#long)}.`,
      )
    }
    if (this.#cut.count > 0) {
      sentences.push(
        `Texts are cut at 32,767 characters, the most that a cell holds: ${listed(this.#cut)}. A CSV file has them whole.`,
      )
    }
    return [...sentences, ...this.#others]
  }
}

function remember(found: Found, sheet: string, reference: string): void {
  found.count += 1
  if (found.named.length < NAMED) found.named.push(`${sheet}!${reference}`)
}

function listed(found: Found): string {
  const more = found.count - found.named.length
  return `${found.named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
}
