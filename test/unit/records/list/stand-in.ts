import type { KeptLists } from '../../../../electron/app/records/kept-lists.ts'

/** Some members of a type, at any depth. Any function may replace a function, because many real ones are generic. */
type Part<T> = T extends (...args: never) => unknown
  ? (...args: never) => unknown
  : T extends readonly (infer Item)[]
    ? readonly Part<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]?: Part<T[Name]> | undefined }
      : T

/** A stand-in for a large object of which a test needs only a few members. */
export function standIn<T>(part: Part<T>): T
export function standIn(part: unknown): unknown {
  return part
}

/** Keeps no copies of lists. */
export const NO_KEPT_LISTS: Pick<KeptLists, keyof KeptLists> = {
  noteSupport: () => undefined,
  deletions: 0,
  wants: () => false,
  keep: () => undefined,
  keepChanges: () => Promise.resolve(),
  open: () => Promise.resolve(null),
  settled: () => Promise.resolve(false),
  forget: () => Promise.resolve(),
  sweep: () => Promise.resolve(),
  forgetAll: () => Promise.resolve(),
  files: () => Promise.resolve([]),
  canUse: () => Promise.resolve(false),
  use: () => Promise.resolve(null),
  metaOf: () => null,
  pathOf: () => '',
  size: () => Promise.resolve(0),
  close: () => Promise.resolve(),
}
