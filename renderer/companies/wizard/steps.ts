/** The five steps of **Add company**: their titles, and what each one requires. */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'

export type Step = 1 | 2 | 3 | 4 | 5

export const STEPS: readonly Step[] = [1, 2, 3, 4, 5]

export const STEP_TITLES: Readonly<Record<Step, string>> = {
  1: 'Application',
  2: 'Whose books',
  3: 'Get ready',
  4: 'Provision company',
  5: 'Is this the right file?',
}

/** Where the company file is: on this computer, or at the client's office. */
export type FileLocation = 'here' | 'client'

/** What the user has chosen so far. An empty string is not chosen; nothing is preselected. */
export interface Choices {
  /** Short code of the specification (1). */
  readonly application: string
  /** `new`, `pasted`, or `user:` and a known user's id. */
  readonly user: string
  readonly pastedUserId: string
  readonly file: string
  readonly place: FileLocation
}

/** A sentence for each field that is missing. */
export type Problems = Partial<Record<'application' | 'user' | 'pastedUserId' | 'file', string>>

/** What is missing in a step; empty if it is complete. */
export function stepProblems(step: Step, choices: Choices): Problems {
  switch (step) {
    case 1:
      return choices.application === '' ? { application: 'Choose the application first.' } : {}
    case 2:
      if (choices.user === '') return { user: 'Choose a new or an existing client.' }
      if (choices.user === 'pasted' && choices.pastedUserId.trim() === '') {
        return { pastedUserId: 'Paste the user ID from your provider or your own records.' }
      }
      return {}
    case 3:
      if (!isDesktop(choices.application) || choices.file.trim() !== '') return {}
      return {
        file: 'Name the company file that is open there. Step 5 compares it with what the service returns.',
      }
    case 4:
    case 5:
      return {}
  }
}

/** The user ID to provision for; `null` if a user must be created first. */
export function chosenUserId(choices: Choices): string | null {
  if (choices.user === 'pasted') return choices.pastedUserId.trim()
  return choices.user.startsWith(KNOWN) ? choices.user.slice(KNOWN.length) : null
}

/** The radio's value for a known user. */
export function userValue(userId: string): string {
  return `${KNOWN}${userId}`
}

/** The step where a setup resumes: step 5 once there is a company. */
export function stepOf(provisioning: Provisioning): Step {
  return provisioning.company === null ? 4 : 5
}

const KNOWN = 'user:'
