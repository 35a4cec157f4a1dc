/**
 * Checks that the database is the one that this computer last sent with. If it is not, its drafts and its queue may
 * have been sent since. None of them is then sent without a search and a confirmation.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/result.ts'
import { type Database, flag, number, type SentRequest, text } from './database.ts'
import { sealOperation } from './journal/rows.ts'

/** Ends the name of the file beside the database, and of the one in the folder for state. */
const WITNESS = '.witness'

interface Lineage {
  readonly generation: string
  readonly sequence: number
  /** True when a witness was written for it. */
  readonly isWitnessed: boolean
  /** True when it was restored from a backup and not opened since. */
  readonly isRestored: boolean
}

function lineageOf(database: Database): Lineage {
  const row = database.one('SELECT * FROM lineage') ?? {}
  return {
    generation: text(row, 'generation'),
    sequence: number(row, 'sequence'),
    isWitnessed: flag(row, 'is_witnessed'),
    isRestored: flag(row, 'is_restored'),
  }
}

/**
 * A foreign file may contain anything. One without a valid generation counts as older, and nothing malformed becomes a
 * file name.
 */
function replaceInvalidLineage(database: Database): void {
  database.run(`DELETE FROM lineage WHERE length(generation) <> 32 OR generation GLOB '*[^0-9a-f]*'`)
  database.run(
    `INSERT INTO lineage SELECT lower(hex(randomblob(16))), 0, 0, 1 WHERE NOT EXISTS (SELECT 1 FROM lineage)`,
  )
}

/** The witness beside the database, and one in another folder that a restored or synced folder doesn't include. */
export interface Witnesses {
  /** Compares, and marks what may have been sent since. Call once, after opening the database. */
  check(database: Database, now: number): AppError | null
  /** Records that these requests are about to be sent. */
  tell(database: Database, requests: readonly SentRequest[]): void
  /** See `Witness`. */
  flushed(): Promise<void>
  close(): void
}

/**
 * @param path of the database
 * @param stateFolder where this system keeps a program's state apart from its data; `null` if there is none
 */
export function createWitnesses(path: string, stateFolder: string | null): Witnesses {
  const beside = createWitness(path + WITNESS)
  let elsewhere: Witness | null = null
  let last: LastSent['requests'] = []

  const tell = (sent: LastSent): void => {
    beside.write(sent)
    elsewhere?.write(sent)
  }

  /** Named by generation, so that another folder of this computer is not mistaken for this one. */
  const openElsewhere = ({ generation }: Lineage): LastSent | null => {
    if (stateFolder === null) return null
    try {
      mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
      elsewhere = createWitness(join(stateFolder, generation + WITNESS))
      return elsewhere.read()
    } catch {
      // Without that folder, the witness beside the database still works.
      elsewhere = null
      return null
    }
  }

  return {
    check(database, now) {
      database.write(() => {
        replaceInvalidLineage(database)
      })
      const lineage = lineageOf(database)
      const [here, there] = [beside.read(), openElsewhere(lineage)]
      last = here?.requests ?? []
      const known = [here, there].filter((sent) => sent?.generation === lineage.generation)
      const newest = Math.max(lineage.sequence, here?.sequence ?? 0, there?.sequence ?? 0)
      const isBehind = known.some((sent) => (sent?.sequence ?? 0) > lineage.sequence)
      const isUnknown = here === null ? lineage.isWitnessed : here.generation !== lineage.generation
      const isOther = isUnknown && (lineage.isWitnessed || newest > 0)
      if (!isBehind && !isOther && !lineage.isRestored) {
        if (isUnknown || !lineage.isWitnessed) begin(database, lineage)
        return null
      }
      const isNew = isEmpty(database)
      const at = { generation: lineage.generation, sequence: newest + 1 }
      database.write(() => {
        holdUnsentWork(database, new Date(now).toISOString())
        beginSaves(database)
        database.run('UPDATE lineage SET sequence = ?, is_witnessed = 1, is_restored = 0', at.sequence)
      })
      const missing = [...(here?.requests ?? []), ...(there?.requests ?? [])].filter(
        ({ requestKey }) => database.one('SELECT 1 FROM requests WHERE request_key = ?', requestKey) === null,
      )
      try {
        tell({ ...at, requests: last })
      } catch {
        // The next start finds the same state. Nothing is sent until the witness is written.
      }
      // The restore itself informs the user (`backup/restore.ts`).
      if (lineage.isRestored) return null
      return isNew ? gone(missing) : isBehind ? older(missing) : unknown(missing)
    },
    tell(database, requests) {
      const { generation, sequence } = lineageOf(database)
      last = [...last, ...requests].slice(-MAX_NAMED)
      tell({ generation, sequence, requests: last })
    },
    async flushed() {
      await Promise.all([beside.flushed(), elsewhere?.flushed()])
    },
    close() {
      beside.close()
      elsewhere?.close()
    },
  }

  /** Writes the first witness of a database, in both slots. If that fails, the next start doesn't expect one. */
  function begin(database: Database, { generation, sequence }: Lineage): void {
    try {
      for (const _slot of [1, 2]) beside.write({ generation, sequence, requests: [] })
    } catch {
      return
    }
    database.write(() => database.run('UPDATE lineage SET is_witnessed = 1'))
  }
}

