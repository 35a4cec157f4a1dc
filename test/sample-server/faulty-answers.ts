// Applies a fault: around the service's own work, and in how the response is sent.
import { alteredAnswer } from './altered-answers.ts'
import { type Fault } from './faults.ts'
import { type Delivery, type Waits } from './wire.ts'

/** A response and how it is sent. */
export interface FaultyAnswer {
  readonly answer: Response
  readonly delivery: Delivery
}

const WHOLE: Delivery = { kind: 'whole' }
const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1>' +
  '<form method="post"><label>User name <input name="user"></label></form></body></html>'

/**
 * Does the work with a fault.
 * @param callerGone settles when the caller has disconnected
 * @param page the requested page
 * @param sendEarly sends something during the work
 */
export async function answerWithFault(
  fault: Fault | undefined,
  work: () => Promise<Response>,
  callerGone: Promise<unknown>,
  page: number,
  waits: Waits,
  sendEarly: (early: FaultyAnswer) => Promise<void>,
): Promise<FaultyAnswer> {
  if (fault === undefined) return { answer: await work(), delivery: WHOLE }
  const whole = (answer: Response): FaultyAnswer => ({ answer, delivery: WHOLE })
  switch (fault.kind) {
    case 'drop':
    case 'reset':
      if (fault.when === 'after') await work()
      return { answer: nothing(), delivery: { kind: fault.kind } }
    case 'cutOff': {
      const { status } = fault
      await sendEarly(
        status === undefined ? { answer: nothing(), delivery: { kind: 'drop' } } : whole(gatewayPage(status)),
      )
      await waits.sleep(fault.workMs)
      await work()
      return { answer: nothing(), delivery: { kind: 'nothing' } }
    }
    case 'hang':
      if (fault.when === 'after') await work()
      if (fault.workMs === undefined) waits.silent(false)
      await (fault.workMs === undefined ? callerGone : waits.sleep(fault.workMs))
      return { answer: nothing(), delivery: { kind: 'nothing' } }
    case 'silence':
      return { answer: await work(), delivery: { kind: 'headOnly' } }
    case 'trickle': {
      const { bytes = 64, everyMs = 100 } = fault
      return { answer: await work(), delivery: { kind: 'trickle', bytes, everyMs } }
    }
    case 'truncate': {
      const { share = 0.5, abruptly = false } = fault
      return { answer: await work(), delivery: { kind: 'truncate', share, abruptly } }
    }
    case 'slow': {
      if (fault.when !== 'after') await waits.sleep(fault.milliseconds)
      const answer = await work()
      if (fault.when === 'after') await waits.sleep(fault.milliseconds)
      return whole(answer)
    }
    case 'html':
      if (fault.when !== 'before') await work()
      return whole(loginPage(fault.status ?? 200))
    case 'status':
      if (fault.when === 'after') await work()
      return whole(statusAnswer(fault))
    case 'redirect':
      if (fault.when === 'after') await work()
      return whole(
        new Response(`<html><body><a href="${fault.location}">Moved</a></body></html>`, {
          status: fault.status ?? 302,
          headers: { location: fault.location, 'content-type': 'text/html' },
        }),
      )
    case 'body': {
      if (fault.when !== 'before') await work()
      const headers = { 'content-type': fault.contentType ?? 'application/json' }
      return whole(answerOf(fault.text, fault.status ?? 200, new Headers(headers)))
    }
    default: {
      const answer = await work()
      return whole((await alteredAnswer(fault, answer, page)) ?? answer)
    }
  }
}

function statusAnswer(fault: Extract<Fault, { kind: 'status' }>): Response {
  const headers = new Headers()
  if (fault.retryAfter !== undefined) headers.set('retry-after', String(fault.retryAfter))
  if (fault.body === 'empty') return new Response(null, { status: fault.status, headers })
  if (fault.body === 'html') {
    headers.set('content-type', 'text/html')
    return answerOf(LOGIN_PAGE, fault.status, headers)
  }
  headers.set('content-type', 'application/json')
  const words = `The service answered with status ${String(fault.status)}.`
  const errors = [{ Code: String(fault.status), Severity: 'Error', Message: words, Detail: '' }]
  const envelope = {
    Self: null,
    Kind: 'collection',
    Page: 1,
    MoreData: null,
    HasErrors: true,
    RequestId: 'fault',
    Contents: [],
    Errors: errors,
  }
  return answerOf(JSON.stringify(envelope), fault.status, headers)
}

function gatewayPage(status: number): Response {
  const words = `<html><head><title>${String(status)}</title></head><body><h1>Upstream trouble</h1></body></html>`
  return answerOf(words, status, new Headers({ 'content-type': 'text/html' }))
}

function loginPage(status: number): Response {
  return answerOf(LOGIN_PAGE, status, new Headers({ 'content-type': 'text/html; charset=utf-8' }))
}

/** A response with this text, or without a body if the status allows none. */
function answerOf(text: string, status: number, headers: Headers): Response {
  return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
}

function nothing(): Response {
  return new Response(null, { status: 204 })
}
