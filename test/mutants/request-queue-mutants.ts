import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/service/queue/scheduler.ts': [
    {
      breaks: 'two requests run at once on a queue',
      text: 'if (queue.running !== null) return\n',
      instead: '',
    },
    {
      breaks: 'a queue that is blocked lets the next one go',
      text: 'if (left > 0) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a slot that ended before frees the queue of another',
      text: 'if (queue.running !== entry) return',
      instead: '',
    },
    {
      breaks: 'two keys write to one company at once',
      text: 'return [...siblings, ...others.filter(isOfBooks)]',
      instead: 'return siblings',
    },
    {
      breaks: 'the queue is not blocked after a lost answer',
      text: 'blockQueue(queue, storage, clock, { entry, cooldown, grace })',
      instead: '',
    },
    {
      breaks: 'a request leaves without a mark on disk',
      text: 'const written = storage.block(entry.queueKey, block)',
      instead: 'const written = ok(undefined)',
    },
    {
      breaks: 'the mark on disk lacks the grace period',
      text: 'const until = deadlineAt + this.#options.graceMilliseconds()',
      instead: 'const until = deadlineAt',
    },
    {
      breaks: 'an answered request leaves its queue blocked for the next run',
      text: 'this.#options.storage.unblock(entry.queueKey)',
      instead: '',
    },
    {
      breaks: 'a second request of a slot does not wait for the first',
      text: 'const until = Math.max(now, cooldown.until) + this.#options.graceMilliseconds()',
      instead: 'const until = now',
    },
    {
      breaks: 'a pause within a slot is not on disk',
      text: 'storage.block(entry.queueKey, {\n      at: now,',
      instead: 'void ({\n      at: now,',
    },
    {
      breaks: 'a stopped request takes a slot',
      text: 'if (entry.isStopped) return Promise.resolve(err(STOPPED))',
      instead: '',
    },
    {
      breaks: 'a request that has left stays in the queue',
      text: 'if (at >= 0) queue.entries.splice(at, 1)',
      instead: '',
    },
    {
      breaks: 'a request that was stopped while it waited begins later',
      text: 'entry.begin = null\n    entry.endBackOff = null',
      instead: 'entry.endBackOff = null',
    },
    {
      breaks: 'a pause within a slot can’t be stopped',
      text: 'await Promise.race([pause.promise, ticket.stopped])',
      instead: 'await pause.promise',
    },
    {
      breaks: 'nothing goes on after a pause',
      text: 'if (this.#pauses.lift(connectionId)) this.#resumed(connectionId)',
      instead: 'pauses.lift(connectionId)',
    },
    {
      breaks: 'a write goes out on a paused connection',
      text: "if (request.priority !== 'interactive' || request.isWrite) return false",
      instead: "if (request.priority !== 'interactive') return false",
    },
    {
      breaks: 'what waited goes out with a refused key',
      text: 'return pause.byKey === null || order > pause.byKey.lastOrder',
      instead: 'return true',
    },
    {
      breaks: 'an accepted key lifts the person’s pause',
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
      breaks: 'batch work goes before what a person waits for',
      text: "return left.request.priority === 'interactive' ? -1 : 1",
      instead: 'return left.order - right.order',
    },
    {
      breaks: 'two connections to the same books lose the order of writes',
      text: 'entry.request.company?.endpointId === company.endpointId',
      instead: 'entry.request.company === company',
    },
    {
      breaks: 'a read of a company takes the turn of a write',
      text: 'isSameBooks = (entry: Entry): boolean =>\n    entry.request.isWrite &&',
      instead: 'isSameBooks = (entry: Entry): boolean =>',
    },
    {
      breaks: 'a write that is not waiting is begun again',
      text: 'endpointId === company.endpointId &&\n    canBegin(entry)',
      instead: 'endpointId === company.endpointId',
    },
    {
      breaks: 'until when a queue is blocked is not on disk',
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
      breaks: 'a write that the service put off opens the queue without the grace period',
      text: 'request.isWrite || isStopped\n',
      instead: 'false\n',
    },
    {
      breaks: 'a restart opens a queue that is blocked',
      text: '  if (left <= 0) return ok(undefined)\n',
      instead: '  return ok(undefined)\n',
    },
    {
      breaks: 'a clock set back before a start blocks the queue for as long',
      text: 'return Math.min(whole, whole - since)',
      instead: 'return whole - since',
    },
    {
      breaks: 'a clock set back blocks the queue for as long',
      text: 'block.opensAt - clock.elapsed()\n',
      instead: 'block.until - clock.now()\n',
    },
    {
      breaks: 'a block read from disk starts over at each check',
      text: 'if (isSame(stored, queue.lastSeenBlock)) return ok(undefined)\n',
      instead: '',
    },
    {
      breaks: 'every request gets a queue of its own',
      text: 'if (known !== undefined) return known',
      instead: '',
    },
  ],
  'electron/service/protocol/cooldown.ts': [
    {
      breaks: 'a read that is asked to wait lets the next go at once',
      text: "return asked === 0 ? null : { reason: 'asked', until: now + asked }",
      instead: 'return null',
    },
    {
      breaks: 'a write that is asked to wait lets the next go earlier',
      text: 'if (asked > 0 && now + asked > (until ?? 0)) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a refused connection blocks the queue',
      text: "if (result.wasNotSent || result.error.kind === 'redirected') return null",
      instead: "if (result.error.kind === 'redirected') return null",
    },
    {
      breaks: 'a write that lost its answer gets the grace period alone',
      text: "if (kind === 'too-large' || (kind === 'malformed-response' && !isWrite)) return atWork(now)",
      instead: 'if (isWrite) return atWork(now)',
    },
    {
      breaks: 'a lost write does not block the queue until its deadline',
      text: 'return atWork(Math.max(now, deadlineAt))\n}\n\nfunction atWork',
      instead: 'return atWork(now)\n}\n\nfunction atWork',
    },
    {
      breaks: 'an error of the whole request opens the queue at once',
      text: 'return isProven || (!isUnlisted && trouble.every(saysFileNotReached)) ? now : untilDeadline',
      instead: 'return now',
    },
    {
      breaks: 'a status that calls the request wrong blocks the queue until the deadline',
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
      breaks: 'a page of a gateway frees the queue of a read',
      text: 'isOfGateway(raw, isLegacy) || isCutShort(raw)',
      instead: 'isCutShort(raw)',
    },
    {
      breaks: 'half an envelope frees the queue of a read',
      text: 'isOfGateway(raw, isLegacy) || isCutShort(raw)',
      instead: 'isOfGateway(raw, isLegacy)',
    },
  ],
  'electron/service/protocol/client.ts': [
    {
      breaks: 'what was stopped opens the queue at once',
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
      breaks: 'a key that was changed while a request waited goes out on the old queue',
      text: 'if (options.queueOf(target.value, ticket.request.service) !== key) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a read whose key is refused is tried again',
      text: '!TRANSIENT.has(value.error.kind)',
      instead: 'false',
    },
  ],
  'electron/service/protocol/slot-wire.ts': [
    {
      breaks: 'a write leaves although its mark is not on disk',
      text: 'if (!marked.ok && isWrite) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'the next request of a slot does not wait for the one before',
      text: 'if (state.cooldown !== null) await scheduler.waitOut(ticket, state.cooldown)',
      instead: '',
    },
    {
      breaks: 'a stopped turn sends its next request',
      text: 'if (ticket.isStopped()) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a lost write counts as not sent',
      text: "outcome: wasNotSent ? 'not-sent' : 'uncertain'",
      instead: "outcome: 'not-sent'",
    },
    {
      breaks: 'half an answer to a write is a refusal',
      text: "const outcome = decoded.error.kind === 'unauthorized' ? 'refused-key' : 'uncertain'",
      instead: "const outcome = 'refused-key'",
    },
  ],
}
