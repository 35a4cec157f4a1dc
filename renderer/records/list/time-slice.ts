/** Runs long work in short slices, so that keys, clicks, and frames are handled in between. */
import { clock } from '../../clock.ts'

/** About a frame or two, which is enough for a small list. */
const FIRST_SLICE_MS = 24
const SLICE_MS = 12

/** Yield this before a long step, so that the step starts in a slice of its own, after a frame. */
export const END_SLICE = 'end slice'

/** Work that can pause wherever it yields, at least every millisecond or two. */
export type Interruptible<Made> = Generator<undefined | typeof END_SLICE, Made, undefined>

/**
 * Runs the work and passes on its result: immediately if the first slice is enough, otherwise when it is ready.
 * @param failed called if the work throws, before the error goes on
 * @returns a function that cancels the work
 */
export function runInSlices<Made>(
  work: Interruptible<Made>,
  done: (made: Made) => void,
  failed: () => void = () => undefined,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = (milliseconds: number): void => {
    let made: { readonly value: Made } | null
    try {
      made = runSlice(work, milliseconds)
    } catch (cause) {
      failed()
      throw cause
    }
    if (made) done(made.value)
    else timer = setTimeout(next, 0, SLICE_MS)
  }
  next(FIRST_SLICE_MS)
  return () => clearTimeout(timer)
}

/** Runs the first slice now. @returns the result, or `null` if more is needed (`runRemainingSlices`) */
export function runFirstSlice<Made>(work: Interruptible<Made>): { readonly value: Made } | null {
  return runSlice(work, FIRST_SLICE_MS)
}

/** Continues work that took more than its first slice. Rejects with what the work throws. */
export async function runRemainingSlices<Made>(work: Interruptible<Made>): Promise<Made> {
  for (;;) {
    await yieldToEventLoop()
    const made = runSlice(work, SLICE_MS)
    if (made) return made.value
  }
}

function runSlice<Made>(work: Interruptible<Made>, milliseconds: number): { readonly value: Made } | null {
  const until = clock.elapsed() + milliseconds
  for (;;) {
    const step = work.next()
    if (step.done) return step
    if (step.value === END_SLICE || clock.elapsed() >= until) return null
  }
}

/** Lets pending input and timers run first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Rows or records per step of work that yields between them. */
export const ROWS_PER_STEP = 50

/** Runs the work without a pause. */
export function runToCompletion<Made>(work: Generator<unknown, Made, undefined>): Made {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}
