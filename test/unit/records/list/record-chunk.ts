/** A chunk of records as the rows worker passes it to the window. */
import { RecordSet } from '../../../../electron/rows/records/record-set.ts'
import type { RecordChunk } from '../../../../electron/rows/rows.ts'

export function chunkOf(records: readonly object[]): RecordChunk {
  const set = new RecordSet()
  const body = { Contents: records.map((each) => ({ Object: each, Errors: null })), Errors: null }
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  set.addPage({ status: 200, contentType: 'application/json', blocks: [bytes], length: bytes.length })
  return set.chunk(0, records.length)
}
