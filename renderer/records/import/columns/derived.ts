/** Derived columns: the parts of one column of the file, or several columns combined into one. */
import type { ColumnName, DerivedColumn } from '../../../../shared/contract/import.ts'
import { cellText, type HeadedTable, type ImportCell, isBlank } from '../../../../shared/import/table.ts'
import { plainName } from './headings.ts'

export type SplitBy = Extract<DerivedColumn, { readonly kind: 'split' }>['by']

interface Split {
  /** The label of the option. */
  readonly label: string
  /** The parts. `field` is the last segment of a field path. */
  readonly pieces: readonly { readonly label: string; readonly field: string }[]
  /** What a value should contain: *a city, state, and ZIP code*. */
  readonly expects: string
  /** @returns the parts in order; `null` if the text can't be split reliably */
  readonly split: (text: string) => readonly string[] | null
}

export const SPLITS: Readonly<Record<SplitBy, Split>> = {
  'city-state-zip': {
    label: 'City, ST ZIP',
    pieces: [
      { label: 'City', field: 'City' },
      { label: 'State', field: 'State' },
      { label: 'Postal code', field: 'PostalCode' },
    ],
    expects: 'a city, state, and postal code',
    split: splitCityLine,
  },
  'parent-child': {
    label: 'Parent:Child',
    pieces: [
      { label: 'Parent', field: 'Parent' },
      { label: 'Name', field: 'Name' },
    ],
    expects: 'a parent and a name',
    split: splitFullName,
  },
  'last-first': {
    label: 'Last name, first name',
    pieces: [
      { label: 'Last name', field: 'LastName' },
      { label: 'First name', field: 'FirstName' },
    ],
    expects: 'a last name and a first name',
    split: splitPersonName,
  },
}

/** US, Canadian, Australian, and British postal codes. */
const POSTAL_CODE =
  /(?:^|[\s,])(\d{5}(?:-\d{4})?|\d{4}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})$/i

function splitCityLine(text: string): readonly string[] | null {
  const line = text.replace(/\s+/g, ' ').trim()
  const code = POSTAL_CODE.exec(line)
  const place = (code ? line.slice(0, code.index) : line).replace(/[\s,]+$/, '')
  const parts = place.split(',').map((part) => part.trim())
  // Without a comma, only an abbreviation in capitals is a state: “Oklahoma City OK”.
  const abbreviated = /^(.*\S) ([A-Z]{2,3})$/.exec(place)
  const [city = '', state = ''] =
    parts.length === 1 ? (abbreviated?.slice(1) ?? [place]) : [parts[0], parts[1]]
  // “Suite 12345” and “Attn. Bob” are not cities, so require a state or a postal code with letters.
  const isCertain = state !== '' || /[A-Z]/i.test(code?.[1] ?? '')
  const isPlace = /^[^\d:@]+$/.test(place) && city !== '' && parts.length <= 2
  return isPlace && isCertain ? [city, state, code?.[1] ?? ''] : null
}

function splitFullName(text: string): readonly string[] | null {
  const parts = text.split(':').map((part) => part.trim())
  return parts.includes('') ? null : [parts.slice(0, -1).join(':'), parts.at(-1) ?? '']
}

function splitPersonName(text: string): readonly string[] | null {
  const parts = text.split(',').map((part) => part.trim())
  const [last = '', first = ''] = parts
  return parts.length === 2 && last !== '' && first !== '' ? [last, first] : null
}

/** Identifies a column by heading and occurrence, so that it can be found in another file with the same headings. */
export function columnName(headings: readonly string[], column: number): ColumnName {
  const heading = headings[column] ?? ''
  const same = headings.slice(0, column).filter((each) => plainName(each) === plainName(heading))
  return { heading, occurrence: same.length }
}

/** Returns the index of a column; −1 if there is none. */
function columnNamed(headings: readonly string[], { heading, occurrence }: ColumnName): number {
  const columns = headings.flatMap((each, column) => (plainName(each) === plainName(heading) ? [column] : []))
  return columns[occurrence] ?? -1
}

/** Returns the indexes of the source columns of a derivation. */
export function sourcesOf(headings: readonly string[], derived: DerivedColumn): readonly number[] {
  const names = derived.kind === 'split' ? [derived.column] : derived.columns
  return names.map((name) => columnNamed(headings, name))
}

/** Returns the derivations whose source columns are all in the file. */
export function applicable(
  headings: readonly string[],
  derived: readonly DerivedColumn[],
): readonly DerivedColumn[] {
  return derived.filter((each) => !sourcesOf(headings, each).includes(-1))
}

/** Returns the headings of the columns that a derivation adds. */
export function derivedHeadings(derived: DerivedColumn): readonly string[] {
  if (derived.kind === 'combine') return [derived.columns.map(({ heading }) => heading).join(' + ')]
  return SPLITS[derived.by].pieces.map(({ label }) => `${derived.column.heading}: ${label}`)
}

/** Adds derived columns after the last heading. All derivations must be applicable. */
export function withDerived(table: HeadedTable, derived: readonly DerivedColumn[]): HeadedTable {
  if (derived.length === 0) return table
  const { headings } = table
  const makers = derived.map((each) => ({ make: cellMaker(each), sources: sourcesOf(headings, each) }))
  return {
    ...table,
    headings: [...headings, ...derived.flatMap(derivedHeadings)],
    rows: table.rows.map((row) => {
      const own = headings.map((_, column) => row.cells[column] ?? '')
      const made = makers.flatMap(({ make, sources }) => make(sources.map((column) => own[column] ?? '')))
      return { ...row, cells: [...own, ...made, ...row.cells.slice(headings.length)] }
    }),
    derivedFrom: derived.flatMap((each) => derivedHeadings(each).map(() => sourcesOf(headings, each))),
  }
}

/** Counts the values that can't be split and returns one of them as an example. */
export function unsplitValues(
  cells: readonly ImportCell[],
  by: SplitBy,
): { readonly count: number; readonly example: string } {
  const bad = cells.filter((cell) => !isBlank(cell) && SPLITS[by].split(cellText(cell).trim()) === null)
  const [first] = bad
  return { count: bad.length, example: first === undefined ? '' : cellText(first).trim() }
}

/** Creates a function that turns the source cells of a row into the derived cells. */
function cellMaker(derived: DerivedColumn): (cells: readonly ImportCell[]) => readonly ImportCell[] {
  if (derived.kind === 'combine') {
    return (cells) => {
      const failed = cells.find((cell) => typeof cell === 'object' && 'error' in cell)
      if (failed !== undefined) return [failed]
      const filled = cells.filter((cell) => !isBlank(cell)).map((cell) => cellText(cell).trim())
      return [filled.join(derived.separator)]
    }
  }
  const { pieces, split, expects } = SPLITS[derived.by]
  return ([cell = '']) => {
    if (isBlank(cell)) return pieces.map(() => '')
    if (typeof cell === 'object' && 'error' in cell) return pieces.map(() => cell)
    const text = cellText(cell).trim()
    const reason = `“${derived.column.heading}”: “${text}” can’t be split into ${expects}.`
    return split(text) ?? pieces.map(() => ({ error: text, reason }))
  }
}
