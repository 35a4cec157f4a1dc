/** A change as the wire of IPC brings it: members that were not given may be there as `undefined`. */
type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/** The same change with only what was given. */
export function defined<T extends object>(change: Loose<T>): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>
}
