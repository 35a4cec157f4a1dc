/** A server on this computer only, for the services that specs create. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export class LoopbackServer {
  readonly #server: Server

  constructor(answer: RequestListener) {
    this.#server = createServer(answer)
  }

  /** On a free port. */
  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
  }

  /** Resolves once it listens. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }
}
