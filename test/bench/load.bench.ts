// Reads 100,000 customers all the way to the window's side of the bridge, against `fetch` + `text` + `JSON.parse` in
// the same run, and measures the main loop's longest pause.
import { createSystemClock } from '../../electron/clock.ts'
import { createRows } from '../../electron/rows/rows-client.ts'
import { createMask } from '../../electron/service/errors/redact.ts'
import { startDeadline } from '../../electron/service/transport/deadline.ts'
import { exchange } from '../../electron/service/transport/exchange.ts'
import { createTransport } from '../../electron/service/transport/transport.ts'
import { serveCustomers } from './support/body-server.ts'
import { byTurns, pauseRow, ratioRow, type Row } from './support/measure.ts'

export const name = 'load'

const CUSTOMERS = 100_000
const CHUNK = 1_000

export async function run(): Promise<readonly Row[]> {
  const server = await serveCustomers(CUSTOMERS)
  const small = await serveCustomers(CUSTOMERS / 10)
  const clock = createSystemClock()
  const rows = createRows(new URL('../../electron/rows/rows-worker.ts', import.meta.url), clock)
  const transport = createTransport({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificateFile: () => '',
    clock,
  })

  const ours = async (url = server.url): Promise<void> => {
    const answer = await exchange(
      {
        method: 'GET',
        url,
        host: '127.0.0.1',
        headers: {},
        body: null,
        seconds: 600,
        mostBytes: 400 * 1_048_576,
        mask: createMask([]),
        fetch: transport.fetch,
      },
      startDeadline(createSystemClock(), 600),
      clock,
    )
    if (!answer.hasResponse) throw new Error(answer.error.message)
    const setId = await rows.openSet()
    const page = await rows.addPage(setId, answer.raw)
    if (!page.ok) throw new Error(page.error.message)
    for (let from = 0; from < page.value.count; from += CHUNK) {
      const chunk = await rows.chunk(setId, from, CHUNK)
      if (!chunk.ok) throw new Error(chunk.error.message)
    }
    await rows.closeSet(setId)
  }
  const peer = async (url = server.url): Promise<void> => {
    const answer = await fetch(url)
    const envelope = JSON.parse(await answer.text()) as { Contents: unknown[] }
    if (envelope.Contents.length === 0) throw new Error('Nothing came.')
  }

  try {
    const times = await byTurns(
      () => ours(),
      () => peer(),
    )
    const fewer = await byTurns(
      () => ours(small.url),
      () => peer(small.url),
    )
    return [
      ratioRow({
        what: 'Read 100,000 customers',
        why: 'From the request until every record is checked and ready for the window. The peer is the shortest code that reads the list.',
        turns: times,
        against: 'fetch and JSON.parse',
        most: 1.3,
      }),
      pauseRow({
        what: '– longest pause of the main process',
        why: 'Nothing else can run during a pause. The peer parses on the main thread.',
        turns: times.pauses,
        against: 'fetch and JSON.parse',
        most: 50,
      }),
      ratioRow({
        what: '– ten times the customers',
        why: 'How reading grows with the list.',
        turns: { ours: times.ours, peer: fewer.ours },
        against: '10,000 customers',
        most: 10,
      }),
    ]
  } finally {
    await Promise.all([rows.close(), transport.close(), server.close(), small.close()])
  }
}
