import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/queue.ts': [
    {
      breaks: 'what was left at SENDING stays there',
      text: 'if (stale.length > 0)',
      instead: 'if (false)',
    },
    {
      breaks: 'a batch that was stopped while it waited is sent',
      text: "if (current?.status !== 'open' || next === undefined) return { end: 'continue' }",
      instead: '',
    },
    {
      breaks: 'going on passes over what is still being searched for',
      text: 'if (recheckDueAt(operation, this.#context.recheckPause(operation)) === null)\n        this.#passed.add',
      instead: 'this.#passed.add',
    },
    {
      breaks: 'what is held is sent again by itself',
      text: 'held.filter((operation) => operation.sendAgain)',
      instead: 'held',
    },
    {
      breaks: 'second records are searched for while the first is in doubt',
      text: "toRecheck.filter(({ state }) => state === 'acked')",
      instead: 'toRecheck',
    },
    {
      breaks: 'a failed recheck is repeated without a pause',
      text: 'context.clock.now() + pauseAfterFailures(this.#recheckFailures)',
      instead: '0',
    },
    {
      breaks: 'what waits for a recheck that was stopped is sent',
      text: 'if (isStopped) this.#stopOpenBatches()',
      instead: '',
    },
    {
      breaks: 'a batch goes on after the person stopped it',
      text: "return this.#finish(batch, wasAbandoned && result.value.end === 'continue' ? STOPPED : result.value)",
      instead: 'return this.#finish(batch, result.value)',
    },
    {
      breaks: 'two batches are sent again as one',
      text: '.filter(({ batchId }) => batchId === again.batchId)',
      instead: '',
    },
    {
      breaks: 'two lists in doubt are searched for in one of them',
      text: 'operations: operations.filter((operation) => operation.object === object)',
      instead: 'operations',
    },
    {
      breaks: 'second records of two lists are searched for in one of them',
      text: 'due.filter(({ object }) => object === first.object)',
      instead: 'due',
    },
    {
      breaks: 'a later write leaves between the two rechecks',
      text: 'if (waiting.length > 0) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a later write leaves beside what is still in doubt',
      text: 'return unknown.length > 0\n',
      instead: 'return false\n',
    },
    {
      breaks: 'it looks forever',
      text: 'if (operation.rechecks >= 2 && isSecondRecheck(operation, last, pause)) return null',
      instead: '',
    },
    {
      breaks: 'a clock set forward makes one recheck enough',
      text: 'operation.rechecks >= 2 && isSecondRecheck',
      instead: 'operation.rechecks >= 1 && isSecondRecheck',
    },
    {
      breaks: 'a recheck that failed is tried again at once, forever',
      text: 'dueAt: Math.max(dueAt, facts.noRecheckBefore)',
      instead: 'dueAt',
    },
    {
      breaks: 'second records are never searched for',
      text: 'if (batch === undefined) return searchForDuplicates(facts)',
      instead: "if (batch === undefined) return { step: 'rest' }",
    },
    {
      breaks: 'second records are searched for at once',
      text: "Math.max(Date.parse(operation.recheckAt ?? ''), noRecheckBefore)",
      instead: 'noRecheckBefore',
    },
    {
      breaks: 'Check now does nothing',
      text: 'if (requested !== undefined) return recheckOf(requested.object, facts.requested)',
      instead: '',
    },
    {
      breaks: 'a clock set back a day delays the next look by a day',
      text: 'isRecheckedInFuture(operation, facts.now)\n      ? 0',
      instead: 'false ? 0',
    },
  ],
  'electron/writing/records/records.ts': [
    {
      breaks: 'a double click is an error',
      text: 'if (twice !== null) return twice',
      instead: '',
    },
    {
      breaks: 'sending what an earlier run left counts as a double click',
      text: 'isSameBatch && ofThisRun.includes(first.batchId)',
      instead: 'isSameBatch',
    },
    {
      breaks: 'a stopped batch still sends again',
      text: "if (status === 'stopped') takeBackSendAgain(batch)",
      instead: '',
    },
    {
      breaks: 'going on with inserts lets changes go on',
      text: "if (left.some(({ kind }) => kind === 'change')) resumeChanges",
      instead: 'resumeChanges',
    },
    {
      breaks: 'an accepted key sends what the person stopped',
      text: "status === 'paused' && error?.kind === 'unauthorized'",
      instead: 'true',
    },
    {
      breaks: 'a draft that is queued is sent a second time',
      text: "if (batchOf(operation.batchId).status !== 'open') continue",
      instead: 'continue',
    },
    {
      breaks: 'drafts are queued for books that are locked',
      text: 'if (refusal !== null) return err(refusal)\n    const ids',
      instead: 'const ids',
    },
  ],
  'electron/writing/records/duplicates.ts': [
    {
      breaks: 'a second record is known only as it was sent',
      text: 'return isAsSent || (own !== null && isStoredAs(operation, own, record))',
      instead: 'return isAsSent',
    },
    {
      breaks: 'a second record is not reported',
      text: 'const hasNewCandidate = records.length > 1 &&',
      instead: 'const hasNewCandidate = false &&',
    },
    {
      breaks: 'a second record that was seen is reported again and again',
      text: 'records.some((record) => !known.has(idOf(record)))',
      instead: 'true',
    },
    {
      breaks: 'a decided or doubtful operation is reopened',
      text: "if (operation.state !== 'acked') continue",
      instead: '',
    },
    {
      breaks: 'another insert’s record is called a second one',
      text: "if (isKnownAs(known, record) && known.since === '') return false",
      instead: '',
    },
    {
      breaks: 'a namesake known before is called a second record',
      text: 'if (operation.namesakes.includes(id) || operation.dismissed',
      instead: 'if (operation.dismissed',
    },
    {
      breaks: 'a record that the list held before is called a second one',
      text: 'if (added !== undefined && !added.some((each) => idOf(each) === id)) return false',
      instead: '',
    },
    {
      breaks: 'a recheck for a second record that fails is never repeated',
      text: 'return isOld ? null : recheckTime(context.clock)',
      instead: 'return null',
    },
  ],
  'electron/writing/records/recheck.ts': [
    {
      breaks: 'sent again although the recheck right before failed',
      text: '        sendAgain: false,\n      }),\n',
      instead: '      }),\n',
    },
  ],
  'electron/writing/writer.ts': [
    {
      breaks: 'a list that lags is looked at too early',
      text: 'return Math.max(pause, Math.min(2 * lag, LONGEST_PAUSE))',
      instead: 'return pause',
    },
    {
      breaks: 'a start does not look for what both rechecks could not tell',
      text: 'void queueOf(company).checkNow(unknown.map(({ operationId }) => operationId))',
      instead: '',
    },
  ],
  'electron/writing/records/states.ts': [
    {
      breaks: 'the recheck for a second record comes at once',
      text: 'clock.now() + RECHECK_AFTER',
      instead: 'clock.now()',
    },
    {
      breaks: 'what is in doubt may be sent',
      text: 'unknown: {\n',
      instead: "unknown: { send: 'sending',\n",
    },
    {
      breaks: 'what is held may leave without being queued',
      text: "'send-again': 'queued'",
      instead: "'send-again': 'queued', send: 'sending'",
    },
    {
      breaks: 'what is in doubt may be dropped',
      text: "['queued', 'held', 'conflict']",
      instead: "['queued', 'held', 'conflict', 'unknown']",
    },
  ],
  'electron/writing/records/decide.ts': [
    {
      breaks: 'sent again although one possible record was not dismissed',
      text: 'if (!operation.candidates.every((record) => said',
      instead: 'if (!operation.candidates.some((record) => said',
    },
    {
      breaks: 'a dismissed record is shown again',
      text: '[...new Set([...operation.dismissed, ...read.map(identityOf)])]',
      instead: 'operation.dismissed',
    },
    {
      breaks: 'one record is claimed for two inserts',
      text: "if (isKnownAs(known, record) && known.since === '') {",
      instead: 'if (false)',
    },
    {
      breaks: 'a change that isn’t held can be sent again',
      text: "if (state !== 'held') return changedMeanwhile()\n      if (operation.previousService",
      instead: 'if (operation.previousService',
    },
    {
      breaks: 'a decision on a closed operation is taken',
      text: 'if (operation.isClosed) return changedMeanwhile()',
      instead: '',
    },
    {
      breaks: 'what is in doubt can be discarded',
      text: "if (!canDrop(state) && state !== 'rejected') return changedMeanwhile()",
      instead: '',
    },
    {
      breaks: 'a claimed record with other values is called saved',
      text: 'if (conflicts.length > 0) {',
      instead: 'if (false)',
    },
  ],
}
