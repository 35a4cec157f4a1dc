/** Connections: address and key of a service. The key itself is in one call only, inward. */
import { z } from 'zod'
import { id, line, said, count, none, call } from './parts.ts'
import { connectionSettingsSchema } from './settings.ts'

const keyPlace = z.enum(['keychain', 'memory', 'missing', 'not-needed'])

/** Address and key of one service. The key itself is never here. */
const connection = z.object({
  connectionId: id,
  name: line,
  /** `https://…` or a loopback address; the sample's is `sample:`. */
  address: line,
  /** The sample service inside the program. */
  isSample: z.boolean(),
  /** An `http` address on this computer: marked on screen. */
  isLoopback: z.boolean(),
  /** Where the key is: in the keychain, in memory for this run only, or nowhere (has to be given again). */
  key: keyPlace,
  /** Older service (v1); empty when there is none. */
  legacyAddress: line,
  /** Where the older service's own key is. */
  legacyKey: keyPlace,
  /** What differs from the program's settings here. */
  settings: connectionSettingsSchema,
})

/** What writing to one list of one application has shown. `null`: not known yet. */
const learnedBehavior = z.object({
  /** Short code as the service says it. */
  application: said,
  object: line,
  kind: z.enum(['insert', 'change']),
  /** The first one was read back and did what it was meant to. */
  isProven: z.boolean(),
  /** The first change did something else, so changes wait for the person. */
  isStopped: z.boolean(),
  /** Names come back as they were sent. */
  keepsNames: z.boolean().nullable(),
  /** `ExternalID` comes back as it was sent. */
  keepsMarks: z.boolean().nullable(),
  /** An answer says what is stored, and doesn't only repeat what was sent. */
  answersAsStored: z.boolean().nullable(),
  /** The ID in an answer is the one in the list. */
  keepsIds: z.boolean().nullable(),
  /** Milliseconds by which the service's clock is ahead of this computer's. */
  clockAhead: z.int().nullable(),
  /** Milliseconds until a new record could be read, at most. */
  lag: z.int().min(0).nullable(),
})

export const connectionCalls = {
  'connection.list': call(
    none,
    z.object({
      connections: z.array(connection).readonly(),
      currentId: id.nullable(),
      /** Whether this computer's keychain can be used; if not, keys live in memory for this run only. */
      keychain: z.object({ available: z.boolean(), because: line }),
    }),
  ),
  /** The key's one way in. It waits in memory until `connection.connect` has tested it. */
  'connection.setKey': call(
    z.strictObject({
      connectionId: id,
      key: z.string().min(1).max(4_096),
      /** Which of the two services it is for; the current one when left out. */
      service: z.enum(['v2', 'v1']).optional(),
    }),
    none,
  ),
  /**
   * Tests addresses and keys by listing the companies, and saves the connection only when that works. An address
   * that has changed needs its key again. An error of the older service says so in its `details.service`.
   */
  'connection.connect': call(
    z.strictObject({
      connectionId: id,
      name: line,
      address: line,
      /** Empty: none. Left out: as it was. */
      legacyAddress: line.optional(),
      /**
       * The person's word that another address is the same service under a new name. Left out, or false: what was sent
       * to the address of before is not looked for at the new one, and what waits stops.
       */
      isSameService: z.boolean().optional(),
      settings: connectionSettingsSchema.optional(),
    }),
    z.object({
      connection,
      companies: count,
      /** How many the older service lists; `null` where there is none. */
      legacyCompanies: count.nullable(),
      /** False when a service did not give its whole list. */
      isWhole: z.boolean(),
    }),
  ),
  /** Keeps what needs no test: nothing is asked of the service. */
  'connection.change': call(
    z.strictObject({ connectionId: id, name: line, settings: connectionSettingsSchema }),
    z.object({ connection }),
  ),
  /** What writing over it has shown about the service; forgotten when its address changes. */
  'connection.learned': call(z.strictObject({ connectionId: id }), z.array(learnedBehavior).readonly()),
  'connection.useSample': call(none, z.object({ connection })),
  'connection.select': call(z.strictObject({ connectionId: id }), none),
  'connection.remove': call(z.strictObject({ connectionId: id }), none),
  'connection.resetSample': call(none, none),
} as const

export const connectionEvents = {
  /** Connections were added, removed or chosen. */
  'connections.changed': z.object({}),
} as const

export type Connection = z.output<typeof connection>
export type LearnedBehavior = z.output<typeof learnedBehavior>
