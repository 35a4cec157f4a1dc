/** The main process's side of the rows worker. It starts when first needed. A crash loses what it held. */
import { Worker } from 'node:worker_threads'
import { appError, err, type Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { RawResponse } from '../service/protocol/wire.ts'
import type { Rows, RowsMethod, RowsRequest, RowsResponse } from './rows.ts'

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
}

/** Calls whose arguments go to the worker as they are. */
const PLAIN = [
  'shape',
  'types',
  'chunk',
  'byIds',
  'find',
  'fingerprints',
  'newRecords',
  'merge',
  'beginKeeping',
  'keepMore',
  'endKeeping',
  'openKept',
  'loadKept',
  'patch',
  'index',
  'tidy',
  'findInIndex',
  'namedInIndex',
  'valuesIn',
  'finishReport',
  'reportChunk',
  'combineReports',
] as const satisfies readonly RowsMethod[]

/** Calls without a result. They fail only if the worker crashes. */
const CLOSING = [
  'closeSet',
  'dropKeeping',
  'closeIndex',
  'closeReport',
] as const satisfies readonly RowsMethod[]

/** @param workerUrl the built `rows-worker`, or its source file if Node strips types */
export function createRows(workerUrl: URL, clock: Pick<Clock, 'during'>): Rows {
  let worker: Worker | null = null
  let next = 0
  const waiting = new Map<number, Waiting>()

  const start = (): Worker => {
    if (worker !== null) return worker
    const started = new Worker(workerUrl, { name: 'rows' })
    started.on('message', (response: RowsResponse) => {
      const call = waiting.get(response.id)
      waiting.delete(response.id)
      if ('defect' in response) call?.reject(new Error(response.defect))
      else call?.resolve(response.value)
      if (waiting.size === 0) started.unref()
    })
    const fail = (cause: Error): void => {
      if (worker === started) worker = null
      for (const call of waiting.values()) call.reject(cause)
      waiting.clear()
    }
    started.on('error', fail)
    started.on('exit', () => {
      fail(new Error('The rows worker has ended.'))
    })
    worker = started
    return started
  }

  const ask = (
    method: RowsMethod,
    args: readonly unknown[],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<unknown> => {
    const running = start()
    running.ref()
    const id = (next += 1)
    const request: RowsRequest = { id, method, args }
    return clock.during(
      new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        running.postMessage(request, [...transfer])
      }),
    )
  }

  /** Turns a crash of the worker into an error. Whatever it held must be read again. */
  const askSafely = async <T>(
    method: RowsMethod,
    args: readonly unknown[],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Result<T>> => {
    try {
      return (await ask(method, args, transfer)) as Result<T>
    } catch (cause) {
      return err(
        appError(
          'internal',
          'The response couldn’t be processed.',
          'Get it again. If that fails, request less at once.',
          {
            raw: cause instanceof Error ? cause.message : String(cause),
          },
        ),
      )
    }
  }

  /** The last call with bytes, by set. */
  const lastBytes = new Map<string, Promise<unknown>>()
  /**
   * Sends a set's bytes one block at a time. A call from the window then waits for one block, not for all that have
   * arrived.
   */
  const afterBytes = <T>(setId: string, next: () => Promise<Result<T>>): Promise<Result<T>> => {
    const result = (lastBytes.get(setId) ?? Promise.resolve()).then(next)
    lastBytes.set(setId, result)
    void result.then(() => {
      if (lastBytes.get(setId) === result) lastBytes.delete(setId)
    })
    return result
  }

  const buffersOf = (raw: RawResponse): ArrayBuffer[] => raw.blocks.map((block) => block.buffer)

  const plain = Object.fromEntries(
    PLAIN.map((method) => [method, (...args: readonly unknown[]) => askSafely(method, args)]),
  ) as unknown as Pick<Rows, (typeof PLAIN)[number]>
  const closing = Object.fromEntries(
    CLOSING.map((method) => [method, (id: string) => ask(method, [id])]),
  ) as Pick<Rows, (typeof CLOSING)[number]>

  return {
    ...plain,
    ...closing,
    openSet: () => ask('openSet', []) as Promise<string>,
    addBytes: (setId, bytes) =>
      afterBytes(setId, () => askSafely('addBytes', [setId, bytes], [bytes.buffer])),
    keepBegun: (setId) => afterBytes(setId, () => askSafely('keepBegun', [setId])),
    addPage: (setId, raw) => afterBytes(setId, () => askSafely('addPage', [setId, raw], buffersOf(raw))),
    openReport: (name, raw) => askSafely('openReport', [name, raw], buffersOf(raw)),
    addReportPage: (reportId, raw) => askSafely('addReportPage', [reportId, raw], buffersOf(raw)),
    async close() {
      await worker?.terminate()
      worker = null
    },
  }
}
