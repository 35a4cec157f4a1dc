/** Fingerprints of files and rows, used to detect what was already imported into a company. */
import { companyKey } from '../../../../shared/companies/companies.ts'
import type { PastImport } from '../../../../shared/contract/import.ts'
import { canonicalDecimal, parseDecimal } from '../../../../shared/format/money.ts'
import { cellText, type HeadedTable } from '../../../../shared/import/table.ts'
import { type EditValue, pathType } from '../../../../shared/records/changes.ts'
import { nameKey } from '../../../../shared/records/names.ts'
import { type Interruptible, ROWS_PER_STEP } from '../../list/time-slice.ts'

/** The list that receives the import. Fingerprints differ between lists. */
export interface ImportTarget {
  readonly connectionId: string
  readonly endpointId: string
  readonly object: string
}

export interface Repeats {
  /** The latest import of the same file; `null` if there is none. */
  readonly file: PastImport | null
  /** By row number: the latest import that contained the same row. */
  readonly rows: ReadonlyMap<number, PastImport>
}

/**
 * Computes the fingerprint of a file from its headings and cells. Name and format don't matter, so a workbook
 * and its CSV export are the same file. Runs in time slices.
 */
export function* contentFingerprint(target: ImportTarget, table: HeadedTable): Interruptible<string> {
  const hash = new Hash()
  hash.add(companyKey(target, target.object))
  hash.add(table.headings.join('\u001f'))
  for (const [index, { cells }] of table.rows.entries()) {
    hash.add(cells.map((cell) => cellText(cell).trim()).join('\u001f'))
    if (index % ROWS_PER_STEP === 0) yield
  }
  return hash.text()
}

/** Computes the fingerprint of a row from its field values. The order of the columns doesn't matter. */
export function rowFingerprint(target: ImportTarget, values: ReadonlyMap<string, EditValue>): string {
  const hash = new Hash()
  hash.add(companyKey(target, target.object))
  for (const [path, value] of [...values].sort(([left], [right]) => (left < right ? -1 : 1))) {
    hash.add(path)
    hash.add(valueText(target.object, path, value))
  }
  return hash.text()
}

/**
 * Finds the file and the rows that earlier imports already saved.
 * @param rows fingerprints by row number
 * @param past earlier imports, in any order
 */
export function findRepeats(
  file: string,
  rows: ReadonlyMap<number, string>,
  past: readonly PastImport[],
): Repeats {
  const oldestFirst = past.toSorted((left, right) => (left.importedAt < right.importedAt ? -1 : 1))
  const byRow = new Map(oldestFirst.flatMap((each) => each.rows.map((row) => [row, each] as const)))
  const repeated = new Map<number, PastImport>()
  for (const [number, fingerprint] of rows) {
    const before = byRow.get(fingerprint)
    if (before !== undefined) repeated.set(number, before)
  }
  return { file: oldestFirst.findLast((each) => each.file === file) ?? null, rows: repeated }
}

/**
 * Formats a value exactly as it would be sent, so that a corrected row counts as a different one: the postal
 * code `02134` isn't `2134`, but the amount `5.00` is `5`.
 */
function valueText(object: string, path: string, value: EditValue): string {
  // By name, because the ID is not from the file.
  if (typeof value !== 'string') return nameKey(value.FullName)
  // Full names are only used to find records, so case doesn't matter.
  if (path === 'FullName') return nameKey(value)
  const amount = parseDecimal(value)
  if (amount !== null && pathType(object, path) === 'money') return canonicalDecimal(amount)
  return value.trim()
}

/**
 * A fast 128-bit hash that is not cryptographically secure. `crypto.subtle` is asynchronous, and one call per
 * row would take longer than the plan itself.
 */
class Hash {
  #a = 0xdeadbeef
  #b = 0x41c6ce57
  #c = 0x9e3779b9
  #d = 0x7f4a7c15

  add(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at))
    // A separator, so that `ab`, `c` differs from `a`, `bc`.
    this.#mix(0x10000)
  }

  text(): string {
    return [this.#a, this.#b, this.#c, this.#d]
      .map((part) => ((part ^ (part >>> 15)) >>> 0).toString(16).padStart(8, '0'))
      .join('')
  }

  #mix(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 2654435761)
    this.#b = Math.imul(this.#b ^ code ^ (this.#a >>> 13), 1597334677)
    this.#c = Math.imul(this.#c ^ code ^ (this.#b >>> 16), 2246822507)
    this.#d = Math.imul(this.#d ^ code ^ (this.#c >>> 13), 3266489909)
  }
}
