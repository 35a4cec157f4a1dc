/**
 * The file format of a list's copy on this computer, from which it opens without the service.
 *
 * A file consists of a header and frames. Each frame is compressed, then encrypted with AES-256-GCM under a random
 * nonce. Its index, its kind, and the file's ID and name are authenticated with it, so that frames can't be moved,
 * repeated, or copied from another file, and a file can't take the place of another list's. A group is several frames
 * of records, a few megabytes each, and an end frame that describes them. The first group is the list; each later group
 * is an appended set of changes. A new file is written under a temporary name and renamed once it is on disk. A group of
 * changes that is incomplete or can't be decrypted is ignored with everything behind it, and overwritten by the next
 * one. So whether a crash or the disk did the damage, the copy is as it was after one of its groups, never a mixture.
 * Without its first group, there is no copy.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { FieldShapes } from './field-shapes.ts'
import { type HeldRecord, RecordSet } from './record-set.ts'

/** `BBL` and the version of the format. */
const MAGIC = Buffer.from('BBL1', 'latin1')
const FILE_ID_BYTES = 16
const HEADER_BYTES = MAGIC.length + FILE_ID_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Length, kind, and nonce of a frame. */
const FRAME_HEAD_BYTES = 4 + 1 + NONCE_BYTES
/** Bytes of records in a frame, before compression. A larger record has a frame to itself. */
const FRAME_RECORDS = 2_000_000
/** More than a frame with the largest record. */
const LARGEST_FRAME = 64_000_000

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

const RECORDS = 1
const END = 2
type Kind = typeof RECORDS | typeof END

/** The file is not a copy that this key can read. */
class DamagedCopyError extends Error {}

/** The content of the frame that ends a group. */
interface GroupEnd {
  /** The caller's data about the copy as of this group. */
  readonly meta: unknown
  readonly shapes: unknown
}

interface RecordsHead {
  readonly ids: readonly string[]
  /** As in `HeldRecord`. */
  readonly names: readonly (string | null)[]
  /** Bytes of each record. */
  readonly lengths: readonly number[]
  /** For each record, 1 if it has numbers outside strings. */
  readonly numbers: readonly number[]
}

interface Frame {
  readonly kind: Kind
  /** Offsets in the file where it begins and ends. */
  readonly from: number
  readonly to: number
  /** Its index among the frames. */
  readonly index: number
}

/** What a file holds, as far as it is complete and can be decrypted. */
interface Groups {
  /** The records of the list, and the content of the frame that ends it. */
  readonly list: { readonly records: readonly Frame[]; readonly end: Buffer }
  /** The contents of the frames of each set of changes. */
  readonly changes: readonly { readonly records: readonly Buffer[]; readonly end: Buffer }[]
  /** The last frame of the last of these groups. */
  readonly last: Frame
}

/** An open file and its key. */
class KeptFile {
  readonly #handle: number
  readonly #key: Buffer
  /** The file's ID and its name, which tells the company and the list (`kept-files.ts`). */
  readonly #identity: Buffer
  #isClosed = false

  private constructor(handle: number, key: Buffer, fileId: Buffer, path: string) {
    this.#handle = handle
    this.#key = key
    this.#identity = Buffer.concat([fileId, Buffer.from(basename(path))])
  }

  /**
   * Creates the file under its temporary name (`partOf`). If that fails, throws the system's error and leaves no file.
   */
  static create(path: string, key: Buffer): KeptFile {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fileId = randomBytes(FILE_ID_BYTES)
    const file = new KeptFile(openSync(partOf(path), 'w', 0o600), key, fileId, path)
    try {
      file.#writeAll(Buffer.concat([MAGIC, fileId]), 0)
      return file
    } catch (cause) {
      file.close()
      rmSync(partOf(path), { force: true })
      throw cause
    }
  }

  /**
   * Opens the file. Throws `DamagedCopyError` if it isn't one of ours, and the system's error if it can't be opened.
   */
  static open(path: string, key: Buffer, flags: 'r' | 'r+'): KeptFile {
    const handle = openSync(path, flags)
    const header = Buffer.alloc(HEADER_BYTES)
    const read = readSync(handle, header, 0, HEADER_BYTES, 0)
    if (read < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
      closeSync(handle)
      throw new DamagedCopyError('not a copy of a list')
    }
    return new KeptFile(handle, key, header.subarray(MAGIC.length), path)
  }

