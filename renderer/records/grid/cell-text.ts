/** The text of cells and the indentation of names under their parents. */
import { type EditValue, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { ADDRESS_PARTS, type FieldType } from '../../../shared/records/definition.ts'
import { plainValue } from '../../../shared/records/value-text.ts'

/** Formats a value for editors and the clipboard: amounts with the locale's decimal mark, dates as received. */
export function plainText(type: FieldType, value: EditValue, decimalMark: string): string {
  if (typeof value !== 'string') return plainValue(value)
  if (type === 'money') return value.replace('.', decimalMark)
  if (type === 'boolean') return value === 'true' ? 'Yes' : value === 'false' ? 'No' : value
  return value
}

/**
 * Joins the members of an address or another group in one line: `218 Alder Ct, Bayshore CA 94326`. A reference
 * is shown by its name, or by its ID if it has none.
 */
export function oneLine(memberText: (member: string) => string, members: readonly string[]): string {
  if (members.includes('ID') && (memberText('FullName') || memberText('Name')) !== '')
    return oneLine(
      memberText,
      members.filter((member) => member !== 'ID'),
    )
  const isAddress = members.includes('City') && members.includes('Line1')
  if (!isAddress) return members.map(memberText).filter(Boolean).join(', ')
  const place = ['City', 'State', 'PostalCode'].map(memberText).filter(Boolean).join(' ')
  const lines = ADDRESS_PARTS.slice(0, 5).map((part) => memberText(part.name))
  const known = new Set<string>(ADDRESS_PARTS.map((part) => part.name))
  const others = members.filter((member) => !known.has(member)).map(memberText)
  return [...lines, place, memberText('Country'), memberText('Notes'), ...others].filter(Boolean).join(', ')
}

/**
 * Returns the part of a full name before the record's own name, with the colon: `Alder:` of `Alder:Porch`.
 * Empty if there is none.
 */
export function parentPrefix(record: RecordData): string {
  const fullName = textOf(record['FullName'])
  const name = textOf(record['Name'])
  return name !== '' && fullName.endsWith(`:${name}`) ? fullName.slice(0, -name.length) : ''
}

/** Returns the number of parents of a record for its indentation, at most 4. */
export function depthOf(record: RecordData): number {
  return Math.min(4, parentPrefix(record).split(':').length - 1)
}

/** Returns the record a number of rows above in the current order. */
export type RowAbove = (rows: number) => RecordData | undefined

/** Rows to search for the parent. If it is further away, the record is shown by its full name. */
const MAX_ROWS_ABOVE = 100

/** Whether a record is shown below its parent, with only other records of that parent between them. */
export function isUnderParent(record: RecordData, above: RowAbove): boolean {
  const prefix = parentPrefix(record)
  for (let rows = 1; rows <= MAX_ROWS_ABOVE; rows += 1) {
    const fullName = textOf(above(rows)?.['FullName'])
    if (`${fullName}:` === prefix) return true
    if (!fullName.startsWith(prefix)) return false
  }
  return false
}
