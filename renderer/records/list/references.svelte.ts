/**
 * The references that a field can have: those that records of the list use, the records of the list itself, and
 * the field's own list (such as Terms) once it is read.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { isEmpty, type Reference, textOf, topField, valueAt } from '../../../shared/records/changes.ts'
import { referenceList } from '../../../shared/records/definition.ts'
import { nameKey } from '../../../shared/records/names.ts'
import type { Api } from '../../api.ts'
import { NO_FILTER } from '../filters/records-filter.ts'
import { compareText } from './order.ts'
import { recordName, type RecordRow, recordsOf, rowName } from './rows.ts'
import { closestTo } from './similar.ts'

/** A suggested reference. */
export interface SuggestedReference {
  readonly reference: Reference
  /** Distinguishes it from others with the same name; empty if there are none. */
  readonly note: string
}

/**
 * Whether a name is in use (`known`), isn't among the records that the field can refer to (`missing`), or can't
 * be checked (`unknown`).
 */
export type ReferenceStatus = 'known' | 'missing' | 'unknown'

/** References by name key; several if different IDs have the same name. */
type References = ReadonlyMap<string, readonly Reference[]>

/** The list of a field; `null` if the service has no such list or didn't return all of it. */
type ReadList = readonly Reference[] | null

interface ReferencePorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  readonly rows: () => Iterable<RecordRow>
  /** Whether the whole list is loaded and current. */
  readonly isWholeList: () => boolean
  /** Whether a record of this list will have the full name once all drafts are sent. */
  readonly isDraftedName: (fullName: string) => boolean
}

/** Lists of terms, classes, or tax codes are short. Longer ones aren't used to check names. */
const LONGEST_LIST = 20_000
/** Records per call. */
const PIECE = 1_000

export class ReferenceIndex {
  readonly #ports: ReferencePorts
  /** References by field, collected on first use. */
  readonly #collected = new Map<string, References>()
  /** Names that records use, by field. */
  readonly #used = new Map<string, ReadonlySet<string>>()
  /** Lists that were read, by name. */
  #lists = $state.raw<ReadonlyMap<string, ReadList>>(new Map())
  /** Fields whose lists are being read. */
  reading = $state.raw<readonly string[]>([])

  constructor(ports: ReferencePorts) {
    this.#ports = ports
  }

  /** Clears what was collected from the rows, because they changed. */
  clear(): void {
    this.#collected.clear()
    this.#used.clear()
  }

