/** Names of lists as users type them, the lists to choose from, and suggestions for mistyped names. */
import { listName, OBJECT_DEFINITIONS, objectDefinition } from '../../../shared/records/definition.ts'
import { closestTo } from '../list/similar.ts'

/** Number of remembered names. The oldest is dropped. */
const MAX_REMEMBERED = 30

/** Returns the service's name of an object: *Customers* and *CUSTOMER* are `customer`. */
export function objectName(typed: string): string {
  return objectDefinition(typed)?.object ?? typed.trim()
}

/** Returns the lists to choose from: those with a definition, those that were read before, and the current one. */
export function listOptions(
  current: string,
  remembered: readonly string[],
): readonly { readonly value: string; readonly label: string }[] {
  const known = OBJECT_DEFINITIONS.map(({ object, list }) => ({ value: object, label: list }))
  const isKnown = (object: string): boolean => objectDefinition(object) !== undefined
  const others = [...new Set([...remembered.toSorted(), current])].filter((object) => !isKnown(object))
  return [...known, ...others.map((object) => ({ value: object, label: listName(object) }))]
}

/** Returns the remembered names after a list was read; `null` if nothing changes. */
export function withName(object: string, remembered: readonly string[]): readonly string[] | null {
  if (objectDefinition(object) || remembered.at(-1) === object) return null
  return [...remembered.filter((each) => each !== object), object].slice(-MAX_REMEMBERED)
}

/**
 * Suggests a list for a mistyped name, from known lists and those that were read before; `null` if the name is
 * known or nothing is similar.
 */
export function similarList(typed: string, remembered: readonly string[]): string | null {
  if (objectDefinition(typed) || remembered.includes(typed)) return null
  const candidates = [
    ...OBJECT_DEFINITIONS.flatMap(({ object, singular, plural, list }) =>
      [object, singular, plural, list].map((name) => ({ value: object, name: name.toLowerCase() })),
    ),
    ...remembered.map((object) => ({ value: object, name: object.toLowerCase() })),
  ]
  return closestTo(typed.trim().toLowerCase(), candidates)
}
