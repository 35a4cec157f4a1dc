/** Long work in short turns, so that keys, clicks and frames come in between. */
import type { Steps } from '../../shared/steps.ts'

/** What a small list needs is done at once, within a frame or two. */
const FIRST_TURN_MS = 24
const TURN_MS = 12

/** Work that may be interrupted wherever it yields; it yields more often than once a millisecond or two. */
export type Interruptible<Made> = Steps<Made>

/**
 * Does the work and hands on what it made: at once where the first turn is enough, else as soon as it is ready.
 * @returns what stops it; then nothing is handed on
 */
export function inTurns<Made>(work: Interruptible<Made>, done: (made: Made) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const turn = (milliseconds: number): void => {
    const until = performance.now() + milliseconds
    for (;;) {
      const step = work.next()
      if (step.done) return done(step.value)
      if (performance.now() >= until) break
    }
    timer = setTimeout(turn, 0, TURN_MS)
  }
  turn(FIRST_TURN_MS)
  return () => clearTimeout(timer)
}

/** Ends the turn: what a person did meanwhile comes first, then the work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
