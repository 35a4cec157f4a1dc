// The sample's timers, which a test may replace.

/** Calls back once after so many milliseconds. Returns what cancels that. */
export type After = (milliseconds: number, callback: () => void) => () => void

export const machineTimer: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds)
  return () => {
    clearTimeout(timer)
  }
}

export function wait(after: After, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    after(milliseconds, resolve)
  })
}
