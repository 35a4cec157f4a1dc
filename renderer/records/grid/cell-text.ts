/** What stands in a cell: a value as words, figures or dates, as this person on this machine reads them. */
import { textOf, type EditValue, type RecordData } from '../../../shared/records/changes.ts'
import { ADDRESS_PARTS, type FieldType } from '../../../shared/records/definition.ts'
import { plainValue } from '../../../shared/records/value-text.ts'

/** A value as it stands in an editor and on the clipboard: amounts with the locale's marks, dates as they came. */
export function plainText(type: FieldType, value: EditValue, decimalMark: string): string {
  if (typeof value !== 'string') return plainValue(value)
  if (type === 'money') return value.replace('.', decimalMark)
  if (type === 'boolean') return value === 'true' ? 'Yes' : value === 'false' ? 'No' : value
  return value
}

/**
 * An address, or any other group of members, in one line: `218 Alder Ct, Bayshore CA 94326`. What refers to a record
 * goes by that one's name, and by its ID where it has no name.
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

/** What stands before a record's name in its full name, with the colon: `Alder:` of `Alder:Porch`. Empty if nothing does. */
export function parentPrefix(record: RecordData): string {
  const fullName = textOf(record['FullName'])
  const name = textOf(record['Name'])
  return name !== '' && fullName.endsWith(`:${name}`) ? fullName.slice(0, -name.length) : ''
}

/** How many parents a record has, for its indent. At most 4. */
export function depthOf(record: RecordData): number {
  return Math.min(4, parentPrefix(record).split(':').length - 1)
}

/** The record so many rows above, as the rows are shown. */
export type Above = (rows: number) => RecordData | undefined

/** Rows to look at before a record goes by its full name. */
const MOST_ABOVE = 100

/** Whether a record stands in the rows of its parent, with only other records of that parent between them. */
export function isUnderParent(record: RecordData, above: Above): boolean {
  const prefix = parentPrefix(record)
  for (let rows = 1; rows <= MOST_ABOVE; rows += 1) {
    const fullName = textOf(above(rows)?.['FullName'])
    if (`${fullName}:` === prefix) return true
    if (!fullName.startsWith(prefix)) return false
  }
  return false
}
