/** What a person may change: the data definition, and what metadata says that the company's application takes. */
import { memberOf, pathOf, topField } from './changes.ts'
import { fieldDefinition } from './records.ts'

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
    return { editable: false, because: 'The accounting application keeps this field.' }
  if (definition.editable === 'insert-only' && record === 'existing') {
    return {
      editable: false,
      because: 'This can only be given when a record is new; afterwards the books decide it.',
    }
  }
  if (supported === null) {
    return { editable: false, because: 'The service has not said yet which fields can be changed here.' }
  }
  if (!supported.has(pathOf(name)))
    return { editable: false, because: 'This application does not take this field.' }
  if (member !== null && !supported.has(path) && namesMembers(supported, name))
    return { editable: false, because: 'This application does not take this part.' }
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
