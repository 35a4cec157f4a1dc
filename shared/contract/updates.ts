/** Updates: what is newer at the address that a signed build was given, and when it may be put in place. */
import { z } from 'zod'
import { line, text, none, call } from './parts.ts'

const updateState = z.discriminatedUnion('state', [
  /** This build looks for none; `because` in words. */
  z.object({ state: z.literal('off'), because: line }),
  z.object({ state: z.literal('idle') }),
  z.object({ state: z.literal('checking') }),
  /** Looked, and this is the newest. */
  z.object({ state: z.literal('newest') }),
  /** There is a newer one; nothing is fetched before the person says so. */
  z.object({ state: z.literal('offered'), version: line, news: text }),
  z.object({ state: z.literal('fetching'), version: line, percent: z.number() }),
  /** It is here, checked by its signature, and waits for the person. */
  z.object({ state: z.literal('ready'), version: line, news: text }),
])

export const updateCalls = {
  'updates.state': call(none, updateState),
  'updates.check': call(none, updateState),
  'updates.fetch': call(none, updateState),
  /** Ends the program and puts it in place; refused while anything is under way. */
  'updates.install': call(none, none),
} as const

export const updateEvents = {
  'updates.changed': updateState,
} as const

export type UpdateState = z.output<typeof updateState>
