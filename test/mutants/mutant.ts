/** One defect, as data: a piece of text of one file, and what stands there instead. */
export interface Mutant {
  /** What the program does wrong with it, in plain words. */
  readonly breaks: string
  /** Stands in the file exactly once. */
  readonly text: string
  readonly instead: string
  /** Why no test can tell it from the program, where none can. */
  readonly equivalent?: string
}

/** By the path of their file, from the top folder. */
export type Mutants = Readonly<Record<string, readonly Mutant[]>>
