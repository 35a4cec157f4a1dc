/**
 * Edits a company's label, colors, notes, and other settings of this computer. Saves a choice at once, and text when
 * typing pauses or the field is left, so that closing the window loses nothing. Keeps and sends only what the person
 * changed. Everything else follows the company.
 */
import type { Company, CompanyNotes } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

const TYPING_RESTS_MS = 600

type Change = Partial<CompanyNotes>

/** For one company; made anew when another is chosen. */
export class NotesEditor {
  #changed = $state.raw<Change>({})
  #error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #company: () => Company
  #unsaved: Change = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param company the company as it is known now, asked again whenever it is shown */
  constructor(api: Api, company: () => Company) {
    this.#api = api
    this.#company = company
  }

  /** What the fields show: what the person changed here, else what the company has. */
  get shown(): CompanyNotes {
    return { ...this.#company(), ...this.#changed }
  }

  /** Why the last change could not be saved; it is tried again with the next one, or when a field is left. */
  get error(): AppError | null {
    return this.#error
  }

  /** Text that is being typed. */
  type(change: Change): void {
    this.#take(change)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), TYPING_RESTS_MS)
  }

  /** A choice that is made. */
  async choose(change: Change): Promise<void> {
    this.#take(change)
    await this.flush()
  }

  /** Saves what waits; called when a field is left and when the panel goes. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    const notes = this.#unsaved
    if (Object.keys(notes).length === 0) return
    this.#unsaved = {}
    const saved = await this.#api.call('companies.annotate', {
      company: this.#company().ref,
      notes: trimmed(notes),
    })
    this.#error = saved.ok ? null : saved.error
    if (saved.ok) return
    // The lock has to show what holds, not what was asked for.
    this.#unsaved = { ...withoutLock(notes), ...this.#unsaved }
    this.#changed = withoutLock(this.#changed)
  }

  #take(change: Change): void {
    this.#changed = { ...this.#changed, ...change }
    this.#unsaved = { ...this.#unsaved, ...change }
  }
}

function withoutLock(change: Change): Change {
  const rest = { ...change }
  delete rest.readOnly
  return rest
}

/** Names without the blanks around them; notes as they were typed. */
function trimmed(change: Change): Change {
  const { label, initials, ...rest } = change
  return {
    ...rest,
    ...(label === undefined ? {} : { label: label.trim() }),
    ...(initials === undefined ? {} : { initials: initials.trim() }),
  }
}
