/** The program itself: its version, the files it opens, its menu commands, and its updates. */
import { z } from 'zod'
import { appErrorSchema, call, line, none, text } from './parts.ts'

const about = z.object({
  version: line,
  electronVersion: line,
  userData: text,
  isChromiumHost: z.boolean(),
  platform: line,
  /** The computer's locale, BCP 47. */
  locale: line,
  /** The name of the computer’s account; empty for a shared one, such as *root*. It signs decisions without **Prepared by**. */
  accountName: line,
  /** Notices of this start, such as damaged settings, a newer database, or a crash. Shown until dismissed. */
  notices: z.array(appErrorSchema).readonly(),
  /** Paths of damaged stores that were set aside. Nothing is deleted from them. */
  damagedFiles: z.array(text).readonly(),
})

/** The guide's pages that screens lead to, by file name in `docs/guide`; `index` is the first page. */
const GUIDE_PAGES = ['index', 'companies', 'records', 'reports', 'activity', 'trouble'] as const

const license = z.object({ name: line, version: line, license: line, text: text })

export const appCalls = {
  /** The licenses of everything included, gathered by the build. */
  'app.licenses': call(none, z.array(license).readonly()),
  'app.about': call(none, about),
  /** **Understood**: the notice doesn't come back, even if the window reloads. */
  'app.dismissNotice': call(z.strictObject({ message: text }), none),
  /** Opens the included guide in the system's browser. */
  'app.openGuide': call(z.strictObject({ page: z.enum(GUIDE_PAGES) }), none),
  'app.showFile': call(z.strictObject({ path: text }), none),
  /** Opens a workbook, a PDF, or a CSV file that was saved here, in the system’s program for it. */
  'app.openFile': call(z.strictObject({ path: text }), none),
  /** Logs an unexpected error in the window. Keeps only where it happened. */
  'app.reportDefect': call(z.strictObject({ name: line, message: text, stack: text }), none),
  /** **Restart**: closes everything, as when the program ends, and opens it again. */
  'app.restart': call(none, none),
} as const

export const windowEvents = {
  /** A command from the application menu. */
  'window.command': z.object({
    command: z.enum(['palette', 'find-anywhere', 'shortcuts', 'guide', 'settings', 'add-company', 'refresh']),
  }),
} as const

// Updates: whether a newer version is available at the address of a signed build, and installing it.

const updateState = z.discriminatedUnion('state', [
  /** This build doesn't check for updates; `reason` says why. */
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

export type GuidePage = (typeof GUIDE_PAGES)[number]
export type License = z.output<typeof license>
export type About = z.output<typeof about>
export type UpdateState = z.output<typeof updateState>
