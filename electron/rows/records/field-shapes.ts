/**
 * Collects which fields the records of a list have, their nested members, and the types of their values. The number
 * of fields is limited.
 */
import { isObject, type JsonType, pathOf } from '../../../shared/records/changes.ts'
import { MAX_FIELDS } from '../../../shared/records/definition.ts'
import type { FieldShape } from '../rows.ts'
import { hasBytesAt } from './json-scan.ts'

const BITS: Readonly<Record<JsonType, number>> = { text: 1, number: 2, boolean: 4, list: 8, object: 16 }
const TYPES = Object.entries(BITS) as readonly (readonly [JsonType, number])[]

/** The type of the JSON value that starts at `at`, as a bit. An empty value has no type. */
export function typeBitAt(body: Uint8Array, at: number): number {
  switch (body[at]) {
    case 0x22:
      return body[at + 1] === 0x22 ? 0 : BITS.text
    case 0x5b:
      return BITS.list
    case 0x7b:
      return BITS.object
    case 0x74:
    case 0x66:
      return BITS.boolean
    case 0x6e:
    case undefined:
      return 0
    default:
      return BITS.number
  }
}

function typeBitOf(value: unknown): number {
  if (JSON.isRawJSON(value)) return BITS.number
  if (typeof value === 'boolean') return BITS.boolean
  if (Array.isArray(value)) return BITS.list
  if (typeof value === 'object' && value !== null) return BITS.object
  return typeof value === 'string' && value !== '' ? BITS.text : 0
}

interface SavedShapes {
  readonly members: readonly (readonly [string, readonly string[]])[]
  readonly types: readonly (readonly [string, number])[]
}

export class FieldShapes {
  readonly #members = new Map<string, Set<string>>()
  /** Types as bits, by path. */
  readonly #types = new Map<string, number>()
  #count = 0
  #hasMore = false

  /** Whether there were more fields than the limit. The rest are left out. */
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Adds the names that the scan of a page found. */
  noteNames(names: MemberNames): void {
    for (const { name, types, members } of names.all()) {
      const parts = [...members.all()]
      this.#note(
        name,
        parts.map((each) => each.name),
      )
      this.#noteType(pathOf(name), types)
      for (const part of parts) this.#noteType(pathOf(name, part.name), part.types)
    }
  }

  /** @param object with numbers as raw JSON (`parseExactJson`) */
  noteRecord(object: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(object)) {
      const parts = isObject(value) && !JSON.isRawJSON(value) ? Object.entries(value) : []
      this.#note(
        name,
        parts.map(([part]) => part),
      )
      this.#noteType(pathOf(name), typeBitOf(value))
      for (const [part, each] of parts) this.#noteType(pathOf(name, part), typeBitOf(each))
    }
  }

  /** Adds everything of another list. */
  merge(other: FieldShapes): void {
    for (const [name, members] of other.#members) this.#note(name, members)
    for (const [path, types] of other.#types) this.#noteType(path, types)
  }

  all(): readonly FieldShape[] {
    return [...this.#members].map(([name, members]) => ({ name, members: [...members] }))
  }

  /** Everything it collected, for `FieldShapes.from`. */
  toJSON(): unknown {
    const members = [...this.#members].map(([name, parts]) => [name, [...parts]] as const)
    return { members, types: [...this.#types] } satisfies SavedShapes
  }

  /** @param saved what `toJSON` returned */
  static from(saved: unknown): FieldShapes {
    const { members, types } = saved as SavedShapes
    const shapes = new FieldShapes()
    for (const [name, parts] of members) shapes.#note(name, parts)
    for (const [path, bits] of types) shapes.#noteType(path, bits)
    return shapes
  }

  /** The type by path, if all nonempty values have the same type. */
  types(): ReadonlyMap<string, JsonType> {
    const found = new Map<string, JsonType>()
    for (const [path, bits] of this.#types) {
      const only = TYPES.find(([, bit]) => bit === bits)
      if (only !== undefined) found.set(path, only[0])
    }
    return found
  }

  #note(name: string, members: Iterable<string>): void {
    const known = this.#members.get(name) ?? new Set()
    if (!this.#members.has(name) && this.#isRoom()) this.#members.set(name, known)
    for (const each of members) if (!known.has(each) && this.#isRoom()) known.add(each)
  }

  #noteType(path: string, types: number): void {
    if (types !== 0 && !this.#hasMore) this.#types.set(path, (this.#types.get(path) ?? 0) | types)
  }

  #isRoom(): boolean {
    this.#hasMore ||= this.#count >= MAX_FIELDS
    this.#count += 1
    return !this.#hasMore
  }
}

/*
 * The names of an object's members as bytes, in order of first occurrence. The records of a list nearly always have
 * the same members in the same order, so the name that came next in the previous record is tried first.
 */

/** What a member says about its record. `other-id` is `ID` in another case. */
export type MemberRole = 'id' | 'other-id' | 'full-name' | 'name' | ''

const ROLES: ReadonlyMap<string, MemberRole> = new Map([
  ['ID', 'id'],
  ['FullName', 'full-name'],
  ['Name', 'name'],
])

export interface MemberName {
  readonly name: string
  readonly role: MemberRole
  /** Its length in bytes, including quotes and colon. */
  readonly length: number
  /** The members of its values that are objects. */
  readonly members: MemberNames
  /** The types of its values, as bits (`typeBitAt`). */
  types: number
}

interface Known extends MemberName {
  /** The bytes as they are in the body, including quotes, colon, and escapes. */
  readonly bytes: Uint8Array
  next: Known | undefined
}

export class MemberNames {
  /** Names by their bytes, one character per byte. */
  readonly #known = new Map<string, Known>()
  #first: Known | undefined
  #last: Known | undefined

  /** Starts the next object. */
  begin(): void {
    this.#last = undefined
  }

  /**
   * Returns the name that came next in the previous object if the same bytes are at this place. They were checked
   * before and aren't scanned again.
   */
  expectedAt(body: Uint8Array, at: number): MemberName | undefined {
    const expected = this.#last === undefined ? this.#first : this.#last.next
    if (expected === undefined || !hasBytesAt(body, at, expected.bytes)) return undefined
    this.#last = expected
    return expected
  }

  /** Adds a name that the scan has checked to be a JSON string. */
  note(body: Uint8Array, from: number, to: number): MemberName {
    const found = this.#find(body.subarray(from, to))
    if (this.#last === undefined) this.#first = found
    else this.#last.next = found
    this.#last = found
    return found
  }

  #find(bytes: Uint8Array): Known {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const key = raw.toString('latin1')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const name = JSON.parse(`"${raw.toString('utf8')}"`) as string
    const role = ROLES.get(name) ?? (name.toLowerCase() === 'id' ? 'other-id' : '')
    const asWritten = Buffer.from(`"${key}":`, 'latin1')
    const made = {
      name,
      role,
      bytes: new Uint8Array(asWritten),
      length: asWritten.length,
      members: new MemberNames(),
      types: 0,
      next: undefined,
    }
    this.#known.set(key, made)
    return made
  }

  /** All names. One that is spelled in two ways (with and without escapes) comes twice. */
  all(): Iterable<MemberName> {
    return this.#known.values()
  }
}
