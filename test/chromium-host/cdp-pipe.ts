/**
 * Chromium's DevTools protocol (CDP): over the two pipes of `--remote-debugging-pipe`, as JSON messages terminated by
 * NUL, or over a WebSocket to a shared Chromium. A pipe needs no port, and Chromium exits when it closes, however the
 * host ended.
 */
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Answer, Command, EventName, EventPayload, Parameters } from './protocol.ts'

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly command: string
}

/** A received message: a response (with `id`) or an event (with `method`). */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

/** A transport for messages. */
interface Wire {
  readonly send: (text: string) => void
  readonly onText: (listener: (text: string) => void) => void
  readonly onClose: (listener: () => void) => void
}

/** `output` goes to Chromium (its descriptor 3), `input` comes from it (its descriptor 4). */
export function pipeWire(output: Writable, input: Readable): Wire {
  return {
    send: (text) => void output.write(`${text}\0`),
    onText: (listener) => {
      let pieces: Buffer[] = []
      input.on('data', (chunk: Buffer) => {
        let start = 0
        for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
          pieces.push(chunk.subarray(start, end))
          listener(Buffer.concat(pieces).toString('utf8'))
          pieces = []
          start = end + 1
        }
        if (start < chunk.length) pieces.push(chunk.subarray(start))
      })
    },
    onClose: (listener) => {
      input.on('close', listener)
      // Writing to a browser that has just exited is not a defect: `close` follows.
      output.on('error', listener)
      input.on('error', listener)
    },
  }
}

/** Resolves once the WebSocket is open. */
export async function socketWire(address: string): Promise<Wire> {
  const socket = new WebSocket(address)
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened)
    socket.addEventListener('error', () => failed(new Error(`There is no Chromium at ${address}`)))
  })
  return {
    send: (text) => socket.send(text),
    onText: (listener) => socket.addEventListener('message', ({ data }) => listener(String(data))),
    onClose: (listener) => socket.addEventListener('close', listener),
  }
}

/** A CDP session with the browser or with one of its pages. */
export class CdpSession {
  readonly #pipe: CdpPipe
  readonly #id: string | undefined
  readonly #events = new EventEmitter()

  constructor(pipe: CdpPipe, id: string | undefined) {
    this.#pipe = pipe
    this.#id = id
    this.#events.setMaxListeners(0)
  }

  /** Sends a command. Rejects with Chromium's error message, or if the browser or the page has closed. */
  send<C extends Command>(command: C, parameters?: Parameters<C>): Promise<Answer<C>> {
    return this.#pipe.send(command, parameters, this.#id) as Promise<Answer<C>>
  }

  /** Sends a command and ignores its failure, which only means that the page has closed. */
  tell<C extends Command>(command: C, parameters?: Parameters<C>): void {
    this.send(command, parameters).catch(() => undefined)
  }

  on<E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void): void {
    this.#events.on(event, listener)
  }

  /** Called by the pipe: passes an event to the listeners. */
  deliver(event: string, payload: unknown): void {
    this.#events.emit(event, payload)
  }
}

export class CdpPipe {
  readonly browser: CdpSession
  readonly #wire: Wire
  readonly #waiting = new Map<number, Waiting>()
  readonly #sessions = new Map<string, CdpSession>()
  #lastId = 0
  #closed = false

  constructor(wire: Wire) {
    this.#wire = wire
    this.browser = new CdpSession(this, undefined)
    wire.onText((text) => this.#receive(text))
    wire.onClose(() => this.#close())
  }

  onClose(listener: () => void): void {
    this.#wire.onClose(listener)
  }

  session(id: string): CdpSession {
    let session = this.#sessions.get(id)
    if (!session) {
      session = new CdpSession(this, id)
      this.#sessions.set(id, session)
    }
    return session
  }

  send(command: string, parameters: unknown, sessionId: string | undefined): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error(`${command}: Chromium has ended`))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, command })
      this.#wire.send(JSON.stringify({ id, method: command, params: parameters, sessionId }))
    })
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as Message
    if (message.id !== undefined) {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error) waiting?.reject(new Error(`${waiting.command}: ${message.error.message}`))
      else waiting?.resolve(message.result)
      return
    }
    const session = message.sessionId === undefined ? this.browser : this.session(message.sessionId)
    if (message.method !== undefined) session.deliver(message.method, message.params)
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const { reject, command } of this.#waiting.values()) {
      reject(new Error(`${command}: Chromium has ended`))
    }
    this.#waiting.clear()
  }
}
