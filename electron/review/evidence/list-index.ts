/** Finds the list record of a statement's line, by ID or by name. */
import type { ReportRow } from '../../../shared/reports/reports.ts'
import { NotChecked } from '../findings.ts'
import type { Evidence } from './evidence.ts'
import type { Line } from './lines.ts'
import type { ListedRecord } from './listed-record.ts'

/** Creates a function that finds the record of a line by ID, or by a name that only one record has. */
export function recordFinder(
  evidence: Evidence,
  records: readonly ListedRecord[],
): (line: { readonly row: Pick<ReportRow, 'id'>; readonly name: string }) => ListedRecord | undefined {
  const index = listIndex(evidence, records)
  // Indexing names is slower, and reports with IDs don't need it.
  return ({ row, name }) => index.withId(row.id) ?? index.onlyNamed(name)
}

/** Finds the records of a list by ID and by name. Each index is built when it is first needed. */
class ListIndex {
  readonly #records: readonly ListedRecord[]
  #byId: ReadonlyMap<string, ListedRecord> | null = null
  #byName: ReadonlyMap<string, ListedRecord | null> | null = null
  #byFullName: ReadonlyMap<string, Namesakes> | null = null
  #byOwnName: ReadonlyMap<string, Namesakes> | null = null

  constructor(records: readonly ListedRecord[]) {
    this.#records = records
  }

  withId(id: string): ListedRecord | undefined {
    this.#byId ??= new Map(this.#records.map((record) => [record.id, record]))
    return this.#byId.get(id)
  }

  /** The record that alone has a name, without its number; `undefined` if none or several have it. */
  onlyNamed(name: string): ListedRecord | undefined {
    return this.#names.get(nameWithoutNumber(name)) ?? undefined
  }

  /** Whether one or more records have a name. */
  hasNamed(name: string): boolean {
    return this.#names.has(nameWithoutNumber(name))
  }

  get #names(): ReadonlyMap<string, ListedRecord | null> {
    return (this.#byName ??= recordsByName(this.#records))
  }

  withFullName(lowerCase: string): readonly ListedRecord[] {
    this.#byFullName ??= byText(this.#records, ({ fullName }) => fullName)
    return listOf(this.#byFullName.get(lowerCase))
  }

  withOwnName(lowerCase: string): readonly ListedRecord[] {
    // Most records have no parent, so that both names are one.
    this.#byOwnName ??= byText(
      this.#records.filter(({ name, fullName }) => name !== fullName),
      ({ name }) => name,
    )
    const alone = this.withFullName(lowerCase).filter(({ name, fullName }) => name === fullName)
    return [...alone, ...listOf(this.#byOwnName.get(lowerCase))]
  }
}

/** Most names have one record, and an array for each would take more time and memory than the rest. */
type Namesakes = ListedRecord | ListedRecord[]

function byText(
  records: readonly ListedRecord[],
  textOf: (record: ListedRecord) => string,
): ReadonlyMap<string, Namesakes> {
  const found = new Map<string, Namesakes>()
  for (const record of records) {
    const key = textOf(record).toLowerCase()
    const known = found.get(key)
    if (Array.isArray(known)) known.push(record)
    else found.set(key, known === undefined ? record : [known, record])
  }
  return found
}

function listOf(found: Namesakes | undefined): readonly ListedRecord[] {
  if (found === undefined) return []
  return Array.isArray(found) ? found : [found]
}

/** By evidence, so that the rules of one review share the indexes of its lists. */
const indexes = new WeakMap<Evidence, Map<readonly ListedRecord[], ListIndex>>()

/** Returns the index of one of the review's lists. */
export function listIndex(evidence: Evidence, records: readonly ListedRecord[]): ListIndex {
  const ofReview = indexes.get(evidence) ?? new Map<readonly ListedRecord[], ListIndex>()
  const index = ofReview.get(records) ?? new ListIndex(records)
  indexes.set(evidence, ofReview.set(records, index))
  return index
}

/** Returns records by both of their names; `null` for a name that several have. */
function recordsByName(records: readonly ListedRecord[]): ReadonlyMap<string, ListedRecord | null> {
  const byName = new Map<string, ListedRecord | null>()
  const add = (name: string, record: ListedRecord): void => {
    const key = nameWithoutNumber(name)
    const known = byName.get(key)
    if (known === undefined) byName.set(key, record)
    else if (known !== record) byName.set(key, null)
  }
  for (const record of records) {
    add(record.fullName, record)
    if (record.name !== record.fullName) add(record.name, record)
  }
  return byName
}

/** Removes the account number: *4999 · Uncategorized Income* becomes *Uncategorized Income*. */
export function nameWithoutNumber(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^\d[\d.-]*\s*[·:-]\s*/, '')
}

/**
 * Throws `NotChecked` if no account has a name that a rule looks for: neither on the statement, which may omit accounts
 * without a balance, nor in the chart of accounts.
 */
export function needNamed(
  evidence: Evidence,
  lines: readonly Line[],
  isWanted: (account: { readonly name: string; readonly type: string }) => boolean,
  reason: string,
): void {
  const accounts = evidence.list('accounts')
  const isKnown =
    lines.some(({ name }) => isWanted({ name, type: '' })) || (accounts.ok && accounts.value.some(isWanted))
  if (!isKnown) throw new NotChecked(reason)
}
