/** A gap of the host is an error with a name, never an `undefined` that goes on to mean something. */
import { EventEmitter } from 'node:events'

/** Names that JavaScript and its inspectors look up on anything. */
const ASKED_OF_ANYTHING = new Set(['then', 'toJSON', 'constructor', 'inspect', 'nodeType', '$$typeof'])

function mayBeMissing(key: string | symbol): boolean {
  return typeof key === 'symbol' || key.startsWith('_') || ASKED_OF_ANYTHING.has(key)
}

/** The object as it is; looking up a name that it does not have throws, saying which. */
export function strict<T extends object>(what: string, object: T): T {
  return new Proxy(object, {
    get: (target, key, receiver) => {
      if (key in target || mayBeMissing(key)) return Reflect.get(target, key, receiver) as unknown
      throw new Error(`The Chromium host has no ${what}.${String(key)}`)
    },
  })
}

/** An emitter of named events; any other event and any missing member throw by name. */
export class HostEmitter extends EventEmitter {
  constructor(what: string, events: readonly string[]) {
    super()
    this.setMaxListeners(0)
    const known = new Set<string | symbol>([...events, 'newListener', 'removeListener'])
    this.on('newListener', (event: string | symbol) => {
      if (!known.has(event)) throw new Error(`The Chromium host has no event ${String(event)} of ${what}`)
    })
  }
}

/** An object without events; any missing member throws by name. */
export class HostObject {
  get [Symbol.toStringTag](): string {
    return this.constructor.name
  }
}

/** Puts a last stop behind a class: a name that no instance, class or ancestor has comes here. */
function endOfChain(ancestor: object): object {
  return new Proxy(Object.create(ancestor) as object, {
    get: (target, key, receiver: object) => {
      if (key in target || mayBeMissing(key)) return Reflect.get(target, key, receiver) as unknown
      throw new Error(`The Chromium host has no ${receiver.constructor.name}.${String(key)}`)
    },
  })
}

Object.setPrototypeOf(HostEmitter.prototype, endOfChain(EventEmitter.prototype))
Object.setPrototypeOf(HostObject.prototype, endOfChain(Object.prototype))

/** Electron's event object: one thing to do with it, and whether it was done. */
export class HostEvent {
  defaultPrevented = false
  preventDefault = (): void => {
    this.defaultPrevented = true
  }
}
