/** Names of lists as users type them, the lists to choose from, and suggestions for mistyped names. */
import { OBJECT_DEFINITIONS, listName, objectDefinition } from '../../../shared/records/definition.ts'

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
  const word = typed.trim().toLowerCase()
  const candidates = [
    ...OBJECT_DEFINITIONS.flatMap(({ object, singular, plural, list }) =>
      [object, singular, plural, list].map((name) => ({ object, name: name.toLowerCase() })),
    ),
    ...remembered.map((object) => ({ object, name: object.toLowerCase() })),
  ]
  const closest = candidates
    .map(({ object, name }) => ({ object, edits: editsBetween(word, name) }))
    .toSorted((left, right) => left.edits - right.edits)[0]
  const most = Math.max(1, Math.floor(word.length / 4))
  return closest !== undefined && closest.edits <= most ? closest.object : null
}

/**
 * The Damerau–Levenshtein distance: how many letters have to be inserted, deleted, replaced, or swapped with
 * the next one.
 */
function editsBetween(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1]
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      row[j] = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (rows[i - 2]?.[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    rows.push(row)
  }
  return rows.at(-1)?.[right.length] ?? 0
}
