// Where a person's edits are kept between runs: texts under keys, in the order they were first put.

/** A small ordered store. Only what differs from the generated sample is ever put in it. */
export interface SampleStorage {
  /** All that was put, in the order each key was first put. */
  entries(): Iterable<readonly [key: string, value: string]>
  put(key: string, value: string): void
  clear(): void
  close(): void
}

/** A store that is gone when its owner is. */
export function createMemoryStorage(): SampleStorage {
  const kept = new Map<string, string>()
  return {
    entries: () => kept.entries(),
    put: (key, value) => {
      kept.set(key, value)
    },
    clear: () => {
      kept.clear()
    },
    close: () => {
      kept.clear()
    },
  }
}
