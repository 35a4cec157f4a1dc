/** The program itself: its version, the files it opens, and its menu commands. */
import { z } from 'zod'
import { line, text, none, appErrorSchema, call } from './parts.ts'

const about = z.object({
  version: line,
  electronVersion: line,
  userData: text,
  isChromiumHost: z.boolean(),
  platform: line,
  /** The computer's locale, BCP 47. */
  locale: line,
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

export type GuidePage = (typeof GUIDE_PAGES)[number]
export type License = z.output<typeof license>
export type About = z.output<typeof about>
