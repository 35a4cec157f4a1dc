/** The words of a path as files have them in their headings: *Phone*, *Billing address, City*. */
import { isReferenceShaped, memberOf, pathOf, topField } from './changes.ts'
import { ADDRESS_PARTS, CONTACT_PARTS, fieldDefinition, objectDefinition } from './records.ts'

/** A field as it was found in records, with the members of nested ones. */
export interface FoundField {
  readonly name: string
  readonly members: readonly string[]
}

/**
 * Heading of a path in an exported file, from which import finds the path again. A contact's name goes by the
 * contact's own words, as in the grid.
 */
export function fieldWords(object: string, path: string): string {
  const field = fieldDefinition(object, topField(path))
  const member = memberOf(path)
  if (member === null || (field.type === 'contact' && member === 'Name')) return field.label
  const known = [...ADDRESS_PARTS, ...CONTACT_PARTS].find(({ name }) => name === member)
  return `${field.label}, ${known?.label ?? member}`
}

/**
 * Every path of a list that a column of a file may be: addresses and contacts by their members, references whole.
 * @param found fields found in the records or named by metadata, beside those of the data definition
 */
export function importPaths(object: string, found: readonly FoundField[]): readonly string[] {
  const members = new Map(found.map((field) => [field.name, field.members]))
  const defined = objectDefinition(object)?.fields.map(({ name }) => name) ?? []
  const names = [...new Set([...defined, ...members.keys()])]
  return names.flatMap((name) => {
    const parts = partsOf(object, name, members.get(name) ?? [])
    return parts.length === 0 ? [pathOf(name)] : parts.map((part) => pathOf(name, part))
  })
}

function partsOf(object: string, name: string, found: readonly string[]): readonly string[] {
  switch (fieldDefinition(object, name).type) {
    case 'address':
      return [...new Set([...ADDRESS_PARTS.map((part) => part.name), ...found])]
    case 'contact':
      return [...new Set([...CONTACT_PARTS.map((part) => part.name), ...found])]
    case 'text':
      return isReferenceShaped(found) ? [] : found
    case 'money':
    case 'boolean':
    case 'timestamp':
    case 'reference':
      return []
  }
}
