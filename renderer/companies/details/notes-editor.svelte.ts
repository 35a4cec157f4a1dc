/**
 * Edits a company's label, colors, notes, and other settings of this computer. Saves a choice at once, and text when
 * typing pauses or the field is left, so that closing the window loses nothing. Keeps and sends only what the user
 * changed. Everything else follows the company.
 */
import type { Company, CompanyNotes } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

const TYPING_RESTS_MS = 600

type Change = Partial<CompanyNotes>

/** For one company. Create it again for another one. */
export class NotesEditor {
  #changed = $state.raw<Change>({})
  #error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #company: () => Company
  #unsaved: Change = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param company returns the company as known now */
  constructor(api: Api, company: () => Company) {
    this.#api = api
    this.#company = company
  }

  /** What the fields show: the user's changes, otherwise the company's values. */
  get shown(): CompanyNotes {
    return { ...this.#company(), ...this.#changed }
  }

  /** Why the last change could not be saved. It is retried with the next one, or when a field is left. */
  get error(): AppError | null {
    return this.#error
  }

  /** Changes text, and saves it after a pause in typing. */
  type(change: Change): void {
    this.#take(change)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), TYPING_RESTS_MS)
  }

  /** Changes a choice, and saves it at once. */
  async choose(change: Change): Promise<void> {
    this.#take(change)
    await this.flush()
  }

  /** Saves pending changes now, for example because a field is left or the panel closes. */
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
    // **Read only** must show what is in effect, not what was requested.
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

/** Trims names. Leaves notes as typed. */
function trimmed(change: Change): Change {
  const { label, initials, ...rest } = change
  return {
    ...rest,
    ...(label === undefined ? {} : { label: label.trim() }),
    ...(initials === undefined ? {} : { initials: initials.trim() }),
  }
}
