/** What main and the rows worker say to each other: a method's name, its arguments, its answer. */
import type { Rows } from './rows.ts'

export type RowsMethod = Exclude<keyof Rows, 'close'>

export interface RowsRequest {
  readonly id: number
  readonly method: RowsMethod
  readonly args: readonly unknown[]
}

export type RowsResponse =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly defect: string }
