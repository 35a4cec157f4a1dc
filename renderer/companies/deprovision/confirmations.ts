/** The three confirmations of a de-provisioning in words, and as a text that proves it. */
import type { Company, Confirmation } from '../../../shared/contract/companies.ts'
import type { Outcome } from '../../ui/outcomes.ts'
import type { Deprovisioned } from './deprovision.svelte.ts'

export interface ConfirmationWords {
  readonly title: string
  readonly outcome: Outcome
  readonly result: string
}

/** What was looked at, and what it says. */
export function confirmationWords({ what, result }: Confirmation): ConfirmationWords {
  return { title: TITLES[what], ...RESULTS[result] }
}

const TITLES: Readonly<Record<Confirmation['what'], string>> = {
  answer: 'The service’s answer',
  'inactive-list': 'The list of inactive companies',
  'data-call': 'A data call to this company',
}

const RESULTS: Readonly<Record<Confirmation['result'], Omit<ConfirmationWords, 'title'>>> = {
  confirmed: { outcome: 'saved', result: 'confirms it' },
  denied: { outcome: 'refused', result: 'denies it' },
  unclear: { outcome: 'unconfirmed', result: 'says nothing sure' },
}

/** Lines to keep or to send: what, when, each confirmation with its `RequestId`. */
export function confirmationsText(
  company: Company,
  { confirmations, isDeprovisioned }: Deprovisioned,
): string {
  const head = isDeprovisioned ? 'De-provisioned' : 'De-provisioning not confirmed'
  return [
    `${head}: ${company.companyName}`,
    `Application: ${company.applicationName}`,
    company.fullPath === '' ? '' : `Company file: ${company.fullPath}`,
    `Company id: ${company.ref.endpointId}`,
    '',
    ...confirmations.map((confirmation) => {
      const { title, result } = confirmationWords(confirmation)
      const request = confirmation.requestId === '' ? '' : `, RequestId ${confirmation.requestId}`
      return `${confirmation.at}  ${title} ${result}: ${confirmation.says}${request}`
    }),
  ]
    .filter((line, index) => line !== '' || index === 4)
    .join('\n')
}
