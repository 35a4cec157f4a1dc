/** The rows of a table that the main process holds, pulled in pieces so that the window never stops. */
import type { ImportRow, OpenedTable } from '../../../shared/import-table.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

const PIECE = 1_000
const decoder = new TextDecoder()

/** @returns all rows, the headings among them; an error when the table is no longer held */
export async function readTable(
  api: Api,
  { tableId, rowCount }: OpenedTable,
): Promise<Result<readonly ImportRow[]>> {
  const rows: ImportRow[] = []
  while (rows.length < rowCount) {
    const piece = await api.call('import.rows', { tableId, from: rows.length, count: PIECE })
    if (!piece.ok) return piece
    const parsed = JSON.parse(decoder.decode(piece.value)) as readonly ImportRow[]
    if (parsed.length === 0) break
    for (const row of parsed) rows.push(row)
  }
  return ok(rows)
}
