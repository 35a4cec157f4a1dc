/** Updates: whether a newer version is available at the address of a signed build, and installing it. */
import { z } from 'zod'
import { line, text, none, call } from './parts.ts'

const updateState = z.discriminatedUnion('state', [
  /** This build doesn't check for updates; `because` says why. */
  z.object({ state: z.literal('off'), reason: line }),
  z.object({ state: z.literal('idle') }),
  z.object({ state: z.literal('checking') }),
  /** This is the newest version. */
  z.object({ state: z.literal('newest') }),
  /** A newer version is available. It is downloaded only if the user asks. */
  z.object({ state: z.literal('offered'), version: line, news: text }),
  z.object({ state: z.literal('fetching'), version: line, percent: z.number() }),
  /** Downloaded, with its signature verified. */
  z.object({ state: z.literal('ready'), version: line, news: text }),
])

export const updateCalls = {
  'updates.state': call(none, updateState),
  'updates.check': call(none, updateState),
  'updates.fetch': call(none, updateState),
  /** Ends the program and installs the update. Refused while anything is running. */
  'updates.install': call(none, none),
} as const

export const updateEvents = {
  'updates.changed': updateState,
} as const

export type UpdateState = z.output<typeof updateState>
