/** The states of a run: reports for several companies, or a change in several companies. */
import type { AppError } from './result.ts'

/** `needs-you`: only companies that don't respond are left. `stopped`: by the user, an error, or the program's exit. */
export const RUN_STATES = ['running', 'needs-you', 'stopped', 'finished'] as const
export type RunState = (typeof RUN_STATES)[number]

/** The states of a company's report, or of its part of a change in several companies. */
export const ITEM_STATES = ['waiting', 'running', 'done', 'failed', 'skipped', 'not-offered'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/** The most records of one change in several companies. */
export const MAX_CHANGED = 10_000

/** Whether a company responded. Each is tested before its reports are read. */
export const CONTACTS = ['untested', 'answered', 'silent'] as const
export type Contact = (typeof CONTACTS)[number]

/** Whether a company was set aside because the key was refused for it alone. */
export function isKeyRefused({ contactError }: { readonly contactError: AppError | null }): boolean {
  return contactError?.kind === 'unauthorized'
}
