/** Connections: the address and key of a service. The key itself is only in one call, on its way in. */
import { z } from 'zod'
import { call, count, id, line, none, serviceText } from './parts.ts'
import { connectionSettingsSchema } from './settings.ts'

const keyLocation = z.enum(['keychain', 'memory', 'missing', 'not-needed'])

/** The address and key of a service. The key itself is never here. */
const connection = z.object({
  connectionId: id,
  name: line,
  /** `https://…` or a loopback address; the sample's is `sample:`. */
  address: line,
  /** Whether it is the sample service inside the program. */
  isSample: z.boolean(),
  /** Whether it is an `http` address on this computer. Marked on screen. */
  isLoopback: z.boolean(),
  /** Where the key is: in the keychain, in memory for this run, or missing. */
  key: keyLocation,
  /** The older service (v1); empty for none. */
  legacyAddress: line,
  /** Where the older service's own key is. */
  legacyKey: keyLocation,
  /** Overrides of the program's settings. */
  settings: connectionSettingsSchema,
})

/** What writing to one list of one application has shown. `null` means not known yet. */
const learnedBehavior = z.object({
  /** The service's short code. */
  application: serviceText,
  object: line,
  kind: z.enum(['insert', 'change']),
  /** Whether the first write was read back and did what was intended. */
  isProven: z.boolean(),
  /** Whether the first change did something else, so that changes wait for the user. */
  isStopped: z.boolean(),
  /** Whether names come back as they were sent. */
  keepsNames: z.boolean().nullable(),
  /** Whether `ExternalID` comes back as it was sent. */
  keepsExternalIds: z.boolean().nullable(),
  /** Whether a response shows what is stored, instead of repeating what was sent. */
  returnsStoredValues: z.boolean().nullable(),
  /** Whether the ID in a response is the one in the list. */
  keepsIds: z.boolean().nullable(),
  /** Milliseconds by which the service's clock is ahead of this computer's. */
  clockAhead: z.int().nullable(),
  /** The most milliseconds until a new record could be read. */
  lag: z.int().min(0).nullable(),
})

export const connectionCalls = {
  'connection.list': call(
    none,
    z.object({
      connections: z.array(connection).readonly(),
      currentId: id.nullable(),
      /** Whether this computer's keychain can be used. If not, keys are kept in memory for this run. */
      keychain: z.object({ available: z.boolean(), reason: line }),
    }),
  ),
  /** The only way in for a key. It is kept in memory until `connection.connect` has tested it. */
  'connection.setKey': call(
    z.strictObject({
      connectionId: id,
      key: z.string().min(1).max(4_096),
      /** Which service the key is for; the current one by default. */
      service: z.enum(['v2', 'v1']).optional(),
    }),
    none,
  ),
  /**
   * Tests addresses and keys by listing the companies, and saves the connection only if that works. A changed address
   * needs its key again. An error of the older service has `details.service`.
   */
  'connection.connect': call(
    z.strictObject({
      connectionId: id,
      name: line,
      address: line,
      /** Empty for none; unchanged if omitted. */
      legacyAddress: line.optional(),
      /**
       * The user confirms that another address leads to the same service. Otherwise, what was sent to the previous
       * address isn't checked for at the new one, and what waits is stopped.
       */
      isSameService: z.boolean().optional(),
      settings: connectionSettingsSchema.optional(),
    }),
    z.object({
      connection,
      companies: count,
      /** How many companies the older service lists; `null` if there is none. */
      legacyCompanies: count.nullable(),
      /** False if a service returned an incomplete list. */
      isWhole: z.boolean(),
    }),
  ),
  /** Saves changes that need no test, without a request. */
  'connection.change': call(
    z.strictObject({ connectionId: id, name: line, settings: connectionSettingsSchema }),
    z.object({ connection }),
  ),
  /** What writing has shown about the service. Forgotten when its address changes. */
  'connection.learned': call(z.strictObject({ connectionId: id }), z.array(learnedBehavior).readonly()),
  'connection.useSample': call(none, z.object({ connection })),
  'connection.select': call(z.strictObject({ connectionId: id }), none),
  'connection.remove': call(z.strictObject({ connectionId: id }), none),
  'connection.resetSample': call(none, none),
} as const

export const connectionEvents = {
  /** A connection was added, changed, removed, or selected. */
  'connections.changed': z.object({}),
} as const

export type Connection = z.output<typeof connection>
export type LearnedBehavior = z.output<typeof learnedBehavior>
