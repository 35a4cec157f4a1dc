/** The confirmations of a de-provisioning, in words and as a saved report. */
import type { Company, Confirmation } from '../../../shared/contract/companies.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'
import type { DeprovisionResult } from './deprovision.svelte.ts'

/** `denied`: the service says that the company is still active, and no confirmation contradicts that. */
type Verdict = 'done' | 'denied' | 'unsure'

interface ConfirmationText {
  readonly title: string
  readonly outcome: Outcome
  readonly result: string
}

/** The overall result of the confirmations. */
export function verdictOf({ confirmations, isDeprovisioned }: DeprovisionResult): Verdict {
  if (isDeprovisioned) return 'done'
  const denies = (what: Confirmation['what']): boolean =>
    confirmations.some((each) => each.what === what && each.result === 'denied')
  const isConfirmedByAny = confirmations.some(({ result }) => result === 'confirmed')
  return denies('answer') && denies('inactive-list') && !isConfirmedByAny ? 'denied' : 'unsure'
}

/** The heading over a company's confirmations. */
export function headingOf(verdict: Verdict, name: string): string {
  switch (verdict) {
    case 'done':
      return `${name} is de-provisioned`
    case 'denied':
      return `Not de-provisioned: ${name}`
    case 'unsure':
      return `Not confirmed: ${name}`
  }
}

/** What was checked, and the result. */
export function formatConfirmation({
  what,
  result,
}: Pick<Confirmation, 'what' | 'result'>): ConfirmationText {
  const title = TITLES[what]
  return result === 'confirmed'
    ? { title, outcome: 'saved', result: CONFIRMED[what] }
    : { title, ...OTHERWISE[result] }
}

const TITLES: Readonly<Record<Confirmation['what'], string>> = {
  answer: 'The service’s response',
  'inactive-list': 'The list of inactive companies',
  'data-call': 'A test request to this company',
}

/** A request that is refused is the good result, so a title and a check mark don’t say enough. */
const CONFIRMED: Readonly<Record<Confirmation['what'], string>> = {
  answer: 'says it’s inactive',
  'inactive-list': 'includes it',
  'data-call': 'was refused, as expected',
}

const OTHERWISE: Readonly<
  Record<Exclude<Confirmation['result'], 'confirmed'>, Omit<ConfirmationText, 'title'>>
> = {
  denied: { outcome: 'not-accepted', result: 'denies it' },
  unclear: { outcome: 'not-confirmed', result: 'is unclear' },
}

const HEADS: Readonly<Record<Verdict, string>> = {
  done: 'De-provisioned',
  denied: 'Not de-provisioned, still billed',
  unsure: 'De-provisioning not confirmed',
}

/** A text to keep or send: each confirmation with its time and `RequestId`. */
export function confirmationsText(company: Company, outcome: DeprovisionResult): string {
  const { confirmations } = outcome
  return [
    `${HEADS[verdictOf(outcome)]}: ${company.companyName}`,
    `Application: ${company.applicationName}`,
    company.fullPath === '' ? '' : `Company file: ${company.fullPath}`,
    `Company ID: ${company.ref.endpointId}`,
    '',
    ...confirmations.map((confirmation) => {
      const { title, result } = formatConfirmation(confirmation)
      const request = confirmation.requestId === '' ? '' : `, RequestId ${confirmation.requestId}`
      return `${confirmation.at}  ${title} ${result}: ${confirmation.says}${request}`
    }),
  ]
    .filter((line, index) => line !== '' || index === 4)
    .join('\n')
}

// **Save confirmations…**: saves the proof of de-provisionings from the journal as a file.

export class ReportSaving {
  saved = $state.raw<Extract<SavedFile, { saved: true }> | null>(null)
  error = $state.raw<AppError | null>(null)
  isBusy = $state(false)
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Asks where to save the report. Canceling is no error. */
  async save(deprovisioningIds: readonly string[]): Promise<void> {
    if (this.isBusy || deprovisioningIds.length === 0) return
    this.isBusy = true
    this.error = null
    const result = await this.#api.call('companies.saveDeprovisionReport', {
      deprovisioningIds: [...deprovisioningIds],
    })
    this.isBusy = false
    if (!result.ok) this.error = result.error
    else if (result.value.saved) this.saved = result.value
  }

  /** Shows the file in its folder. */
  async show(): Promise<void> {
    if (this.saved) await this.#api.call('app.showFile', { path: this.saved.path })
  }
}
