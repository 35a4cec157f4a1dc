/**
 * Cells as they are drawn, by the ids of their rows and columns. The grid writes an id into its attribute as if into
 * markup (`R&D` as `R&amp;D`), so that an odd one is not found by itself.
 */
import { gridRowId } from './row-ids.ts'

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** An id as it stands in the grid's attributes. */
export function writtenId(id: string): string {
  return id.replace(/[&<>"']/g, (character) => WRITTEN.get(character) ?? character)
}

/** The id that an attribute of the grid's stands for. */
export function readId(written: string): string {
  return [...WRITTEN].reduceRight((text, [character, entity]) => text.replaceAll(entity, character), written)
}

/** A cell while it is in sight. */
export function cellElement(rowId: string, columnId: string): Element | null {
  const [row, column] = [gridRowId(rowId), columnId].map((id) => CSS.escape(writtenId(id)))
  return document.querySelector(`.ag-row[row-id="${row ?? ''}"] [col-id="${column ?? ''}"]`)
}

/** The id of the column that a cell or heading belongs to. */
export function columnIdOf(element: Element): string {
  return readId(element.getAttribute('col-id') ?? '')
}
