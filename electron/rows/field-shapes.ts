/** Which fields the records of a list have, first seen first, with the members of those that are objects: so many at most. */
import { MOST_FIELDS } from '../../shared/records.ts'
import { isMembers } from '../service/envelope.ts'
import type { MemberNames } from './member-names.ts'
import type { FieldShape } from './rows.ts'

export class FieldShapes {
  readonly #members = new Map<string, Set<string>>()
  #count = 0
  #hasMore = false

  /** Whether there were more than a list can have; those are left out. */
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Names as the scan of a page found them. */
  noteNames(names: MemberNames): void {
    for (const { name, members } of names.all()) {
      this.#note(
        name,
        [...members.all()].map((each) => each.name),
      )
    }
  }

  noteRecord(object: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(object)) {
      this.#note(name, isMembers(value) ? Object.keys(value) : [])
    }
  }

  /** Takes over what another list has. */
  merge(other: FieldShapes): void {
    for (const [name, members] of other.#members) this.#note(name, members)
  }

  all(): readonly FieldShape[] {
    return [...this.#members].map(([name, members]) => ({ name, members: [...members] }))
  }

  #note(name: string, members: Iterable<string>): void {
    const known = this.#members.get(name) ?? new Set()
    if (!this.#members.has(name) && this.#isRoom()) this.#members.set(name, known)
    for (const each of members) if (!known.has(each) && this.#isRoom()) known.add(each)
  }

  #isRoom(): boolean {
    this.#hasMore ||= this.#count >= MOST_FIELDS
    this.#count += 1
    return !this.#hasMore
  }
}
