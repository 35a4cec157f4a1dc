// One list of one company: the records it came with, made when they are asked for, and over them what was
// inserted or changed since.

/** An address as it is kept: only the members that have text. */
export type Address = Readonly<Record<string, string>>

/** What a field can hold. A reference is kept as the id of the record it points at. */
export type FieldValue = string | boolean | Address

/** A record as the sample keeps it. Balances are not kept: the ledger knows them. */
export interface SampleRecord {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly created: number
  readonly modified: number
  readonly values: Readonly<Record<string, FieldValue>>
}

/** The records that a list came with. `make` must always give the same record for the same index. */
export interface BaseList {
  readonly count: number
  make(index: number): SampleRecord
  /** Where a record with this id would be; it need not be there. */
  indexOf(id: string): number
}

/** A list that can be read and written. */
export interface RecordTable {
  get(id: string): SampleRecord | undefined
  /** Base records first, in their order, then inserted ones in theirs. */
  all(): Iterable<SampleRecord>
  put(record: SampleRecord): void
  /** Records ever in the list: the next one's sequence number is one more. */
  readonly size: number
}

/** Puts a writable table over a base list. */
export function createTable(base: BaseList): RecordTable {
  const changed = new Map<string, SampleRecord>()
  const inserted = new Set<string>()
  const baseRecord = (id: string): SampleRecord | undefined => {
    const index = base.indexOf(id)
    if (!Number.isInteger(index) || index < 0 || index >= base.count) return undefined
    const record = base.make(index)
    return record.id === id ? record : undefined
  }
  return {
    get: (id) => changed.get(id) ?? baseRecord(id),
    *all() {
      for (let index = 0; index < base.count; index++) {
        const record = base.make(index)
        yield changed.get(record.id) ?? record
      }
      for (const id of inserted) {
        const record = changed.get(id)
        if (record !== undefined) yield record
      }
    },
    put: (record) => {
      if (!changed.has(record.id) && baseRecord(record.id) === undefined) inserted.add(record.id)
      changed.set(record.id, record)
    },
    get size() {
      return base.count + inserted.size
    },
  }
}

/** A base list over records that exist already; for the short lists. */
export function listOf(records: readonly SampleRecord[]): BaseList {
  const indexes = new Map(records.map((record, index) => [record.id, index]))
  return {
    count: records.length,
    make: (index) => {
      const record = records[index]
      if (record === undefined) throw new RangeError(`There is no record ${String(index)}`)
      return record
    },
    indexOf: (id) => indexes.get(id) ?? -1,
  }
}