  status(field: string, fullName: string): ReferenceStatus {
    if (this.#of(field).has(nameKey(fullName))) return 'known'
    const list = this.#listOf(field)
    if (list === this.#ports.object.toLowerCase()) {
      if (this.#ports.isDraftedName(fullName)) return 'known'
      return this.#ports.isWholeList() ? 'missing' : 'unknown'
    }
    const read = this.#lists.get(list)
    return read && this.#isListOf(field, read) ? 'missing' : 'unknown'
  }

  /** The reference that a missing name was probably meant to be; `null` if none is similar enough. */
  similar(field: string, fullName: string): Reference | null {
    const names = [...this.#of(field)].flatMap(([name, references]) => {
      const [only, another] = references
      return only === undefined || another !== undefined ? [] : [{ name, value: only }]
    })
    return closestTo(nameKey(fullName), names)
  }

  /** A list that lacks most of the names in use has other names, so it can't tell that one is missing. */
  #isListOf(field: string, read: readonly Reference[]): boolean {
    const names = new Set(read.map(({ FullName }) => nameKey(FullName)))
    const used = [...this.#usedNames(field)]
    return used.filter((name) => names.has(name)).length * 2 >= used.length
  }

  #usedNames(field: string): ReadonlySet<string> {
    const known = this.#used.get(field)
    if (known) return known
    const used = new Set<string>()
    for (const row of this.#ports.rows()) {
      const value = valueAt(this.#ports.object, row.record, field)
      if (typeof value !== 'string' && !isEmpty(value)) used.add(nameKey(value.FullName || value.ID))
    }
    this.#used.set(field, used)
    return used
  }

  /**
   * Reads the list of a field, such as Terms, unless it is this list. If the service has no such list, names
   * stay unknown.
   */
  async readList(field: string): Promise<void> {
    const list = this.#listOf(field)
    if (list === this.#ports.object.toLowerCase() || this.reading.includes(field)) return
    this.reading = [...this.reading, field]
    const read = await this.#read(list)
    this.#lists = new Map([...this.#lists, [list, read]])
    this.#collected.delete(field)
    this.reading = this.reading.filter((each) => each !== field)
  }

  async #read(list: string): Promise<ReadList> {
    const { api, company } = this.#ports
    const opened = await api.call('records.open', { company, object: list, filter: NO_FILTER })
    if (!opened.ok) return null
    const { setId, count, isWhole } = opened.value
    const read: Reference[] = []
    for (let from = 0; from < count && isWhole && count <= LONGEST_LIST; from += PIECE) {
      const piece = await api.call('records.rows', { setId, from, count: Math.min(PIECE, count - from) })
      if (!piece.ok) break
      for (const record of recordsOf(piece.value))
        read.push({ ID: textOf(record['ID']), FullName: recordName(record) })
    }
    void api.call('records.close', { setId })
    // An empty list proves nothing, because the service also returns one for a name that it doesn't know.
    return read.length > 0 && read.length === count ? read : null
  }

  #listOf(field: string): string {
    return referenceList(this.#ports.object, topField(field))
  }

  /** Finds a reference by name. It has no ID if several references have the name. */
  find(field: string, fullName: string): Reference | undefined {
    const [first, another] = this.#of(field).get(nameKey(fullName)) ?? []
    return first && another ? { ID: '', FullName: first.FullName } : first
  }

  /**
   * Returns up to `most` references that contain the typed text, best matches first. A shared name is suggested
   * once per ID.
   */
  suggest(field: string, typed: string, most: number): readonly SuggestedReference[] {
    const terms = nameKey(typed).split(/\s+/).filter(Boolean)
    const found: SuggestedReference[] = []
    for (const [name, references] of this.#of(field)) {
      if (!terms.every((word) => name.includes(word))) continue
      const isShared = references.length > 1
      for (const reference of references)
        found.push({ reference, note: isShared ? `ID ${reference.ID}` : '' })
    }
    const start = nameKey(typed)
    const begins = ({ reference }: SuggestedReference): number =>
      nameKey(reference.FullName).startsWith(start) ? 0 : 1
    return found
      .sort(
        (a, b) =>
          begins(a) - begins(b) ||
          compareText(a.reference.FullName, b.reference.FullName) ||
          compareText(a.reference.ID, b.reference.ID),
      )
      .slice(0, most)
  }

  #of(field: string): References {
    const known = this.#collected.get(field)
    if (known) return known
    const made = this.#collect(field)
    this.#collected.set(field, made)
    return made
  }

  #collect(field: string): References {
    const { object, rows } = this.#ports
    const collected = new Map<string, Reference[]>()
    const list = this.#listOf(field)
    for (const reference of this.#lists.get(list) ?? []) add(collected, reference)
    const refersHere = list === object.toLowerCase()
    for (const row of rows()) {
      const value = valueAt(object, row.record, field)
      if (typeof value !== 'string' && !isEmpty(value)) add(collected, value)
      if (refersHere && row.origin === 'read') {
        add(collected, { ID: textOf(row.record['ID']), FullName: rowName(row) })
      }
    }
    return collected
  }
}

function add(collected: Map<string, Reference[]>, reference: Reference): void {
  const name = nameKey(reference.FullName || reference.ID)
  const known = collected.get(name)
  if (known === undefined) collected.set(name, [reference])
  else if (reference.ID === '' || known.some(({ ID }) => ID === reference.ID)) return
  else if (known[0]?.ID === '') known[0] = reference
  else known.push(reference)
}
