/**
 * The names of an object's members as they stand in the bytes, first seen first. Records of one list have the same
 * members in the same order nearly always, so that the one that came next the last time is tried first.
 */
import { isSame } from './json-scan.ts'

export interface MemberName {
  readonly name: string
  /** It is `ID`, in any casing. */
  readonly isId: boolean
  /** Of its bytes, quotes and colon included. */
  readonly length: number
  /** Within the values of that name, where they are objects. */
  readonly members: MemberNames
  /** Types that its values had, as bits (`typeBitAt`). */
  types: number
}

interface Known extends MemberName {
  /** As in the body, with its quotes and the colon: an escape stands there as it was written. */
  readonly bytes: Uint8Array
  next: Known | undefined
}

export class MemberNames {
  /** By their bytes as text, a character each. */
  readonly #known = new Map<string, Known>()
  #first: Known | undefined
  #last: Known | undefined

  /** Another object begins. */
  begin(): void {
    this.#last = undefined
  }

  /**
   * The name that came next the last time, if it stands there again, with its colon: it was found to be a JSON string
   * then, and is not looked through again.
   */
  expectedAt(body: Uint8Array, at: number): MemberName | undefined {
    const expected = this.#last === undefined ? this.#first : this.#last.next
    if (expected === undefined || !isSame(body, at, expected.bytes)) return undefined
    this.#last = expected
    return expected
  }

  /** Notes another name, which the scan has found to be a JSON string. */
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
    const isId = name.toLowerCase() === 'id'
    const asWritten = Buffer.from(`"${key}":`, 'latin1')
    const made = {
      name,
      isId,
      bytes: new Uint8Array(asWritten),
      length: asWritten.length,
      members: new MemberNames(),
      types: 0,
      next: undefined,
    }
    this.#known.set(key, made)
    return made
  }

  /** A name that was spelt in two ways comes twice. */
  all(): Iterable<MemberName> {
    return this.#known.values()
  }
}
