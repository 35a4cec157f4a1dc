/** Which fields the records of a list have, first seen first, with the members of those that are objects. */
import { isMembers } from '../service/envelope.ts'
import type { MemberNames } from './member-names.ts'
import type { FieldShape } from './rows.ts'

export class FieldShapes {
  readonly #members = new Map<string, Set<string>>()

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
    this.#members.set(name, known)
    for (const each of members) known.add(each)
  }
}
