import type { Clock } from '../clock.ts'

/**
 * Throttles calls: runs the first immediately, then at most one per interval with the latest value.
 * @param milliseconds the interval
 */
export function throttle<Value>(
  clock: Pick<Clock, 'after'>,
  milliseconds: number,
  run: (latest: Value) => void,
): (value: Value) => void {
  let isResting = false
  let waiting: { readonly value: Value } | null = null
  const start = (value: Value): void => {
    isResting = true
    run(value)
    clock.after(milliseconds, () => {
      isResting = false
      const next = waiting
      waiting = null
      if (next !== null) start(next.value)
    })
  }
  return (value) => {
    if (isResting) waiting = { value }
    else start(value)
  }
}
