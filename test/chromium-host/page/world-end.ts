/**
 * One end of the channel between the page's main world and the preload's isolated world. The worlds share the document
 * but no objects. A `CustomEvent` on an element that both have is delivered synchronously, with its detail cloned.
 * Functions, promises, and errors can't be cloned, so they are represented by numbers. Both ends use the same code. It
 * is sent to the page as source text, so it uses nothing from outside itself.
 */

export interface WorldEnd {
  /** Passes a value to the other end under a name. */
  readonly give: (name: string, value: unknown) => void
}

type Foreign = (...values: readonly unknown[]) => unknown

interface Token {
  readonly $world: 'function' | 'promise' | 'error'
  readonly id: number
  readonly message: string
}

type Passage =
  | { readonly kind: 'give'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'call'; readonly id: number; readonly call: number; readonly values: unknown }
  | { readonly kind: 'answer'; readonly call: number; readonly failed: boolean; readonly value: unknown }
  | { readonly kind: 'settle'; readonly id: number; readonly failed: boolean; readonly value: unknown }

interface Settlers {
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/**
 * @param mine the event name that this end listens to
 * @param theirs the event name that the other end listens to
 * @param receive handles a value that the other end passes
 */
export function makeWorldEnd(
  meeting: EventTarget,
  mine: string,
  theirs: string,
  receive: (name: string, value: unknown) => void,
): WorldEnd {
  const functions = new Map<number, Foreign>()
  const numbers = new Map<Foreign, number>()
  const promised = new Map<number, Settlers>()
  const answers = new Map<number, { readonly failed: boolean; readonly value: unknown }>()
  let last = 0

  const send = (passage: Passage): void => {
    meeting.dispatchEvent(new CustomEvent(theirs, { detail: passage }))
  }

  /**
   * Values with at least this many bytes are transferred through a port, which takes one more task, instead of being
   * copied twice.
   */
  const large = 64 * 1024
  let port: MessagePort | undefined
  const sendMoved = (passage: Passage, buffers: readonly ArrayBuffer[]): void => {
    if (port === undefined) {
      const channel = new MessageChannel()
      port = channel.port1
      meeting.dispatchEvent(new MessageEvent(theirs, { ports: [channel.port2] }))
    }
    port.postMessage(passage, [...buffers])
  }

  const isPlain = (value: object): boolean => {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype || prototype === null
  }

  const token = ($world: Token['$world'], id: number, message = ''): Token => ({ $world, id, message })

  /** @param buffers receives the buffers of large byte arrays, to transfer them; without it, everything is copied */
  const pack = (value: unknown, buffers?: Set<ArrayBuffer>): unknown => {
    if (typeof value === 'function') {
      const own = value as Foreign
      const id = numbers.get(own) ?? ++last
      numbers.set(own, id)
      functions.set(id, own)
      return token('function', id)
    }
    if (value === null || typeof value !== 'object') return value
    if (value instanceof Promise) {
      const id = ++last
      value.then(
        (settled: unknown) => {
          const moved = new Set<ArrayBuffer>()
          const passage: Passage = { kind: 'settle', id, failed: false, value: pack(settled, moved) }
          if (moved.size > 0) sendMoved(passage, [...moved])
          else send(passage)
        },
        (reason: unknown) => send({ kind: 'settle', id, failed: true, value: pack(reason) }),
      )
      return token('promise', id)
    }
    if (value instanceof Error) return token('error', 0, value.message)
    if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.length >= large)
      buffers?.add(value.buffer)
    if (Array.isArray(value)) return value.map((held) => pack(held, buffers))
    if (!isPlain(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, pack(held, buffers)]))
  }

  const unpack = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(unpack)
    if (!isPlain(value)) return value
    if ('$world' in value) return unpackToken(value as Token)
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, unpack(held)]))
  }

  const unpackToken = ({ $world, id, message }: Token): unknown => {
    if ($world === 'error') return new Error(message)
    if ($world === 'promise') {
      return new Promise((resolve, reject) => promised.set(id, { resolve, reject }))
    }
    return (...values: readonly unknown[]): unknown => {
      const call = ++last
      send({ kind: 'call', id, call, values: pack(values) })
      const answer = answers.get(call)
      answers.delete(call)
      if (answer?.failed === true) throw answer.value
      return answer?.value
    }
  }

  const answerCall = (id: number, call: number, values: unknown): void => {
    try {
      const value = functions.get(id)?.(...(unpack(values) as readonly unknown[]))
      send({ kind: 'answer', call, failed: false, value: pack(value) })
    } catch (error) {
      send({ kind: 'answer', call, failed: true, value: pack(error) })
    }
  }

  const hear = (passage: Passage): void => {
    if (passage.kind === 'give') receive(passage.name, unpack(passage.value))
    else if (passage.kind === 'call') answerCall(passage.id, passage.call, passage.values)
    else if (passage.kind === 'answer') {
      answers.set(passage.call, { failed: passage.failed, value: unpack(passage.value) })
    } else {
      const settlers = promised.get(passage.id)
      promised.delete(passage.id)
      if (passage.failed) settlers?.reject(unpack(passage.value))
      else settlers?.resolve(unpack(passage.value))
    }
  }

  meeting.addEventListener(mine, (event) => {
    const [theirPort] = event instanceof MessageEvent ? event.ports : []
    if (theirPort === undefined) hear((event as CustomEvent<Passage>).detail)
    else theirPort.onmessage = ({ data }) => hear(data as Passage)
  })

  return { give: (name, value) => send({ kind: 'give', name, value: pack(value) }) }
}
