/** Long work in steps, so that whoever does it can let others have their turn in between. */

/** Yields wherever the work may be interrupted, more often than once in a few milliseconds. */
export type Steps<Made> = Generator<undefined, Made, undefined>

/** Rows, or records, that a step looks at. */
export const ROWS_A_STEP = 50

/** Does the work without a pause. */
export function doneAtOnce<Made>(steps: Generator<unknown, Made, undefined>): Made {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
