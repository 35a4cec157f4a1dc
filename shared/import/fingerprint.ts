/** Tells whether a file, or a row of one, was sent to this company before. */
import { companyKey } from '../companies/companies.ts'
import { pathType, type EditValue } from '../records/changes.ts'
import { cellText, type HeadedTable } from './table.ts'
import { canonicalDecimal, parseDecimal } from '../format/money.ts'
import { nameKey } from '../records/names.ts'
import { doneAtOnce, ROWS_A_STEP, type Steps } from './steps.ts'

/** Whose list it is: the same rows for another company are other rows. */
export interface ImportTarget {
  readonly connectionId: string
  readonly endpointId: string
  readonly object: string
}

/** An import whose drafts were sent, as the store keeps it. */
export interface PastImport {
  readonly file: string
  /** Of the rows that became drafts. */
  readonly rows: readonly string[]
  readonly fileName: string
  /** ISO 8601. */
  readonly importedAt: string
  readonly added: number
  readonly changed: number
}

export interface Repeats {
  /** The newest import of the same file; `null` when it is new here. */
  readonly file: PastImport | null
  /** By the row's number in the file: the newest import that had the same row. */
  readonly rows: ReadonlyMap<number, PastImport>
}

/**
 * The same for the same headings and cells, whatever the file is called and however it is written (workbook or CSV,
 * quotes, encoding).
 */
export function fileFingerprint(target: ImportTarget, table: HeadedTable): string {
  return doneAtOnce(fingerprintSteps(target, table))
}

/** The same in steps. */
export function* fingerprintSteps(target: ImportTarget, table: HeadedTable): Steps<string> {
  const hash = new Hash()
  hash.add(companyKey(target, target.object.toLowerCase()))
  hash.add(table.headings.join('\u001f'))
  for (const [index, { cells }] of table.rows.entries()) {
    hash.add(cells.map((cell) => cellText(cell).trim()).join('\u001f'))
    if (index % ROWS_A_STEP === 0) yield
  }
  return hash.text()
}

/** The same for the same values of the same fields, in whatever order the columns stand. */
export function rowFingerprint(target: ImportTarget, values: ReadonlyMap<string, EditValue>): string {
  const hash = new Hash()
  hash.add(companyKey(target, target.object.toLowerCase()))
  for (const [path, value] of [...values].sort(([left], [right]) => (left < right ? -1 : 1))) {
    hash.add(path)
    hash.add(valueText(target.object, path, value))
  }
  return hash.text()
}

/**
 * What of this file was imported before.
 * @param rows fingerprints by the row's number in the file
 * @param past in any order
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
 * A value as it is compared: as exactly as it would be sent, so that a row with a corrected value is another row. A
 * postal code `02134` is not `2134`, though an amount `5.00` is `5`.
 */
function valueText(object: string, path: string, value: EditValue): string {
  // A reference is its name here: its ID was looked up, and was not in the file.
  if (typeof value !== 'string') return nameKey(value.FullName)
  // Full names only find records; nobody can change one.
  if (path === 'FullName') return nameKey(value)
  const amount = parseDecimal(value)
  if (amount !== null && pathType(object, path) === 'money') return canonicalDecimal(amount)
  return value.trim()
}

/**
 * Four words of 32 bits, mixed by multiplication: for telling files apart, not for keeping secrets. The platform's own
 * digests are asynchronous, and one a row would cost more than the whole plan.
 */
class Hash {
  #a = 0xdeadbeef
  #b = 0x41c6ce57
  #c = 0x9e3779b9
  #d = 0x7f4a7c15

  add(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at))
    // Where one text ends is part of it: `ab`, `c` is not `a`, `bc`.
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
