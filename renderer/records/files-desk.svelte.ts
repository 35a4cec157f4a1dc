/** What comes into a list from a file, and what leaves it as one: which of the two dialogs is open, if any. */
import { localDateOrder } from '../../shared/import-dates.ts'
import type { Api } from '../api.ts'
import { ImportDesk } from './import/import-desk.svelte.ts'
import type { RecordsList } from './records-list.svelte.ts'
import { numberMarks } from './typed-values.ts'

export class FilesDesk {
  readonly #api: Api
  readonly #locale: string
  importing = $state.raw<ImportDesk | null>(null)

  /** @param locale BCP 47: how this machine writes amounts and dates */
  constructor(api: Api, locale: string) {
    this.#api = api
    this.#locale = locale
  }

  import(list: RecordsList): void {
    const marks = numberMarks(this.#locale)
    this.importing = new ImportDesk(this.#api, list, { marks, dates: localDateOrder(this.#locale) })
  }

  close(): void {
    this.importing?.close()
    this.importing = null
  }
}
