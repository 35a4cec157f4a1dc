/** Long work in short turns, so that keys, clicks and frames come in between. */
/** What a small list needs is done at once, within a frame or two. */
const FIRST_TURN_MS = 24
const TURN_MS = 12

/** Yielded where what comes next is long by itself: it begins in a turn of its own, once a frame could be drawn. */
export const END_OF_TURN = 'end of turn'

/** Work that may be interrupted wherever it yields; it yields more often than once a millisecond or two. */
export type Interruptible<Made> = Generator<undefined | typeof END_OF_TURN, Made, undefined>

/**
 * Does the work and hands on what it made: at once where the first turn is enough, else as soon as it is ready.
 * @returns what stops it; then nothing is handed on
 */
export function inTurns<Made>(work: Interruptible<Made>, done: (made: Made) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = (milliseconds: number): void => {
    const made = turn(work, milliseconds)
    if (made) done(made.value)
    else timer = setTimeout(next, 0, TURN_MS)
  }
  next(FIRST_TURN_MS)
  return () => clearTimeout(timer)
}

/** The first turn, at once. @returns what was made, or `null` where it takes more (`otherTurns`) */
export function firstTurn<Made>(work: Interruptible<Made>): { readonly value: Made } | null {
  return turn(work, FIRST_TURN_MS)
}

/** Goes on with work that took more than its first turn. Rejects with what the work throws. */
export async function otherTurns<Made>(work: Interruptible<Made>): Promise<Made> {
  for (;;) {
    await nextTurn()
    const made = turn(work, TURN_MS)
    if (made) return made.value
  }
}

function turn<Made>(work: Interruptible<Made>, milliseconds: number): { readonly value: Made } | null {
  const until = performance.now() + milliseconds
  for (;;) {
    const step = work.next()
    if (step.done) return step
    if (step.value === END_OF_TURN || performance.now() >= until) return null
  }
}

/** Ends the turn: what a person did meanwhile comes first, then the work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
