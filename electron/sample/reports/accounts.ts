// The chart of accounts as reports show it: by type, children under parents, labels as the application's.
import { type Cents } from '../cents.ts'
import { type Company } from '../company.ts'
import { fullNameOf, textOf, type SampleRecord } from '../records/table.ts'
import { added, type Amounts, type RowWriter, written } from './report.ts'

/** An account with the accounts under it. */
export interface AccountNode {
  readonly id: string
  readonly type: string
  readonly label: string
  readonly number: string
  readonly children: readonly AccountNode[]
}

/** The top accounts of a company, by number, each with those under it. */
export function accountTree(company: Company): AccountNode[] {
  const children = new Map<string, SampleRecord[]>()
  for (const record of company.table('account').all()) {
    const parent = textOf(record, 'Parent')
    const siblings = children.get(parent) ?? []
    siblings.push(record)
    children.set(parent, siblings)
  }
  const build = (parent: string): AccountNode[] =>
    (children.get(parent) ?? [])
      .map((record) => ({
        id: record.id,
        type: textOf(record, 'Type'),
        label: accountLabel(company, record),
        number: textOf(record, 'Number'),
        children: build(record.id),
      }))
      .toSorted((a, b) => compare(a.number, b.number) || compare(a.label, b.label))
  return build('')
}

/** All accounts of a tree, parents before children. */
export function flattened(nodes: readonly AccountNode[]): AccountNode[] {
  return nodes.flatMap((node) => [node, ...flattened(node.children)])
}

/** `6610 · Gas and Electric` on desktop, `Gas and Electric` online. */
function accountLabel(company: Company, record: SampleRecord): string {
  const number = textOf(record, 'Number')
  const name = textOf(record, 'Name')
  return company.application === 'qbd' && number !== '' ? `${number} · ${name}` : name
}

/** The label of an account by its id; its full name where reports need it to stand alone. */
export function accountName(company: Company, id: string): string {
  const record = company.table('account').get(id)
  if (record === undefined) return id
  const number = textOf(record, 'Number')
  const fullName = fullNameOf(company, 'account', record)
  return company.application === 'qbd' && number !== '' ? `${number} · ${fullName}` : fullName
}

/**
 * Writes the accounts of some types as rows, sections for those with children, and returns what they add up to.
 * Accounts where every column is nothing are left out, as the applications do.
 */
export function writeAccounts(
  writer: RowWriter,
  nodes: readonly AccountNode[],
  types: readonly string[],
  width: number,
  amountsOf: (id: string) => Amounts,
): Cents[] {
  let sum = added(width)
  for (const node of nodes) {
    if (types.includes(node.type)) sum = added(width, sum, writeNode(writer, node, width, amountsOf))
  }
  return sum
}

function writeNode(
  writer: RowWriter,
  node: AccountNode,
  width: number,
  amountsOf: (id: string) => Amounts,
): Cents[] {
  const own = amountsOf(node.id)
  const used = node.children.filter((child) => isUsed(child, amountsOf))
  if (used.length === 0) {
    if (own.some((cents) => cents !== 0)) writer.data(node.label, written(own), node.id)
    return added(width, own)
  }
  writer.open(node.label, node.id)
  let sum = added(width, own)
  for (const child of used) sum = added(width, sum, writeNode(writer, child, width, amountsOf))
  if (own.some((cents) => cents !== 0)) writer.data(`${node.label} - Other`, written(own), node.id)
  writer.close(`Total ${node.label}`, written(sum), node.id)
  return sum
}

function isUsed(node: AccountNode, amountsOf: (id: string) => Amounts): boolean {
  return (
    amountsOf(node.id).some((cents) => cents !== 0) || node.children.some((child) => isUsed(child, amountsOf))
  )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
