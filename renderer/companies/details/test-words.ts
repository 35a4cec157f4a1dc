/** What to try when a company refuses or stays silent (ux.md, **Test company**). */
import { isDesktop } from '../wizard/steps.ts'

/** In the order in which they are quickest to look at. */
export function whatToTry(application: string): readonly string[] {
  return isDesktop(application) ? DESKTOP : ONLINE
}

const DESKTOP = [
  'Is the machine on, and is somebody logged in?',
  'Is the agent running there, with this company’s token?',
  'Is this company’s file open, or none at all?',
  'Is a dialog open in the application? It may be behind other windows.',
] as const

const ONLINE = [
  'Can you log in to the application yourself, and open these books?',
  'Was the authorisation withdrawn, or has the subscription ended?',
] as const
