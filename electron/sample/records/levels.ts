// How deep records stand under each other: both applications take five levels.
import { type Company } from '../company.ts'
import { type ObjectName } from './definition.ts'
import { textOf } from './names-in-use.ts'
import { type SampleRecord } from './table.ts'

const DEEPEST_LEVEL = 5

/** What is wrong with where a record stands, in words; undefined when it can stand there. */
export function levelTrouble(company: Company, object: ObjectName, record: SampleRecord): string | undefined {
  const table = company.table(object)
  let level = 0
  for (let id = textOf(record, 'Parent'); id !== ''; level++) {
    if (id === record.id) return 'A record cannot be under itself.'
    const parent = table.get(id)
    id = parent === undefined ? '' : textOf(parent, 'Parent')
  }
  const before = table.get(record.id)
  if (level === 0 || (before !== undefined && textOf(before, 'Parent') === textOf(record, 'Parent')))
    return undefined
  const under = before === undefined ? 0 : levelsUnder(company, object, record.id)
  if (level + 1 + under <= DEEPEST_LEVEL) return undefined
  const words = `The parent is on level ${String(level)} of ${String(DEEPEST_LEVEL)}`
  return under === 0 ? `${words}.` : `${words}, and ${String(under)} levels are under the record.`
}

function levelsUnder(company: Company, object: ObjectName, id: string): number {
  const children = new Map<string, string[]>()
  for (const record of company.table(object).all()) {
    const parent = textOf(record, 'Parent')
    if (parent !== '') children.set(parent, [...(children.get(parent) ?? []), record.id])
  }
  const depthOf = (top: string): number =>
    Math.max(0, ...(children.get(top) ?? []).map((child) => 1 + depthOf(child)))
  return depthOf(id)
}
