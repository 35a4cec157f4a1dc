/** Returns a function that creates a value on its first call. For values that would slow down the start. */
export function lazy<T extends object>(create: () => T): () => T {
  let created: T | undefined
  return () => (created ??= create())
}
