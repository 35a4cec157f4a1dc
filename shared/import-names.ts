/** What a row says of a record's name: its own, its parent's, and both in a full name. */
import type { EditValue } from './changes.ts'
import { nameKey } from './names.ts'

/** The text at a path, a reference's full name; empty where there is none. */
export function nameAt(values: ReadonlyMap<string, EditValue>, path: string): string {
  const value = values.get(path)
  return (typeof value === 'string' ? value : (value?.FullName ?? '')).trim()
}

/** `Alder:Garden` is *Garden* under *Alder*. */
export function partsOfFullName(fullName: string): { readonly name: string; readonly parent: string } {
  const parts = fullName.split(':').map((part) => part.trim())
  return { name: parts.at(-1) ?? '', parent: parts.slice(0, -1).join(':') }
}

/** The full name of a record under a parent; empty where either is. */
export function joinedName(parent: string, name: string): string {
  return parent !== '' && name !== '' ? `${parent}:${name}` : ''
}

/** Why a new record can't be called what its row says, when that is two things; empty when it is one. */
export function nameContradiction(values: ReadonlyMap<string, EditValue>): string {
  const fullName = nameAt(values, 'FullName')
  if (fullName === '') return ''
  const { name, parent } = partsOfFullName(fullName)
  const [ownName, ownParent] = [nameAt(values, 'Name'), nameAt(values, 'Parent')]
  if (ownName !== '' && nameKey(ownName) !== nameKey(name))
    return `The full name “${fullName}” and the name “${ownName}” are not of one record.`
  if (ownParent !== '' && nameKey(ownParent) !== nameKey(parent))
    return `The full name “${fullName}” and the parent “${ownParent}” are not of one record.`
  return ''
}
