/** A defect as data: a text in a file, and its replacement. */
export interface Mutant {
  /** What goes wrong because of it, in plain words. */
  readonly breaks: string
  /** The original text, which occurs in the file exactly once. */
  readonly text: string
  readonly instead: string
  /** Why no test can detect it, if that is so. */
  readonly equivalent?: string
}

/** Defects by the path of their file, relative to the repository. */
export type Mutants = Readonly<Record<string, readonly Mutant[]>>
