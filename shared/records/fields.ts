/** What a person may change: the data definition, and what metadata says that the company's application takes. */
import { isReferenceShaped, memberOf, pathOf, topField } from './changes.ts'
import { ADDRESS_PARTS, CONTACT_PARTS, fieldDefinition, objectDefinition } from './definition.ts'

/** Why a field can or can't be changed here. */
export type Editability = { readonly editable: true } | { readonly editable: false; readonly because: string }

/**
 * Whether a person may change a field of a record, or a member of it.
 * @param supported the paths that metadata lists for this company's application; `null` when metadata could not be read.
 * Where it names members of a field, the others are not taken.
 */
export function editability(
  object: string,
  path: string,
  supported: ReadonlySet<string> | null,
  record: 'new' | 'existing',
): Editability {
  const [name, member] = [topField(path), memberOf(path)]
  const definition = fieldDefinition(object, name)
  if (definition.editable === 'never')
    return { editable: false, because: 'The accounting application fills in this field.' }
  if (definition.editable === 'insert-only' && record === 'existing') {
    return {
      editable: false,
      because: 'You can enter this only for a new record.',
    }
  }
  if (supported === null) {
    return { editable: false, because: 'Checking which fields can be changed…' }
  }
  if (!supported.has(pathOf(name)))
    return { editable: false, because: 'This application doesn’t support this field.' }
  if (member !== null && !supported.has(path) && namesMembers(supported, name))
    return { editable: false, because: 'This application doesn’t support this part.' }
  return { editable: true }
}

/** Fields of which a set of paths names members; asked for at every cell. */
const WITH_MEMBERS = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

function namesMembers(supported: ReadonlySet<string>, name: string): boolean {
  const known =
    WITH_MEMBERS.get(supported) ??
    new Set([...supported].filter((path) => memberOf(path) !== null).map(topField))
  WITH_MEMBERS.set(supported, known)
  return known.has(name)
}

/** The fields of a list of paths, with the members that it names. */
export function fieldsOf(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  for (const path of paths) {
    const [name, member] = [topField(path), memberOf(path)]
    const members = fields.get(name) ?? []
    fields.set(name, member === null ? members : [...members, member])
  }
  return fields
}

// The words of a path as files have them in their headings: *Phone*, *Billing address, City*.

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
