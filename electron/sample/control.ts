// What can be changed while the sample runs, and what is wrong with a change before anything of it is made.
import { parseDay } from './calendar.ts'
import { COMPANY_FILES } from './company-files.ts'
import { type AgentConditions, conditionTrouble } from './desktop.ts'

/** What can be changed while the sample runs. */
export interface SampleControl {
  /** A company's name; without it, conditions are those of every company. */
  readonly company?: string
  readonly conditions?: Partial<AgentConditions>
  /** The name of the file that is open next to the agent at the next provisioning. */
  readonly openFile?: string
  /** Entries on or before this day are refused; an empty text opens the books again. */
  readonly closingDate?: string
  readonly latencyMs?: number
  readonly provisionMs?: number
  readonly pageSize?: number
}

/** The longest wait that a timer of the machine can keep, milliseconds. */
const LONGEST = 2_147_483_647

/** What is wrong with a change, or undefined when all of it can be made. */
export function controlTrouble(change: SampleControl): string | undefined {
  for (const name of ['latencyMs', 'provisionMs', 'pageSize'] as const) {
    const value = change[name]
    if (value !== undefined && (!Number.isInteger(value) || value < 0 || value > LONGEST))
      return `${name} must be a whole number from 0 to ${String(LONGEST)}, not ${JSON.stringify(value)}`
  }
  for (const name of [change.company, change.openFile]) {
    if (name !== undefined && !COMPANY_FILES.some((file) => file.companyName === name))
      return `There is no company "${name}"`
  }
  const { closingDate = '', conditions } = change
  if (closingDate !== '' && (closingDate.length !== 10 || parseDay(closingDate) === undefined))
    return `"${closingDate}" is no day: yyyy-mm-dd is`
  return conditions === undefined ? undefined : conditionTrouble(conditions)
}
