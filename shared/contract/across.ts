/** What is done over all companies of a connection: finding records in kept lists, and reading what isn't kept. */
import { z } from 'zod'
import { call, companyRef, count, id, isoTime, line, none, said, appErrorSchema } from './parts.ts'

/** A record that was found, with the value that it was found by. */
const hit = z.object({
  recordId: said,
  name: said,
  isActive: z.boolean(),
  path: said,
  value: said,
})

/** What was found in one list. */
const foundList = z.object({
  company: companyRef,
  object: said,
  total: count,
  /** There are more than `total`. */
  isMore: z.boolean(),
  /** The best first. */
  hits: z.array(hit).readonly(),
})

const COVERAGES = ['kept', 'old', 'not-kept', 'too-large'] as const

const coveredList = z.object({
  company: companyRef,
  object: said,
  coverage: z.enum(COVERAGES),
  /** `null` if it isn't kept. */
  readAt: isoTime.nullable(),
  count,
})

/** **Read them now**, while it is at work and until it is started again. */
const backgroundReading = z.object({
  total: count,
  done: count,
  isRunning: z.boolean(),
  /** What is being read. */
  now: z.object({ company: companyRef, object: said }).nullable(),
  failed: z.array(z.object({ company: companyRef, object: said, error: appErrorSchema })).readonly(),
})

const connection = z.strictObject({ connectionId: id })

export const acrossCalls = {
  /**
   * Finds records in the kept lists of all companies, list after list by company name. Answers as soon as a moment has
   * passed; `next` is where to go on, or `null` after the last list.
   */
  'across.find': call(
    z.strictObject({ connectionId: id, text: line, from: count }),
    z.object({
      lists: z.array(foundList).readonly(),
      next: count.nullable(),
      /** Records that can be searched, and lists that are still being made searchable. */
      records: count,
      waiting: count,
    }),
  ),
  /** Which lists are kept, and how old they are. */
  'across.coverage': call(
    connection,
    z.object({
      lists: z.array(coveredList).readonly(),
      /** Companies whose lists are not kept because that is turned off. */
      off: z.array(companyRef).readonly(),
      /** Whether lists are kept at all. */
      isKeeping: z.boolean(),
      reading: backgroundReading.nullable(),
    }),
  ),
  /** **Read them now**: reads these lists in the background, one after another, and keeps them. */
  'across.read': call(
    z.strictObject({
      connectionId: id,
      lists: z
        .array(z.strictObject({ endpointId: id, object: line.min(1) }))
        .min(1)
        .max(10_000)
        .readonly(),
    }),
    none,
  ),
  'across.stopReading': call(connection, none),
} as const

export const acrossEvents = {
  /** Other lists can be searched now, or **Read them now** has come further. */
  'across.changed': z.object({ connectionId: id, reading: backgroundReading.nullable() }),
} as const

export type FoundList = z.output<typeof foundList>
export type Hit = z.output<typeof hit>
export type CoveredList = z.output<typeof coveredList>
export type BackgroundReading = z.output<typeof backgroundReading>
