/** What step 5 says about the company that came back, besides its file. Words only. */
import { applicationName } from '../../../shared/applications.ts'
import type { Company, Provisioning } from '../../../shared/contract/companies.ts'

export interface Remark {
  readonly kind: 'plain' | 'caution'
  readonly title: string
  readonly words: string
}

/** What there is to say, the most important first; empty for a new company as it was asked for. */
export function remarksOn(
  provisioning: Pick<Provisioning, 'application' | 'before'>,
  company: Pick<Company, 'application' | 'isActive'>,
): readonly Remark[] {
  return [
    ...otherApplication(provisioning.application, company.application),
    ...(company.isActive ? [] : [CALLED_INACTIVE]),
    ...beforeRemarks(provisioning.before),
  ]
}

/** Whether it may be de-provisioned from here: only what is surely not in somebody’s use already. */
export function mayDeprovision(before: Provisioning['before']): boolean {
  return before === 'not-there' || before === 'inactive'
}

function otherApplication(asked: string, came: string): readonly Remark[] {
  if (came === '' || came.toLowerCase() === asked.toLowerCase()) return []
  return [
    {
      kind: 'caution',
      title: `It is of another application: ${applicationName(came)}, not ${applicationName(asked)}.`,
      words: 'These are not the books that were asked for, unless your provider calls the application so.',
    },
  ]
}

const CALLED_INACTIVE: Remark = {
  kind: 'caution',
  title: 'The service calls this company inactive.',
  words:
    'Its books can’t be opened as long as it is. Read the list again; if it stays, ask your provider whether it is billed.',
}

function beforeRemarks(before: Provisioning['before']): readonly Remark[] {
  switch (before) {
    case 'not-there':
      return []
    case 'active':
      return [
        {
          kind: 'plain',
          title: 'This company was there before.',
          words:
            'The service gave the existing one back; no second record was made. De-provisioning it would take it away from its present use, so that is not offered here.',
        },
      ]
    case 'inactive':
      return [
        {
          kind: 'caution',
          title: 'This company was inactive before, and is billed again.',
          words:
            'The service gave its former record back instead of making a second one. If it is not the right file, de-provision it, or the billing goes on.',
        },
      ]
    case 'unknown':
      return [
        {
          kind: 'caution',
          title: 'Whether this company was there before is not known.',
          words:
            'The list of companies was not whole before it was sent. If the company is new, it is billed from now on; look at when it was made, in its details in Companies.',
        },
      ]
  }
}
