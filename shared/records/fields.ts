/** Which fields a user may change, according to the data definition and the metadata of the company's application. */
import { isReferenceShaped, memberOf, pathOf, topField } from './changes.ts'
import { ADDRESS_PARTS, CONTACT_PARTS, fieldDefinition, objectDefinition } from './definition.ts'

/** Whether a field can be changed, and why not. */
export type Editability = { readonly editable: true } | { readonly editable: false; readonly reason: string }

/**
 * Whether a user may change a field of a record, or a member of it.
 * @param supported the paths that metadata lists for this company's application; `null` if metadata couldn't be read. If
 * it lists members of a field, the other members aren't supported.
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
    return { editable: false, reason: 'The accounting application fills in this field.' }
  if (definition.editable === 'insert-only' && record === 'existing') {
    return {
      editable: false,
      reason: 'You can enter this only for a new record.',
    }
  }
  if (supported === null) {
    return { editable: false, reason: 'Checking which fields can be changed…' }
  }
  if (!supported.has(pathOf(name)))
    return { editable: false, reason: 'The application doesn’t support this field.' }
  if (member !== null && !supported.has(path) && namesMembers(supported, name))
    return { editable: false, reason: 'This application doesn’t support this part.' }
  return { editable: true }
}

/** Cached by set of paths, because every cell looks it up: the fields whose members the set lists. */
const WITH_MEMBERS = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

function namesMembers(supported: ReadonlySet<string>, name: string): boolean {
  const known =
    WITH_MEMBERS.get(supported) ??
    new Set([...supported].filter((path) => memberOf(path) !== null).map(topField))
  WITH_MEMBERS.set(supported, known)
  return known.has(name)
}

/** The fields in a list of paths, each with the members that the list names. */
export function fieldsOf(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  for (const path of paths) {
    const [name, member] = [topField(path), memberOf(path)]
    const members = fields.get(name) ?? []
    fields.set(name, member === null ? members : [...members, member])
  }
  return fields
}

// Headings of paths in files: *Phone*, *Billing address, City*.

/** A field that was found in records, with the members of its objects. */
export interface FoundField {
  readonly name: string
  readonly members: readonly string[]
}

/**
 * The heading of a path in an exported file. Import finds the path by it. A contact's name has the contact's label, as
 * in the grid.
 */
export function pathHeading(object: string, path: string): string {
  const field = fieldDefinition(object, topField(path))
  const member = memberOf(path)
  if (member === null || (field.type === 'contact' && member === 'Name')) return field.label
  const known = [...ADDRESS_PARTS, ...CONTACT_PARTS].find(({ name }) => name === member)
  return `${field.label}, ${known?.label ?? member}`
}

/**
 * The paths that a column of a file can be imported into: the members of addresses and contacts, and whole references.
 * @param found fields in the records or in metadata, in addition to those in the data definition
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
