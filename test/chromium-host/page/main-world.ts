/**
 * Runs in the page's own world before its scripts. Puts what the preload exposes on `window`, frozen, as Electron's
 * contextBridge does. It is sent to the page as source text, so it uses nothing from outside itself.
 */
import type { makeWorldEnd } from './world-end.ts'

/** @param meetingEvent the event with which the isolated world passes the element that carries messages */
export function mainWorld(meetingEvent: string, makeEnd: typeof makeWorldEnd): void {
  if (window !== window.top) return

  const freeze = (value: unknown): unknown => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value
    for (const held of Object.values(value)) freeze(held)
    return Object.freeze(value)
  }

  window.addEventListener(
    meetingEvent,
    (event) => {
      event.stopImmediatePropagation()
      const meeting = (event as MouseEvent).relatedTarget
      if (!meeting) return
      makeEnd(meeting, 'to-main-world', 'to-isolated-world', (name, value) => {
        Object.defineProperty(window, name, { value: freeze(value), enumerable: true })
      })
    },
    { once: true, capture: true },
  )
}
