import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/service/queue/scheduler.ts': [
    {
      breaks: 'two requests of one queue run at once',
      text: 'if (queue.running !== null) return\n',
      instead: '',
    },
    {
      breaks: 'a blocked queue starts the next request',
      text: 'if (left > 0) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a slot that ended earlier releases another slot’s queue',
      text: 'if (queue.running !== entry) return',
      instead: '',
    },
    {
      breaks: 'two keys write to one company at once',
      text: 'return [...siblings, ...others.filter(isOfBooks)]',
      instead: 'return siblings',
    },
    {
      breaks: 'the queue is not blocked after a lost response',
      text: 'blockQueue(queue, storage, clock, { entry, cooldown, grace })',
      instead: '',
    },
    {
      breaks: 'a request is sent without a block on disk',
      text: 'const written = storage.block(entry.queueKey, block)',
      instead: 'const written = ok(undefined)',
    },
    {
      breaks: 'the block on disk lacks the grace period',
      text: 'const until = deadlineAt + this.#options.graceMilliseconds()',
      instead: 'const until = deadlineAt',
    },
    {
      breaks: 'an answered request leaves its queue blocked for the next run',
      text: 'this.#options.storage.unblock(entry.queueKey)',
      instead: '',
    },
    {
      breaks: 'the second request of a slot does not wait for the first',
      text: 'const until = Math.max(now, cooldown.until) + this.#options.graceMilliseconds()',
      instead: 'const until = now',
    },
    {
      breaks: 'a pause within a slot is not on disk',
      text: 'storage.block(entry.queueKey, {\n      at: now,',
      instead: 'void ({\n      at: now,',
    },
    {
      breaks: 'a stopped request gets a slot',
      text: 'if (entry.isStopped) return Promise.resolve(err(STOPPED))',
      instead: '',
    },
    {
      breaks: 'a request that has left stays in the queue',
      text: 'if (at >= 0) queue.entries.splice(at, 1)',
      instead: '',
    },
    {
      breaks: 'a request that was stopped while it waited starts later',
      text: 'entry.begin = null\n    entry.endBackOff = null',
      instead: 'entry.endBackOff = null',
    },
    {
      breaks: 'a pause within a slot can’t be stopped',
      text: 'await Promise.race([pause.promise, ticket.stopped])',
      instead: 'await pause.promise',
    },
    {
      breaks: 'nothing continues after a pause',
      text: 'if (this.#pauses.lift(connectionId)) this.#resumed(connectionId)',
      instead: 'pauses.lift(connectionId)',
    },
    {
      breaks: 'a write is sent on a paused connection',
      text: "if (request.priority !== 'interactive' || request.isWrite) return false",
      instead: "if (request.priority !== 'interactive') return false",
    },
    {
      breaks: 'waiting requests are sent with a refused key',
      text: 'return pause.byKey === null || order > pause.byKey.lastOrder',
      instead: 'return true',
    },
    {
      breaks: 'an accepted key lifts the user’s pause',
      text: 'if (before.byPerson === null) return this.#paused.delete(connectionId)',
      instead: 'return this.#paused.delete(connectionId)',
    },
  ],
  'electron/service/queue/request-queue.ts': [
    {
      breaks: 'an urgent write overtakes an older one to the same company',
      text: 'return least(entries, isSameBooks, (left, right) => left.order - right.order)',
      instead: 'return first',
    },
    {
      breaks: 'batch work goes before what a user waits for',
      text: "return left.request.priority === 'interactive' ? -1 : 1",
      instead: 'return left.order - right.order',
    },
    {
      breaks: 'two connections to the same books lose the order of writes',
      text: 'entry.request.company?.endpointId === company.endpointId',
      instead: 'entry.request.company === company',
    },
    {
      breaks: 'a read of a company takes the place of a write',
      text: 'isSameBooks = (entry: Entry): boolean =>\n    entry.request.isWrite &&',
      instead: 'isSameBooks = (entry: Entry): boolean =>',
    },
    {
      breaks: 'a write that is not waiting is started again',
      text: 'endpointId === company.endpointId &&\n    canBegin(entry)',
      instead: 'endpointId === company.endpointId',
    },
    {
      breaks: 'the end of a block is not on disk',
      text: 'storage.block(queue.key, queue.lastSeenBlock)',
      instead: '',
    },
    {
      breaks: 'the queue opens without the grace period',
      text: 'Math.max(afterGrace, cooldown.until + grace)',
      instead: 'cooldown.until',
    },
    {
      breaks: 'the queue opens before the deadline of the lost request',
      text: 'Math.max(afterGrace, cooldown.until + grace)',
      instead: 'settled',
    },
    {
      breaks: 'a write that the service postponed opens the queue without the grace period',
      text: 'request.isWrite || isStopped\n',
      instead: 'false\n',
    },
    {
      breaks: 'a restart opens a blocked queue',
      text: '  if (left <= 0) return ok(undefined)\n',
      instead: '  return ok(undefined)\n',
    },
    {
      breaks: 'setting the clock back before a start keeps the queue blocked for as long',
      text: 'return Math.min(whole, whole - since)',
      instead: 'return whole - since',
    },
    {
      breaks: 'setting the clock back keeps the queue blocked for as long',
      text: 'block.opensAt - clock.elapsed()\n',
      instead: 'block.until - clock.now()\n',
    },
    {
      breaks: 'a block read from disk starts over at each check',
      text: 'if (isSame(stored, queue.lastSeenBlock)) return ok(undefined)\n',
      instead: '',
    },
    {
      breaks: 'every request gets its own queue',
      text: 'if (known !== undefined) return known',
      instead: '',
    },
  ],
  'electron/service/protocol/cooldown.ts': [
    {
      breaks: 'a read that is asked to wait starts the next request immediately',
      text: "return asked === 0 ? null : { reason: 'asked', until: now + asked }",
      instead: 'return null',
    },
    {
      breaks: 'a write that is asked to wait starts the next request early',
      text: 'if (asked > 0 && now + asked > (until ?? 0)) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a refused connection blocks the queue',
      text: "if (result.wasNotSent || result.error.kind === 'redirected') return null",
      instead: "if (result.error.kind === 'redirected') return null",
    },
    {
      breaks: 'a write whose response was lost gets only the grace period',
      text: "if (kind === 'too-large' || (kind === 'malformed-response' && !isWrite)) return atWork(now)",
      instead: 'if (isWrite) return atWork(now)',
    },
    {
      breaks: 'a lost write does not block the queue until its deadline',
      text: 'return atWork(Math.max(now, deadlineAt))\n}\n\nfunction atWork',
      instead: 'return atWork(now)\n}\n\nfunction atWork',
    },
    {
      breaks: 'an error of the whole request opens the queue immediately',
      text: 'return isProven || (!isUnlisted && trouble.every(saysFileNotReached)) ? now : untilDeadline',
      instead: 'return now',
    },
    {
      breaks: 'a status that blames the request blocks the queue until the deadline',
      text: 'return callsRequestWrong(raw.status) ? null : untilDeadline',
      instead: 'return untilDeadline',
    },
    {
      breaks: 'an error page for a write opens the queue before its deadline',
      text: 'return callsRequestWrong(raw.status) ? null : untilDeadline',
      instead: 'return callsRequestWrong(raw.status) ? null : now',
    },
    {
      breaks: 'a service that asks for an hour blocks the queue for an hour',
      text: 'return wait > LONGEST_RETRY_AFTER ? 0 : wait',
      instead: 'return wait',
    },
    {
      breaks: 'a gateway’s page releases the queue of a read',
      text: 'isOfGateway(raw, isLegacy) || isCutShort(raw)',
      instead: 'isCutShort(raw)',
    },
    {
      breaks: 'an incomplete envelope releases the queue of a read',
      text: 'isOfGateway(raw, isLegacy) || isCutShort(raw)',
      instead: 'isOfGateway(raw, isLegacy)',
    },
  ],
  'electron/service/protocol/client.ts': [
    {
      breaks: 'a stopped request opens the queue immediately',
      text: 'scheduler.releaseSlot(ticket, state.cooldown ?? afterStop)',
      instead: 'scheduler.releaseSlot(ticket, state.cooldown)',
    },
    {
      breaks: 'a write is tried twice',
      text: 'const ran = await runInSlot(ticket, key, work)\n',
      instead:
        'if (request.isWrite) await runInSlot(ticket, key, work)\n          const ran = await runInSlot(ticket, key, work)\n',
    },
    {
      breaks: 'a request is sent on the old queue although the key was changed while it waited',
      text: 'if (options.queueOf(target.value, ticket.request.service) !== key) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a read whose key is refused is tried again',
      text: 'TRANSIENT.has(result.error.kind)',
      instead: 'true',
    },
  ],
  'electron/service/protocol/slot-wire.ts': [
    {
      breaks: 'a write is sent although its block is not on disk',
      text: 'if (!marked.ok && isWrite) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'the next request of a slot does not wait for the previous one',
      text: 'if (state.cooldown !== null) await scheduler.waitOut(ticket, state.cooldown)',
      instead: '',
    },
    {
      breaks: 'a stopped slot sends its next request',
      text: 'if (ticket.isStopped()) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a lost write counts as not sent',
      text: "outcome: wasNotSent ? 'not-sent' : 'uncertain'",
      instead: "outcome: 'not-sent'",
    },
    {
      breaks: 'an incomplete response to a write is a refusal',
      text: "const outcome = decoded.error.kind === 'unauthorized' ? 'refused-key' : 'uncertain'",
      instead: "const outcome = 'refused-key'",
    },
  ],
}
