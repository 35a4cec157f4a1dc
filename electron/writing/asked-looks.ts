/** Looks that the person asked for, each answered when all that it names was looked at. */
import type { Result } from '../../shared/result.ts'

interface Asked {
  readonly operationIds: readonly string[]
  readonly answer: (result: Result<void>) => void
}

export interface AskedLooks {
  add(operationIds: readonly string[], answer: (result: Result<void>) => void): void
  /** What is still to be looked at. */
  operationIds(): ReadonlySet<string>
  /** These were looked at, with this result; all of them where none are named. */
  answer(result: Result<void>, operationIds?: ReadonlySet<string>): void
}

export function makeAskedLooks(): AskedLooks {
  let asked: Asked[] = []
  return {
    add: (operationIds, answer) => {
      asked.push({ operationIds, answer })
    },
    operationIds: () => new Set(asked.flatMap(({ operationIds }) => operationIds)),
    answer(result, operationIds) {
      const [answered, left] = [[] as Asked[], [] as Asked[]]
      for (const each of asked) {
        const open = operationIds ? each.operationIds.filter((id) => !operationIds.has(id)) : []
        if (open.length === 0) answered.push(each)
        else left.push({ ...each, operationIds: open })
      }
      asked = left
      for (const each of answered) each.answer(result)
    },
  }
}
