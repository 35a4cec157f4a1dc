/** What could not be changed of many cells, in a sentence: how many, and why, the most frequent reason first. */
import type { Refusal } from '../list-editing.ts'

/** Cells that were left as they were for one reason. */
export interface RefusalGroup {
  readonly because: string
  readonly count: number
  /** The words of the columns concerned, each once. */
  readonly columns: readonly string[]
}

/** @param words the words for a path */
export function refusalGroups(
  refused: readonly Refusal[],
  words: (path: string) => string,
): readonly RefusalGroup[] {
  const groups = new Map<string, { count: number; paths: Set<string> }>()
  for (const { path, because } of refused) {
    const group = groups.get(because) ?? { count: 0, paths: new Set<string>() }
    group.count += 1
    group.paths.add(path)
    groups.set(because, group)
  }
  return [...groups]
    .map(([because, { count, paths }]) => ({ because, count, columns: [...paths].map(words) }))
    .sort((left, right) => right.count - left.count)
}

/** One cell is named; of several it is said how many, and the reasons. Empty when nothing was refused. */
export function refusalWords(
  refused: readonly Refusal[],
  words: (path: string) => string,
  count: (value: number) => string,
): string {
  const [first] = refused
  if (!first) return ''
  if (refused.length === 1) return `${words(first.path)}: ${first.because}`
  const reasons = refusalGroups(refused, words).map((group) => {
    const columns =
      group.columns.length > 3 ? `${count(group.columns.length)} columns` : group.columns.join(', ')
    return `${columns}: ${group.because}`
  })
  const shown = reasons.slice(0, 3).join(' ')
  return `${count(refused.length)} cells were left as they are. ${shown}${reasons.length > 3 ? ' …' : ''}`
}

/** *1 cell*, *1,250 cells*. */
export function cellsWords(cells: number, count: (value: number) => string): string {
  return `${count(cells)} ${cells === 1 ? 'cell' : 'cells'}`
}
