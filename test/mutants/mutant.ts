/** One defect, as data: a piece of text of one file, and what stands there instead. */
export interface Mutant {
  /** Path from the top folder. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly text: string
  readonly instead: string
  /** What the program does wrong with it, in plain words. */
  readonly breaks: string
  /** The test files that must fail, by their names without folder and ending. */
  readonly killedBy: readonly string[]
  /** Why no test can tell it from the program, where none can. */
  readonly equivalent?: string
}
