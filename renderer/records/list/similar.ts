/** The name that a mistyped one was meant to be. */

/**
 * Returns the value of the name that is closest to a typed one; `null` if none is similar, or if names of several
 * values are equally close. Names are compared as they are.
 */
export function closestTo<Value>(
  typed: string,
  candidates: Iterable<{ readonly name: string; readonly value: Value }>,
): Value | null {
  let least = Math.max(1, Math.floor(typed.length / 4)) + 1
  let closest = new Set<Value>()
  for (const { name, value } of candidates) {
    if (Math.abs(name.length - typed.length) > least) continue
    const edits = editsBetween(typed, name)
    if (edits > least || (edits === least && closest.size === 0)) continue
    closest = edits < least ? new Set([value]) : closest.add(value)
    least = edits
  }
  const [value, another] = [...closest]
  return value === undefined || another !== undefined ? null : value
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
