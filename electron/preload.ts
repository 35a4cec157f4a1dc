/**
 * The bridge: one `call`, one `on`, nothing else. The main process checks names and shapes (`electron/shell/ipc.ts`). A
 * sandboxed preload is one CommonJS bundle.
 */
import { contextBridge, ipcRenderer } from 'electron'
import { type Bridge, CALL_CHANNEL, EVENT_CHANNEL } from '../shared/contract/channels.ts'

const listeners = new Map<string, Set<(payload: unknown) => void>>()

ipcRenderer.on(EVENT_CHANNEL, (_event, name: unknown, payload: unknown) => {
  if (typeof name !== 'string') return
  for (const listener of listeners.get(name) ?? []) listener(payload)
})

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke(CALL_CHANNEL, name, input),
  on(event, listener) {
    const known = listeners.get(event) ?? new Set()
    known.add(listener)
    listeners.set(event, known)
    return () => {
      known.delete(listener)
    }
  },
}

contextBridge.exposeInMainWorld('bookbridge', bridge)
