/** `WebFrameMain`: the frame of a page, which identifies the sender of a message. */

/** The frame that a message came from. Only the main frame has a preload here. */
export interface HostFrame {
  readonly url: string
  readonly origin: string
  readonly parent: null
  readonly top: HostFrame
  readonly processId: number
  readonly routingId: number
  readonly frameTreeNodeId: number
  readonly detached: boolean
  readonly isDestroyed: () => boolean
}

/** The main frame of a page whose address changes. */
export function makeFrame(id: number, address: () => string, isDestroyed: () => boolean): HostFrame {
  const frame: HostFrame = {
    get url() {
      return address()
    },
    // Not `new URL(…).origin`, which is "null" for a scheme that Node doesn't know.
    get origin() {
      return /^[a-z][a-z0-9+-]*:\/\/[^/?#]*/i.exec(address())?.[0] ?? 'null'
    },
    parent: null,
    get top() {
      return frame
    },
    processId: id,
    routingId: 1,
    frameTreeNodeId: id,
    get detached() {
      return isDestroyed()
    },
    isDestroyed,
  }
  return frame
}
