/** The program itself: what it is, links and files it opens, commands from its menu. */
import { z } from 'zod'
import { line, text, none, appErrorSchema, call } from './parts.ts'

const about = z.object({
  version: line,
  electronVersion: line,
  userData: text,
  isChromiumHost: z.boolean(),
  platform: line,
  /** BCP 47, of the machine. */
  locale: line,
  /** Settings that were damaged and set aside, a newer database, a crash: shown until the person dismisses them. */
  notices: z.array(appErrorSchema).readonly(),
  /** Paths of stores that were damaged once and set aside: nothing is deleted from them. */
  damagedFiles: z.array(text).readonly(),
})

/** The guide's pages that screens lead to, by their files' names in `docs/guide`; `index` is its first. */
export const GUIDE_PAGES = ['index', 'companies', 'records', 'reports', 'activity', 'trouble'] as const

const license = z.object({ name: line, version: line, license: line, text: text })

export const appCalls = {
  /** Of all that ships, as the build gathered them. */
  'app.licenses': call(none, z.array(license).readonly()),
  'app.about': call(none, about),
  /** **Understood**: a notice of this start doesn't come back, not even when the window is loaded again. */
  'app.dismissNotice': call(z.strictObject({ message: text }), none),
  /** Opens the guide that came with the program, in the system's browser. */
  'app.openGuide': call(z.strictObject({ page: z.enum(GUIDE_PAGES) }), none),
  'app.showFile': call(z.strictObject({ path: text }), none),
  /** An error in the window that nobody expected, for the log; only where it happened is kept of it. */
  'app.reportDefect': call(z.strictObject({ name: line, message: text, stack: text }), none),
  /** **Restart**: closes what is open, as at the end of the program, and opens it again. */
  'app.restart': call(none, none),
} as const

export const windowEvents = {
  /** A command from the application menu. */
  'window.command': z.object({
    command: z.enum(['palette', 'shortcuts', 'guide', 'settings', 'add-company', 'refresh']),
  }),
} as const

export type GuidePage = (typeof GUIDE_PAGES)[number]
export type License = z.output<typeof license>
export type About = z.output<typeof about>
