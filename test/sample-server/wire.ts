// How an answer is put on the wire, whole or with a fault in it.
import { type ServerResponse } from 'node:http'

/** How an answer leaves. */
export type Delivery =
  | { readonly kind: 'whole' }
  | { readonly kind: 'drop' | 'reset' | 'nothing' | 'headOnly' }
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'truncate'; readonly share: number; readonly abruptly: boolean }

/** Sends an answer; settles when all that will ever be sent was handed over. */
export async function deliver(answer: Response, target: ServerResponse, delivery: Delivery): Promise<void> {
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
      return
    case 'trickle':
      head(answer, target, body.byteLength)
      await trickle(body, target, delivery.bytes, delivery.everyMs)
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

async function trickle(body: Buffer, target: ServerResponse, bytes: number, everyMs: number): Promise<void> {
  let offset = 0
  for (; offset + bytes < body.byteLength && !target.destroyed; offset += bytes) {
    target.write(body.subarray(offset, offset + bytes))
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  // The caller has the whole answer with its last byte, so the request is no longer at work then.
  target.end(body.subarray(offset))
}
