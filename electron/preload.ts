/**
 * The bridge: one `call`, one `on`, nothing else. It knows the names alone; shapes are checked at the main side. A
 * sandboxed preload is one CommonJS bundle, and this one has no schemas in it.
 */
import { contextBridge, ipcRenderer } from 'electron'
import {
  CALL_CHANNEL,
  CALL_NAMES,
  EVENT_CHANNEL,
  EVENT_NAMES,
  type Bridge,
} from '../shared/contract/channels.ts'

const calls: ReadonlySet<string> = new Set(CALL_NAMES)
const events: ReadonlySet<string> = new Set(EVENT_NAMES)
const listeners = new Map<string, Set<(payload: unknown) => void>>()

ipcRenderer.on(EVENT_CHANNEL, (_event, name: unknown, payload: unknown) => {
  if (typeof name !== 'string') return
  for (const listener of listeners.get(name) ?? []) listener(payload)
})

const bridge: Bridge = {
  call(name, input) {
    if (!calls.has(name)) return Promise.reject(new Error('No such call.'))
    return ipcRenderer.invoke(CALL_CHANNEL, name, input)
  },
  on(event, listener) {
    if (!events.has(event)) throw new Error('No such event.')
    const known = listeners.get(event) ?? new Set()
    known.add(listener)
    listeners.set(event, known)
    return () => {
      known.delete(listener)
    }
  },
}

contextBridge.exposeInMainWorld('bookbridge', bridge)
