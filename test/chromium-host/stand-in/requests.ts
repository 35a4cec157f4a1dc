/** Answers the requests of a page with the program's own protocol handlers, and refuses all others. */
import type { Protocol } from '../protocol.ts'
import { toProgramAddress } from './addresses.ts'
import type { HostSession, RequestDetails } from './session.ts'

type PausedRequest = Protocol.Fetch.requestPausedPayload

const RESOURCE_TYPES: Readonly<Record<string, RequestDetails['resourceType']>> = {
  Document: 'mainFrame',
  Stylesheet: 'stylesheet',
  Script: 'script',
  Image: 'image',
  Font: 'font',
  Media: 'media',
  XHR: 'xhr',
  Fetch: 'xhr',
  Ping: 'ping',
  WebSocket: 'webSocket',
}

/** Returns the program's response; undefined if it has none or refuses. If the handler throws, the request fails. */
export async function answerRequest(
  session: HostSession,
  webContentsId: number,
  paused: PausedRequest,
): Promise<Response | undefined> {
  const { method, headers, postData } = paused.request
  const url = toProgramAddress(paused.request.url)
  // Chromium's own request for a tab that isn't shown. Electron makes none.
  if (/^[a-z]+:\/\/[^/]+\/favicon\.ico$/.test(url)) return new Response(null, { status: 204 })
  const details: RequestDetails = {
    id: Number.parseInt(paused.requestId.replace(/\D/g, ''), 10) || 0,
    url,
    method,
    resourceType: RESOURCE_TYPES[paused.resourceType] ?? 'other',
    timestamp: Date.now(),
    webContentsId,
  }
  if (!(await session.webRequest.allows(details))) return undefined
  const scheme = url.slice(0, url.indexOf(':'))
  try {
    const body = postData === undefined ? {} : { body: postData }
    const response = await session.protocol.answer(scheme, new Request(url, { method, headers, ...body }))
    return response && (await session.webRequest.received(details, response))
  } catch (error) {
    process.stderr.write(`The handler of ${url} failed: ${String(error)}\n`)
    return undefined
  }
}
