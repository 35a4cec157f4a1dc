/**
 * Makes access to a missing member of the host an error that names it, instead of `undefined`, which could pass for an
 * answer.
 */
import { EventEmitter } from 'node:events'

/** Names that JavaScript and its inspectors look up on any object. */
const ASKED_OF_ANYTHING = new Set(['then', 'toJSON', 'constructor', 'inspect', 'nodeType', '$$typeof'])

function mayBeMissing(key: string | symbol): boolean {
  return typeof key === 'symbol' || key.startsWith('_') || ASKED_OF_ANYTHING.has(key)
}

/** Returns the object unchanged, except that reading an unknown name throws an error that names it. */
export function strict<T extends object>(what: string, object: T): T {
  return new Proxy(object, {
    get: (target, key, receiver) => {
      if (key in target || mayBeMissing(key)) return Reflect.get(target, key, receiver) as unknown
      throw new Error(`The Chromium host has no ${what}.${String(key)}`)
    },
  })
}

/** An emitter of named events. Other events and missing members throw with their name. */
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

/** An object without events. Missing members throw with their name. */
export class HostObject {
  get [Symbol.toStringTag](): string {
    return this.constructor.name
  }
}

/** Ends the prototype chain of a class with an object that handles names that no instance, class, or ancestor has. */
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

/** Electron's event object, with `preventDefault` and `defaultPrevented`. */
export class HostEvent {
  defaultPrevented = false
  preventDefault = (): void => {
    this.defaultPrevented = true
  }
}
