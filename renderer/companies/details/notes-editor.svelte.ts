/**
 * What is ours about a company while it is being edited. Choices are saved at once, text when typing rests or the
 * field is left, so that closing the window loses nothing that was there for a moment.
 */
import type { Band, Company, CompanyNotes } from '../../../shared/contract.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

const TYPING_RESTS_MS = 600

/** Months are `1` to `12` as text, since they are a combobox's values. */
export class NotesEditor {
  label = $state('')
  initials = $state('')
  notes = $state('')
  band = $state<Band>('graphite')
  fiscalYearStart = $state('1')
  basis = $state<CompanyNotes['basis']>('unknown')
  readOnly = $state(false)
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #ref: Company['ref']
  #pending: Partial<CompanyNotes> = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** For one company; made anew when another is chosen. */
  constructor(api: Api, company: Company) {
    this.#api = api
    this.#ref = company.ref
    this.label = company.label
    this.initials = company.initials
    this.notes = company.notes
    this.band = company.band
    this.fiscalYearStart = String(company.fiscalYearStart)
    this.basis = company.basis
    this.readOnly = company.readOnly
  }

  /** Text that is being typed. */
  typed(change: Partial<CompanyNotes>): void {
    this.#pending = { ...this.#pending, ...change }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), TYPING_RESTS_MS)
  }

  /** A choice that is made. */
  async chose(change: Partial<CompanyNotes>): Promise<void> {
    this.#pending = { ...this.#pending, ...change }
    await this.flush()
  }

  /** Saves what waits; called when a field is left and when the panel goes. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    const notes = this.#pending
    if (Object.keys(notes).length === 0) return
    this.#pending = {}
    const saved = await this.#api.call('companies.annotate', { company: this.#ref, notes })
    this.error = saved.ok ? null : saved.error
    // The lock has to show what holds, not what was asked for.
    if (!saved.ok && notes.readOnly !== undefined) this.readOnly = !notes.readOnly
  }
}
