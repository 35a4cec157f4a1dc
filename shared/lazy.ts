/** Returns a function that creates a value at its first call, for what a start shouldn't wait for. */
export function lazy<T extends object>(create: () => T): () => T {
  let created: T | undefined
  return () => (created ??= create())
}