/** How many requests a witness lists: enough to say when, few enough for its slots. */
const MAX_NAMED = 16

function isEmpty(database: Database): boolean {
  const row = database.one(
    'SELECT EXISTS (SELECT 1 FROM drafts) OR EXISTS (SELECT 1 FROM batches) AS is_used',
  )
  return row !== null && !flag(row, 'is_used')
}

/**
 * Holds what waits in the queue. Sending it again searches for it first. Marks drafts, so that `records.send` refuses
 * them until the user has confirmed, and searches for new records first.
 */
function holdUnsentWork(database: Database, at: string): void {
  database.run('UPDATE drafts SET is_stale = 1')
  const queued = `state = 'queued' AND is_closed = 0`
  for (const row of database.all(`SELECT operation_id FROM operations WHERE ${queued}`)) {
    const operationId = text(row, 'operation_id')
    database.run(
      `UPDATE operations SET state = 'held', send_again = 0, rechecks = 0, first_rechecked_at = NULL, settled_at = ?
       WHERE operation_id = ?`,
      at,
      operationId,
    )
    sealOperation(database, operationId)
  }
}

/** Kept lists may lack what another file has, so none of them is used with this one. */
function beginSaves(database: Database): void {
  database.run('UPDATE operations SET saved_order = NULL WHERE saved_order IS NOT NULL')
  database.run('DELETE FROM saves')
  database.run('INSERT INTO saves VALUES (lower(hex(randomblob(16))), 0, 0)')
}

const LOOK_FIRST =
  'Earlier drafts may already be in the books. Before you send one, check its list in the accounting application. Bookbridge asks first and looks for new records itself. Before you add a company, check whether it is already there.'

function older(missing: readonly SentRequest[]): AppError {
  return appError(
    'store',
    'The data here is older than the last changes sent from this computer.',
    LOOK_FIRST,
    details(missing),
  )
}

function unknown(missing: readonly SentRequest[]): AppError {
  return appError(
    'store',
    'The data here isn’t what was last used on this computer, or the file that identifies it is gone.',
    LOOK_FIRST,
    details(missing),
  )
}

function gone(missing: readonly SentRequest[]): AppError {
  return appError(
    'store',
    'The file with your drafts and history is missing, so Bookbridge started a new one.',
    'If you have the file, put it back. Otherwise, check the accounting application before you enter anything again, because the new file doesn’t know what was sent from here.',
    details(missing),
  )
}

function details(missing: readonly SentRequest[]): AppError['details'] {
  const times = missing.map(({ at }) => at).toSorted()
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return {}
  return { raw: `Sent, but missing from it: ${times.length} or more requests, from ${first} to ${last}.` }
}

/*
 * A small file beside the database that records how far the database had come when something was last sent. A database
 * that lost its log, or an older copy in its place, is behind the witness, and the next start notices.
 *
 * Each request that changes something at the service is counted in the database, in the transaction that says SENDING.
 * Once that is on disk, and before the first byte is sent, the same number is saved here. So after a crash the database
 * may be ahead, but never behind.
 */

const lastSent = z.object({
  /** Identifies the database. Random, created with the database. */
  generation: z.string(),
  /** How many requests that change something the database had counted. */
  sequence: z.number().int().nonnegative(),
  /** The most recent of them, oldest first. `at` is an ISO time. */
  requests: z.array(z.object({ requestKey: z.string(), at: z.string() })).readonly(),
})
export type LastSent = z.output<typeof lastSent>

/**
 * Two slots, written alternately and in place. A write touches one page and allocates no blocks, and a write that is
 * cut off destroys only the older slot. Another thread flushes the disk while this one writes what else must be on disk
 * before the request is sent.
 */
const SLOT = 4_096
const SLOTS = [0, 1] as const

export interface Witness {
  /** `null` if there is none or it can't be read. */
  read(): LastSent | null
  /** Writes to the file and starts to flush it. Throws what the disk throws. */
  write(sent: LastSent): void
  /** Resolves when everything written is on disk. Rejects if that failed. */
  flushed(): Promise<void>
  close(): void
}

/** @param path of the file, which the first write creates */
function createWitness(path: string): Witness {
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
      // The next flush starts over.
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
