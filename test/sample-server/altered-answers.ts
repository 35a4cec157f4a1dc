// Complete responses with wrong content: faults in the envelope, not on the wire.
import { type Fault } from './faults.ts'

interface Item {
  Object: unknown
  Errors: unknown
  Self: unknown
  Kind: unknown
}

/** The response with the fault; undefined if the fault isn't in the envelope. */
export async function alteredAnswer(
  fault: Fault,
  answer: Response,
  page: number,
): Promise<Response | undefined> {
  const change = changeOf(fault, page)
  if (change === undefined) return undefined
  const envelope: unknown = JSON.parse(await answer.text())
  if (typeof envelope !== 'object' || envelope === null) return answer
  return new Response(JSON.stringify(change({ ...envelope })), {
    status: answer.status,
    headers: answer.headers,
  })
}

type Envelope = Record<string, unknown>
type Change = (envelope: Envelope) => Envelope

function changeOf(fault: Fault, page: number): Change | undefined {
  switch (fault.kind) {
    case 'missingItems':
      return withItems((items) => items.slice(0, Math.max(items.length - (fault.count ?? 1), 0)))
    case 'extraItems':
      return withItems((items) => [...items, ...items.slice(0, fault.count ?? 1)])
    case 'reorderedItems':
      return withItems((items) => items.toReversed())
    case 'rewrittenMarks':
      return withItems((items) => items.map((item) => withMarkRewritten(item, rewriting(fault.how))))
    case 'shortNames':
      return withItems((items) => items.map((item) => withShortNames(item, fault.length)))
    case 'itemError': {
      const error = errorOf(
        fault.code ?? '3180',
        fault.message ?? 'There was an error when saving the element.',
      )
      return (envelope) => {
        const change = withItems((items) =>
          items.map((item, index) =>
            index === (fault.index ?? 0)
              ? { ...item, Object: fault.keepRecord === true ? item.Object : null, Errors: [error] }
              : item,
          ),
        )
        return { ...change(envelope), HasErrors: true }
      }
    }
    case 'requestError': {
      const error = errorOf(fault.code ?? 'Timeout', fault.message ?? 'The agent did not answer in time.')
      return (envelope) => ({ ...envelope, HasErrors: true, Errors: [error] })
    }
    case 'endlessMoreData':
      return (envelope) => ({
        ...withItems((items) => items.map((item) => renamed(item, page)))(envelope),
        Page: page,
        MoreData: true,
      })
    case 'repeatedPage':
      return (envelope) => ({ ...envelope, MoreData: true })
    case 'missingMembers':
      return (envelope) =>
        Object.fromEntries(Object.entries(envelope).filter(([name]) => !fault.members.includes(name)))
    default:
      return undefined
  }
}

function withItems(change: (items: readonly Item[]) => readonly Item[]): Change {
  return (envelope) => ({
    ...envelope,
    Contents: Array.isArray(envelope['Contents'])
      ? change(envelope['Contents'] as Item[])
      : envelope['Contents'],
  })
}

/** The length of a shortened external ID. */
const CUT_LENGTH = 20

function rewriting(how: 'capitals' | 'braces' | 'cut' | undefined): (mark: string) => string {
  switch (how) {
    case 'capitals':
      return (mark) => mark.toUpperCase()
    case 'braces':
      return (mark) => `{${mark}}`
    case 'cut':
      return (mark) => mark.slice(0, CUT_LENGTH)
    case undefined:
      return (mark) => `{${mark.toUpperCase()}}`
  }
}

function withMarkRewritten(item: Item, rewritten: (mark: string) => string): Item {
  const { Object: record } = item
  if (typeof record !== 'object' || record === null || !('ExternalID' in record)) return item
  const { ExternalID: mark } = record
  if (typeof mark !== 'string' || mark === '') return item
  return { ...item, Object: { ...record, ExternalID: rewritten(mark) } }
}

function withShortNames(item: Item, length: number): Item {
  if (typeof item.Object !== 'object' || item.Object === null) return item
  const other = Object.entries(item.Object).map(([name, value]: [string, unknown]): [string, unknown] => [
    name,
    ['Name', 'FullName'].includes(name) && typeof value === 'string' ? value.slice(0, length) : value,
  ])
  return { ...item, Object: Object.fromEntries(other) }
}

function errorOf(code: string | number, message: string): Record<string, unknown> {
  return { Code: code, Severity: 'Error', Message: message, Detail: '' }
}

/** The same record or company under another ID on every page, so that no page repeats another. */
function renamed(item: Item, page: number): Item {
  if (typeof item.Object !== 'object' || item.Object === null) return item
  const other = Object.entries(item.Object).map(([name, value]: [string, unknown]): [string, unknown] =>
    ['ID', 'endpointId'].includes(name) ? [name, `${String(value)}-${String(page)}`] : [name, value],
  )
  return { ...item, Object: Object.fromEntries(other) }
}
