/** Counts what the items of one page are, for its summary. */
import type { ServiceError } from '../service/wire.ts'
import type { PageSummary } from './rows.ts'

const MOST_ERRORS = 100
/** More IDs than words can name. */
const MOST_SHARED = 5

/** What a record turned out to be: a twin has the ID of another one, and says something else. */
export type HeldAs = 'added' | 'twin' | 'repeated'

/** One content item. */
interface Item {
  readonly id: string
  /** For the words of an error; empty where there is none. */
  readonly name: string
  readonly errors: readonly ServiceError[]
  readonly record: HeldAs | 'none'
}

type Head = Pick<PageSummary, 'page' | 'moreData' | 'requestId' | 'errors'> & {
  readonly hasErrors: boolean
  readonly status: number
}

export class PageTally {
  #count = 0
  #added = 0
  #twins = 0
  readonly #sharedIds = new Set<string>()
  #empty = 0
  readonly #recordErrors: PageSummary['recordErrors'][number][] = []
  readonly #refusals: (readonly ServiceError[])[] = []

  /** Records that were not held before, without twins. */
  get added(): number {
    return this.#added
  }

  /** Its twins were none: the page is one that came before. */
  isRepeated(): void {
    this.#twins = 0
    this.#sharedIds.clear()
  }

  note({ id, name, errors, record }: Item): void {
    const hasRecord = record !== 'none'
    if (errors.length > 0 && hasRecord && this.#recordErrors.length < MOST_ERRORS) {
      this.#recordErrors.push({ recordId: id, name, errors })
    }
    if (errors.length > 0 && !hasRecord && this.#refusals.length < MOST_ERRORS) this.#refusals.push(errors)
    if (!hasRecord && errors.length === 0) this.#empty += 1
    if (hasRecord) this.#count += 1
    if (record === 'added') this.#added += 1
    if (record !== 'twin') return
    this.#twins += 1
    if (this.#sharedIds.size < MOST_SHARED) this.#sharedIds.add(id)
  }

  /** With what the envelope around the items says. */
  summary({ page, moreData, requestId, errors, hasErrors }: Head): PageSummary {
    return {
      page,
      moreData,
      requestId,
      count: this.#count,
      added: this.#added,
      twins: this.#twins,
      sharedIds: [...this.#sharedIds],
      errors,
      recordErrors: this.#recordErrors,
      refusals: this.#refusals,
      empty: this.#empty,
      isErrorUntold: hasErrors && errors.length + this.#recordErrors.length + this.#refusals.length === 0,
    }
  }
}
