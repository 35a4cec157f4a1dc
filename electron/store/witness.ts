/**
 * A small file beside the database that records how far the database had come when something was last sent. A database
 * that lost its log, or an older copy in its place, is behind the witness, and the next start notices.
 *
 * Each request that changes something outside is counted in the database, in the transaction that says SENDING. Once
 * that is on disk, and before the first byte leaves, the same number is on disk here. So after a crash the database may
 * be ahead, and never behind.
 */
import { closeSync, existsSync, fdatasync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { z } from 'zod'

const lastSent = z.object({
  /** Of which database: made at random with the database itself. */
  generation: z.string(),
  /** How many requests that change something it had counted. */
  sequence: z.number().int().nonnegative(),
  /** The last of them, oldest first. `at` is ISO time. */
  requests: z.array(z.object({ requestKey: z.string(), at: z.string() })).readonly(),
})
export type LastSent = z.output<typeof lastSent>

/**
 * Two slots, written in turn and in place: one page, no new blocks, and a write that is cut off spoils only the older
 * one. The disk is flushed by another thread while this one goes on to what else has to be on disk before the request
 * leaves.
 */
const SLOT = 4_096
const SLOTS = [0, 1] as const

export interface Witness {
  /** `null` when there is none, or it can't be read. */
  read(): LastSent | null
  /** Writes to the file and starts to flush it. Throws what the disk throws. */
  write(sent: LastSent): void
  /** Resolves when everything written is on disk; rejects when that failed. */
  flushed(): Promise<void>
  close(): void
}

/** @param path of the file, which the first write creates */
export function createWitness(path: string): Witness {
  let handle: number | null = null
  let slot: (typeof SLOTS)[number] = 0
  let flushing = Promise.resolve<Error | null>(null)

  const slots = (): readonly (LastSent | null)[] => {
    if (!existsSync(path)) return []
    const bytes = readFileSync(path)
    return SLOTS.map((index) => fromSlot(bytes.subarray(index * SLOT, (index + 1) * SLOT).toString()))
  }

  const opened = (): number => {
    if (existsSync(path)) return openSync(path, 'r+')
    const made = openSync(path, 'wx+', 0o600)
    writeSync(made, Buffer.alloc(SLOT * SLOTS.length, ' '), 0, SLOT * SLOTS.length, 0)
    fsyncSync(made)
    return made
  }

  return {
    read() {
      const [first = null, second = null] = slots()
      const isSecond = second !== null && second.sequence >= (first?.sequence ?? 0)
      slot = isSecond ? 0 : 1
      return isSecond ? second : first
    },
    write(sent) {
      handle ??= opened()
      const bytes = Buffer.from(toSlot(sent))
      writeSync(handle, bytes, 0, SLOT, slot * SLOT)
      slot = slot === 0 ? 1 : 0
      const flush = flushed(handle)
      flushing = flushing.then((failed) => flush.then((fails) => fails ?? failed))
    },
    async flushed() {
      const mine = flushing
      const failed = await mine
      // The next one is tried anew.
      if (flushing === mine) flushing = Promise.resolve(null)
      if (failed !== null) throw failed
    },
    close() {
      const open = handle
      handle = null
      if (open === null) return
      void flushing.then(() => {
        closeSync(open)
      })
    },
  }
}

function flushed(handle: number): Promise<Error | null> {
  return new Promise((resolve) => {
    fdatasync(handle, resolve)
  })
}

function toSlot(sent: LastSent): string {
  const text = JSON.stringify(sent)
  return `${crc32(text)} ${text}\n`.padEnd(SLOT)
}

function fromSlot(slot: string): LastSent | null {
  const [sum = '', ...words] = slot.trimEnd().split(' ')
  const text = words.join(' ')
  if (text === '' || sum !== String(crc32(text))) return null
  const read = lastSent.safeParse(JSON.parse(text))
  return read.success ? read.data : null
}
