/** Tells at most so often: the first at once, then the latest. */

/** @param milliseconds between two times that it tells */
export function nowAndThen<Value>(
  milliseconds: number,
  tell: (latest: Value) => void,
): (value: Value) => void {
  let isResting = false
  let waiting: { readonly value: Value } | null = null
  const told = (value: Value): void => {
    isResting = true
    tell(value)
    setTimeout(() => {
      isResting = false
      const next = waiting
      waiting = null
      if (next !== null) told(next.value)
    }, milliseconds).unref()
  }
  return (value) => {
    if (isResting) waiting = { value }
    else told(value)
  }
}
