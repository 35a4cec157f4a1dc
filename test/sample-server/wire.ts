// How a response is sent, complete or with a fault.
import { type ServerResponse } from 'node:http'

/** How a response is sent. */
export type Delivery =
  | { readonly kind: 'whole' }
  | { readonly kind: 'drop' | 'reset' | 'nothing' | 'headOnly' }
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'truncate'; readonly share: number; readonly abruptly: boolean }

/** How a request is kept waiting. */
export interface Waits {
  sleep(milliseconds: number): Promise<void>
  /** Sends nothing else until the caller disconnects. @param afterHead status and headers were sent before */
  silent(afterHead: boolean): void
}

/** Sends a response. Resolves when everything was passed to the socket. */
export async function deliver(
  answer: Response,
  target: ServerResponse,
  delivery: Delivery,
  waits: Waits,
): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  switch (delivery.kind) {
    case 'nothing':
      return
    case 'drop':
      target.destroy()
      return
    case 'reset':
      target.socket?.resetAndDestroy()
      return
    case 'whole':
      head(answer, target, body.byteLength)
      target.end(body)
      return
    case 'headOnly':
      head(answer, target, body.byteLength)
      target.flushHeaders()
      waits.silent(true)
      return
    case 'trickle':
      head(answer, target, body.byteLength)
      await trickle(body, target, delivery, waits)
      return
    case 'truncate': {
      const part = body.subarray(0, Math.floor(body.byteLength * delivery.share))
      head(answer, target, delivery.abruptly ? body.byteLength : part.byteLength)
      if (!delivery.abruptly) {
        target.end(part)
        return
      }
      target.write(part, () => {
        target.destroy()
      })
    }
  }
}

function head(answer: Response, target: ServerResponse, length: number): void {
  const lengths = answer.status === 204 ? {} : { 'content-length': String(length) }
  target.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...lengths })
}

async function trickle(
  body: Buffer,
  target: ServerResponse,
  { bytes, everyMs }: Extract<Delivery, { kind: 'trickle' }>,
  waits: Waits,
): Promise<void> {
  let offset = 0
  for (; offset + bytes < body.byteLength && !target.destroyed; offset += bytes) {
    target.write(body.subarray(offset, offset + bytes))
    await waits.sleep(everyMs)
  }
  // With the last byte, the caller has the complete response, so the request is no longer running.
  target.end(body.subarray(offset))
}
