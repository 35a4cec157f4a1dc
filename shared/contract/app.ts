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
  /** Settings that were damaged and set aside, a newer database, and the like: said once at the start. */
  notices: z.array(appErrorSchema).readonly(),
})

export const appCalls = {
  'app.about': call(none, about),
  'app.openLink': call(z.strictObject({ link: z.enum(['guide', 'support']) }), none),
  'app.showFile': call(z.strictObject({ path: text }), none),
  /** An error in the window that nobody expected, for the log; only where it happened is kept of it. */
  'app.reportDefect': call(z.strictObject({ name: line, message: text, stack: text }), none),
  /** **Restart**: closes what is open, as at the end of the program, and opens it again. */
  'app.restart': call(none, none),
} as const

export const windowEvents = {
  /** A command from the application menu. */
  'window.command': z.object({
    command: z.enum(['palette', 'shortcuts', 'settings', 'add-company', 'refresh']),
  }),
} as const

export type About = z.output<typeof about>
