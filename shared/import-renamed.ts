/**
 * Full names as they stood when a file was written. Its own rows may have renamed records since: a file that is imported
 * again means the same records, whose full names are others by now, and so are those of all that stands under them.
 */
import type { RecordData } from './changes.ts'
import { own } from './import-matching.ts'
import { partsOfFullName } from './import-names.ts'
import { nameKey } from './names.ts'

export class RenamedRecords {
  /** What records are called by now, by the key of the full name that a row of the file calls them by. */
  readonly #names = new Map<string, string>()

  /** Takes up a row that has an ID; only where the record is called by now what the row wants, it was renamed. */
  note(fullName: string, name: string, record: RecordData): void {
    const here = own(record, 'Name')
    const isRename = name !== '' && nameKey(name) !== nameKey(partsOfFullName(fullName).name)
    if (isRename && nameKey(here) === nameKey(name)) this.#names.set(nameKey(fullName), here)
  }

  /** The full name that a record, called so in the file, has after what the file renamed. */
  today(fullName: string): string {
    const { name, parent } = partsOfFullName(fullName)
    const here = this.#names.get(nameKey(fullName)) ?? name
    return parent === '' ? here : `${this.today(parent)}:${here}`
  }
}
