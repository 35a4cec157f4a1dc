/** What main and an import worker say to each other. */
import type { OpenedTable } from '../../../shared/import/table.ts'
import type { Result } from '../../../shared/result.ts'
import type { ImportLimits } from './limits.ts'
import type { ImportSource } from './read-source.ts'

/** What a worker is started with. */
export interface ImportTask {
  readonly source: ImportSource
  readonly limits: ImportLimits
}

export interface ImportRequest {
  readonly id: number
  readonly from: number
  readonly count: number
}

export type ImportResponse =
  | { readonly what: 'opened'; readonly table: Result<Omit<OpenedTable, 'tableId'>> }
  /** Bytes of a JSON array of `ImportRow`. */
  | { readonly what: 'rows'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
