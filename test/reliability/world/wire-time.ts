/**
 * Virtual time over real sockets. It stands still while a request or a response is in transit and while the service
 * works, however long a busy machine takes. It advances only while the service waits, too: for a time of its own, or
 * for the caller to disconnect.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Fetch } from '../../../electron/service/transport/transport.ts'
import type { ServerTime } from '../../sample-server/server.ts'
import type { VirtualClock } from '../../virtual-clock.ts'

/** The header that identifies the request to the service. */
const HEADER = 'x-exchange'

/** One request, as its caller and the service see it. */
interface Exchange {
  /** The caller still waits for the answer or its end. */
  isAwaited: boolean
  hasHead: boolean
  isAtService: boolean
  /** What the service waits for before it continues. */
  waits: number
  /** The service sends nothing else, or nothing after the headers. */
  silence: 'none' | 'whole' | 'after head'
  /** Lets time advance again. */
  release: (() => void) | null
}

export class WireTime implements ServerTime {
  readonly #clock: VirtualClock
  readonly #exchanges = new Map<string, Exchange>()
  #count = 0

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** Wraps a transport so that its requests stop time. */
  over(transport: Fetch): Fetch {
    return async (input, init = {}) => {
      const name = String((this.#count += 1))
      const exchange = this.#exchange(name)
      const end = (): void => {
        exchange.isAwaited = false
        this.#update(name, exchange)
      }
      exchange.isAwaited = true
      this.#update(name, exchange)
      try {
        const headers = { ...Object.fromEntries(new Headers(init.headers)), [HEADER]: name }
        const { body, status, headers: answered } = await transport(input, { ...init, headers })
        exchange.hasHead = true
        this.#update(name, exchange)
        if (body === null) end()
        return new Response(body && watched(body, end), { status, headers: answered })
      } catch (error) {
        end()
        throw error
      }
    }
  }

  now(): number {
    return this.#clock.now()
  }

  after(headers: IncomingHttpHeaders | null, milliseconds: number, callback: () => void): () => void {
    // The service works on one request at a time.
    const names = headers === null ? [...this.#exchanges.keys()] : [nameOf(headers)]
    const exchanges = names.flatMap((name) => {
      const exchange = this.#exchanges.get(name)
      return exchange?.isAtService === true && exchange.waits === 0 ? [{ name, exchange }] : []
    })
    const count = (change: 1 | -1): void => {
      for (const { name, exchange } of exchanges) {
        exchange.waits += change
        this.#update(name, exchange)
      }
    }
    count(1)
    const cancel = this.#clock.after(milliseconds, () => {
      count(-1)
      callback()
    })
    return () => {
      count(-1)
      cancel()
    }
  }

  arrived(headers: IncomingHttpHeaders): void {
    this.#change(headers, { isAtService: true })
  }

  silent(headers: IncomingHttpHeaders, afterHead: boolean): void {
    this.#change(headers, { silence: afterHead ? 'after head' : 'whole' })
  }

  ended(headers: IncomingHttpHeaders): void {
    this.#change(headers, { isAtService: false })
  }

  #exchange(name: string): Exchange {
    const made: Exchange = {
      isAwaited: false,
      hasHead: false,
      isAtService: false,
      waits: 0,
      silence: 'none',
      release: null,
    }
    const exchange = this.#exchanges.get(name) ?? made
    this.#exchanges.set(name, exchange)
    return exchange
  }

  #change(headers: IncomingHttpHeaders, change: Partial<Exchange>): void {
    const name = nameOf(headers)
    // The test itself also makes requests to the service.
    if (name !== '') this.#update(name, Object.assign(this.#exchange(name), change))
  }

  #update(name: string, exchange: Exchange): void {
    const { isAwaited, hasHead, isAtService, waits, silence } = exchange
    const isSilent = silence === 'whole' || (silence === 'after head' && hasHead)
    // A service that notices that its caller has disconnected still has to end the request.
    const isOnItsWay = waits === 0 && (isAwaited ? !isSilent : isAtService)
    if (isOnItsWay && exchange.release === null) {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      exchange.release = () => {
        resolve(undefined)
      }
      void this.#clock.during(promise)
    }
    if (!isOnItsWay) {
      exchange.release?.()
      exchange.release = null
    }
    if (!isAwaited && !isAtService) this.#exchanges.delete(name)
  }
}

function nameOf(headers: IncomingHttpHeaders): string {
  const name = headers[HEADER]
  return typeof name === 'string' ? name : ''
}

/** Passes the bytes on unchanged. `end` is called when all were read, the stream failed, or the reader stopped. */
function watched(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) {
          controller.enqueue(value)
          return
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      end()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
}