  /** Throws `DamagedCopyError` if not even the list is complete. */
  groups(): Groups {
    const frames = this.#completeFrames()
    const listEnd = frames.findIndex(({ kind }) => kind === END)
    const end = frames[listEnd]
    if (end === undefined) throw new DamagedCopyError('no complete copy')
    const changes: Groups['changes'][number][] = []
    let last = end
    let records: Buffer[] = []
    for (const frame of frames.slice(listEnd + 1)) {
      const content = this.#readIfWhole(frame)
      if (content === null) break
      if (frame.kind === RECORDS) records.push(content)
      else {
        changes.push({ records, end: content })
        records = []
        last = frame
      }
    }
    return { list: { records: frames.slice(0, listEnd), end: this.read(end) }, changes, last }
  }

  /** The content of a frame; `null` if it can't be decrypted. */
  #readIfWhole(frame: Frame): Buffer | null {
    try {
      return this.read(frame)
    } catch (cause) {
      if (cause instanceof DamagedCopyError) return null
      throw cause
    }
  }

  /** The frames that are complete, as far as their lengths say. */
  #completeFrames(): readonly Frame[] {
    const size = fstatSync(this.#handle).size
    const frames: Frame[] = []
    const head = Buffer.alloc(FRAME_HEAD_BYTES)
    for (let from = HEADER_BYTES; from + FRAME_HEAD_BYTES + TAG_BYTES <= size;) {
      readSync(this.#handle, head, 0, FRAME_HEAD_BYTES, from)
      const length = head.readUInt32LE(0)
      const to = from + FRAME_HEAD_BYTES + length + TAG_BYTES
      const kind = head[4]
      if (length > LARGEST_FRAME || to > size || (kind !== RECORDS && kind !== END)) break
      frames.push({ kind, from, to, index: frames.length })
      from = to
    }
    return frames
  }

  read({ kind, from, to, index }: Frame): Buffer {
    const bytes = Buffer.alloc(to - from)
    readSync(this.#handle, bytes, 0, bytes.length, from)
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(5, FRAME_HEAD_BYTES))
    decipher.setAAD(this.#about(kind, index))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    try {
      const packed = decipher.update(bytes.subarray(FRAME_HEAD_BYTES, bytes.length - TAG_BYTES))
      return zstdDecompressSync(Buffer.concat([packed, decipher.final()]))
    } catch {
      throw new DamagedCopyError(`frame ${String(index)} can’t be decrypted`)
    }
  }

  /** Writes a frame at an offset. */
  write(kind: Kind, index: number, at: number, content: Buffer): number {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(this.#about(kind, index))
    const packed = Buffer.concat([cipher.update(zstdCompressSync(content, FAST)), cipher.final()])
    const head = Buffer.alloc(5)
    head.writeUInt32LE(packed.length, 0)
    head[4] = kind
    const frame = Buffer.concat([head, nonce, packed, cipher.getAuthTag()])
    this.#writeAll(frame, at)
    return at + frame.length
  }

  /** Truncates the file. */
  cut(at: number): void {
    ftruncateSync(this.#handle, at)
  }

  sync(): void {
    fsyncSync(this.#handle)
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#handle)
    this.#isClosed = true
  }

  /** A disk that is nearly full writes only a part. The next write then fails. */
  #writeAll(bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.#handle, bytes, done, bytes.length - done, at + done)
    }
  }

  #about(kind: Kind, index: number): Buffer {
    const place = Buffer.alloc(5)
    place.writeUInt32LE(index, 0)
    place[4] = kind
    return Buffer.concat([place, this.#identity])
  }
}

/** Writes a set to a file, a frame at a time. */
export class KeptSetWriter {
  readonly #file: KeptFile
  readonly #set: RecordSet
  readonly #path: string
  readonly #isAppended: boolean
  #next = 0
  #index: number
  #at: number

  private constructor(
    file: KeptFile,
    set: RecordSet,
    path: string,
    start: { readonly index: number; readonly at: number } | null,
  ) {
    this.#file = file
    this.#set = set
    this.#path = path
    this.#isAppended = start !== null
    this.#index = start?.index ?? 0
    this.#at = start?.at ?? HEADER_BYTES
  }

  /** Begins a new copy. It replaces the old one when it is complete. */
  static begin(set: RecordSet, path: string, key: Buffer): KeptSetWriter {
    return new KeptSetWriter(KeptFile.create(path, key), set, path, null)
  }

  /** Begins to append changes to a copy. */
  static append(set: RecordSet, path: string, key: Buffer): KeptSetWriter {
    const file = KeptFile.open(path, key, 'r+')
    try {
      const { last } = file.groups()
      file.cut(last.to)
      return new KeptSetWriter(file, set, path, { index: last.index + 1, at: last.to })
    } catch (cause) {
      file.close()
      throw cause
    }
  }

  /** Writes the next records. */
  writeNext(): boolean {
    const records = this.#set.heldFrom(this.#next, FRAME_RECORDS)
    if (records.length > 0) {
      const head: RecordsHead = {
        ids: records.map(({ id }) => id),
        names: records.map(({ name }) => name),
        lengths: records.map(({ from, to }) => to - from),
        numbers: records.map(({ hasNumbers }) => (hasNumbers ? 1 : 0)),
      }
      const bytes = records.map(({ bytes: all, from, to }) => all.subarray(from, to))
      this.#write(RECORDS, contentOf(head, bytes))
      this.#next += records.length
    }
    return this.#next >= this.#set.count
  }

  /** Completes the copy: flushes it to disk under its final name. @returns the size of the file in bytes */
  end(meta: unknown): number {
    const end: GroupEnd = { meta, shapes: this.#set.shapes.toJSON() }
    this.#write(END, contentOf(end, []))
    this.#file.sync()
    this.#file.close()
    if (!this.#isAppended) renameSync(partOf(this.#path), this.#path)
    return this.#at
  }

  /** Abandons the write. The existing copy stays unchanged. */
  drop(): void {
    this.#file.close()
    if (!this.#isAppended) rmSync(partOf(this.#path), { force: true })
  }

  #write(kind: Kind, content: Buffer): void {
    this.#at = this.#file.write(kind, this.#index, this.#at, content)
    this.#index += 1
  }
}

/** Reads a set from a file, a frame at a time. */
export class KeptSetReader {
  readonly set: RecordSet
  /** The caller's data in the last group. */
  readonly meta: unknown
  /** The number of changed records. They are merged last and may replace any records before them. */
  readonly changes: number
  readonly #file: KeptFile
  readonly #frames: readonly Frame[]
  readonly #groups: readonly RecordSet[]
  #next = 0

  private constructor(file: KeptFile, { list, changes }: Groups) {
    this.#file = file
    this.#frames = list.records
    this.set = new RecordSet(FieldShapes.from(endOf(list.end).shapes))
    this.meta = endOf(changes.at(-1)?.end ?? list.end).meta
    this.#groups = changes.map(({ records, end }) => {
      const changed = new RecordSet(FieldShapes.from(endOf(end).shapes))
      for (const content of records) changed.addHeld(recordsOf(content))
      return changed
    })
    this.changes = this.#groups.reduce((sum, { count }) => sum + count, 0)
  }

  /** Throws `DamagedCopyError`, or the system's error if there is no such file. */
  static open(path: string, key: Buffer): KeptSetReader {
    const file = KeptFile.open(path, key, 'r')
    try {
      return new KeptSetReader(file, file.groups())
    } catch (cause) {
      file.close()
      throw cause
    }
  }

  /** Reads the next records into the set. @returns whether these were all */
  readNext(): boolean {
    const frame = this.#frames[this.#next]
    if (frame !== undefined) {
      this.set.addHeld(recordsOf(this.#file.read(frame)))
      this.#next += 1
    }
    if (this.#next < this.#frames.length) return false
    for (const changed of this.#groups) this.set.merge(changed)
    this.drop()
    return true
  }

  /** Abandons the read. */
  drop(): void {
    this.#file.close()
  }
}

function partOf(path: string): string {
  return `${path}.part`
}

function contentOf(head: RecordsHead | GroupEnd, bytes: readonly Uint8Array[]): Buffer {
  const text = Buffer.from(JSON.stringify(head), 'utf8')
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length, 0)
  return Buffer.concat([length, text, ...bytes])
}

function endOf(content: Buffer): GroupEnd {
  return headOf(content).head as GroupEnd
}

/** It was authenticated, so its shape is trusted. */
function headOf(content: Buffer): { readonly head: unknown; readonly bytes: Buffer } {
  const length = content.readUInt32LE(0)
  return {
    head: JSON.parse(content.toString('utf8', 4, 4 + length)),
    bytes: content.subarray(4 + length),
  }
}

function recordsOf(content: Buffer): readonly HeldRecord[] {
  const { head, bytes } = headOf(content)
  const { ids, names, lengths, numbers } = head as RecordsHead
  let from = 0
  return ids.map((id, index) => {
    const to = from + (lengths[index] ?? 0)
    const record = { id, name: names[index] ?? null, bytes, from, to, hasNumbers: numbers[index] === 1 }
    from = to
    return record
  })
}
