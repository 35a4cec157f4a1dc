/** What the dialog *Delete this company’s data* holds: what is kept, and what came of deleting it. */
import type { CallAnswer } from '../../shared/contract.ts'
import type { Company } from '../../shared/contract/companies.ts'
import type { AppError } from '../../shared/result.ts'
import type { Format } from '../ui/format.ts'
import type { Session } from '../frame/session.svelte.ts'

export class DeleteCompany {
  readonly company: Company
  readonly #session: Session
  kept = $state.raw<CallAnswer<'history.kept'> | null>(null)
  error = $state.raw<AppError | null>(null)
  /** The person gives up what is not confirmed. */
  evenUnconfirmed = $state(false)
  isWorking = $state(false)

  constructor(session: Session, company: Company) {
    this.#session = session
    this.company = company
  }

  async read(): Promise<void> {
    const kept = await this.#session.api.call('history.kept', { company: this.company.ref })
    if (kept.ok) this.kept = kept.value
    else this.error = kept.error
  }

  get mayDelete(): boolean {
    const { kept } = this
    if (kept === null || this.isWorking || kept.sending > 0) return false
    return kept.unconfirmed === 0 || this.evenUnconfirmed
  }

  /** Answers whether it is gone. */
  async run(): Promise<boolean> {
    if (!this.mayDelete) return false
    this.isWorking = true
    const { company, evenUnconfirmed } = this
    const deleted = await this.#session.api.call('history.deleteCompany', {
      company: company.ref,
      evenUnconfirmed,
    })
    this.isWorking = false
    if (deleted.ok) {
      // Lists that were read, and drafts in them, are kept by the window too.
      this.#session.forgetKept()
      return true
    }
    await this.read()
    this.error = deleted.error
    return false
  }
}

/** What goes, a line each. */
export function keptLines(kept: CallAnswer<'history.kept'>, format: Format): readonly string[] {
  const counted = (count: number, one: string, many: string): string =>
    `${format.count(count)} ${count === 1 ? one : many}`
  return [
    `${counted(kept.drafts, 'draft', 'drafts')} that you have not sent`,
    `the history of ${counted(kept.records, 'record', 'records')} that you sent, with what was there before; nothing of it can be changed back any more`,
    `${counted(kept.requests, 'line', 'lines')} of Activity`,
    'its label, colour, notes and Read only lock',
  ]
}
