/** Counts what the items of one page are, for its summary. */
import type { ServiceError } from '../service/wire.ts'
import type { PageSummary } from './rows.ts'

const MOST_ERRORS = 100

/** One content item. */
interface Item {
  readonly id: string
  /** For the words of an error; empty where there is none. */
  readonly name: string
  readonly errors: readonly ServiceError[]
  readonly hasRecord: boolean
  /** Its record was not held before. */
  readonly isAdded: boolean
}

type Head = Pick<PageSummary, 'page' | 'moreData' | 'requestId' | 'errors'> & {
  readonly hasErrors: boolean
  readonly status: number
}

export class PageTally {
  #count = 0
  #added = 0
  #empty = 0
  readonly #recordErrors: PageSummary['recordErrors'][number][] = []
  readonly #refusals: (readonly ServiceError[])[] = []

  note({ id, name, errors, hasRecord, isAdded }: Item): void {
    if (errors.length > 0 && hasRecord && this.#recordErrors.length < MOST_ERRORS) {
      this.#recordErrors.push({ recordId: id, name, errors })
    }
    if (errors.length > 0 && !hasRecord && this.#refusals.length < MOST_ERRORS) this.#refusals.push(errors)
    if (!hasRecord && errors.length === 0) this.#empty += 1
    if (hasRecord) this.#count += 1
    if (isAdded) this.#added += 1
  }

  /** With what the envelope around the items says. */
  summary({ page, moreData, requestId, errors, hasErrors }: Head): PageSummary {
    return {
      page,
      moreData,
      requestId,
      count: this.#count,
      added: this.#added,
      errors,
      recordErrors: this.#recordErrors,
      refusals: this.#refusals,
      empty: this.#empty,
      isErrorUntold: hasErrors && errors.length + this.#recordErrors.length + this.#refusals.length === 0,
    }
  }
}
