/** What comes into a list from a file, and what leaves it as one: which of the two dialogs is open, if any. */
import { localDateOrder } from '../../shared/import-dates.ts'
import type { Api } from '../api.ts'
import type { Format } from '../ui/format.ts'
import { ExportDesk } from './export/export-desk.svelte.ts'
import type { GridColumns } from './grid-columns.ts'
import { ImportDesk } from './import/import-desk.svelte.ts'
import type { RecordsList } from './records-list.svelte.ts'
import type { RecordsView } from './records-view.svelte.ts'
import { numberMarks } from './typed-values.ts'

export class FilesDesk {
  readonly #api: Api
  readonly #locale: string
  importing = $state.raw<ImportDesk | null>(null)
  exporting = $state.raw<ExportDesk | null>(null)

  /** @param locale BCP 47: how this machine writes amounts and dates */
  constructor(api: Api, locale: string) {
    this.#api = api
    this.#locale = locale
  }

  /** @param file one that was dropped on the list; else the person chooses one */
  import(list: RecordsList, file?: File): void {
    const marks = numberMarks(this.#locale)
    this.importing = new ImportDesk(this.#api, list, { marks, dates: localDateOrder(this.#locale) })
    if (file) void this.importing.takeFile(file)
  }

  /** @param columns of the grid; it knows what is shown, and in which order */
  export({ list, search }: RecordsView, columns: GridColumns, format: Format): void {
    const look = () => ({ rows: columns.shownRows(), paths: columns.shownPaths(), search })
    this.exporting = new ExportDesk(this.#api, list, look, format)
  }

  close(): void {
    this.importing?.close()
    this.importing = null
    this.exporting = null
  }
}
