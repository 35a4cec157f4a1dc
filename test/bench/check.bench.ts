// Checks records in place, as the rows worker does, against `JSON.parse` of the same body. The check covers syntax,
// UTF-8, and the boundaries of each record and its ID. The budget is 1 for parsing plus 0.4 for checking, because one
// pass does both.
import { EnvelopeSplit } from '../../electron/rows/records/split.ts'
import { customersBody } from './support/customers.ts'
import { byTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'check'

const CUSTOMERS = 20_000
/** The size of the chunks in which a body arrives from the network. */
const BLOCK = 64 * 1_024

export async function run(): Promise<readonly Row[]> {
  const body = customersBody(CUSTOMERS)
  const text = new TextDecoder().decode(body)
  const ours = (): void => {
    const split = new EnvelopeSplit()
    let found = 0
    for (let from = 0; from < body.length; from += BLOCK) {
      found += split.take(body.subarray(from, from + BLOCK)).length
    }
    found += split.end()?.items.length ?? 0
    if (found !== CUSTOMERS) throw new Error(`${String(found)} records were found.`)
  }
  const peer = (): void => {
    const envelope = JSON.parse(text) as { Contents: unknown[] }
    if (envelope.Contents.length !== CUSTOMERS) throw new Error('Not all came.')
  }
  return [
    ratioRow({
      what: 'Check 20,000 records',
      why: 'Finding each record in the bytes and checking its shape. Parsing the same body is the least another way would do.',
      turns: await byTurns(ours, peer),
      against: 'JSON.parse',
      most: 1.4,
    }),
  ]
}
