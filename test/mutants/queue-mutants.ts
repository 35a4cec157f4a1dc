import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/queue.ts': [
    {
      breaks: 'operations that were left at SENDING stay there',
      text: 'if (stale.length > 0)',
      instead: 'if (false)',
    },
    {
      breaks: 'a postponed outcome is never written',
      text: '      write()\n      this.#outcome = null',
      instead: '      this.#outcome = null',
    },
    {
      breaks: 'an array whose outcome is postponed counts as uncertain',
      text: 'this.#postponed.isWaiting() ? [] : ',
      instead: '',
    },
    {
      breaks: 'rechecks start before a postponed outcome is written',
      text: '    this.#postponed.write()\n',
      instead: '',
    },
    {
      breaks: 'more is sent although a postponed outcome could not be written',
      text: "if (failure !== null) return { end: 'pause', error: failure }",
      instead: '',
    },
    {
      breaks: 'an array that was prepared is sent although one of its records was discarded',
      text: 'isCurrent ? prepared : operations.nextOfBatch(batchId, size)',
      instead: 'prepared.length > 0 ? prepared : operations.nextOfBatch(batchId, size)',
    },
    {
      breaks: 'a batch that was stopped while it waited is sent',
      text: "if (current?.status !== 'open' || next.length === 0) return { end: 'continue' }",
      instead: '',
    },
    {
      breaks: 'resuming ignores what is still being searched for',
      text: 'if (recheckDueAt(operation, this.#context.recheckPause(operation)) === null)\n        this.#passed.add',
      instead: 'this.#passed.add',
    },
    {
      breaks: 'held operations are sent again automatically',
      text: 'held.filter((operation) => operation.sendAgain)',
      instead: 'held',
    },
    {
      breaks: 'duplicates are searched for while the first record is uncertain',
      text: "toRecheck.filter(({ state }) => state === 'acked')",
      instead: 'toRecheck',
    },
    {
      breaks: 'a failed recheck is repeated without a pause',
      text: 'context.clock.now() + pauseAfterFailures(this.#recheckFailures)',
      instead: '0',
    },
    {
      breaks: 'operations that wait for a stopped recheck are sent',
      text: 'if (isStopped) this.#stopOpenBatches()',
      instead: '',
    },
    {
      breaks: 'a batch continues after the user stopped it',
      text: "return this.#finish(batch, wasAbandoned && result.value.end === 'continue' ? STOPPED : result.value)",
      instead: 'return this.#finish(batch, result.value)',
    },
    {
      breaks: 'two batches are sent again as one',
      text: '.filter(({ batchId }) => batchId === again.batchId)',
      instead: '',
    },
    {
      breaks: 'uncertain operations of two lists are searched for in one of the lists',
      text: 'operations: operations.filter((operation) => operation.object === object)',
      instead: 'operations',
    },
    {
      breaks: 'duplicates of two lists are searched for in one of the lists',
      text: 'due.filter(({ object }) => object === first.object)',
      instead: 'due',
    },
    {
      breaks: 'a later write is sent between the two rechecks',
      text: 'if (waiting.length > 0) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a later write is sent although an operation is still uncertain',
      text: 'return unknown.length > 0\n',
      instead: 'return false\n',
    },
    {
      breaks: 'rechecks never end',
      text: 'if (operation.rechecks >= 2 && isSecondRecheck(operation, last, pause)) return null',
      instead: '',
    },
    {
      breaks: 'setting the clock forward makes one recheck enough',
      text: 'operation.rechecks >= 2 && isSecondRecheck',
      instead: 'operation.rechecks >= 1 && isSecondRecheck',
    },
    {
      breaks: 'a failed recheck is repeated immediately, forever',
      text: 'dueAt: Math.max(dueAt, facts.noRecheckBefore)',
      instead: 'dueAt',
    },
    {
      breaks: 'duplicates are never searched for',
      text: 'if (batch === undefined) return searchForDuplicates(facts)',
      instead: "if (batch === undefined) return { step: 'rest' }",
    },
    {
      breaks: 'duplicates are searched for immediately',
      text: "Math.max(Date.parse(operation.recheckAt ?? ''), noRecheckBefore)",
      instead: 'noRecheckBefore',
    },
    {
      breaks: 'Check now does nothing',
      text: 'if (requested !== undefined) return recheckOf(requested.object, facts.requested)',
      instead: '',
    },
    {
      breaks: 'setting the clock back a day delays the next recheck by a day',
      text: 'isRecheckedInFuture(operation, facts.now)\n      ? 0',
      instead: 'false ? 0',
    },
  ],
  'electron/writing/records/records-writer.ts': [
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
      breaks: 'a stopped batch is still sent again',
      text: "if (status === 'stopped') takeBackSendAgain(batch)",
      instead: '',
    },
    {
      breaks: 'resuming inserts also resumes changes',
      text: "if (left.some(({ kind }) => kind === 'change')) resumeChanges",
      instead: 'resumeChanges',
    },
    {
      breaks: 'an accepted key sends what the user stopped',
      text: "status === 'paused' && error?.kind === 'unauthorized'",
      instead: 'true',
    },
    {
      breaks: 'a queued draft is sent a second time',
      text: "if (batchOf(operation.batchId).status !== 'open') continue",
      instead: 'continue',
    },
    {
      breaks: 'drafts are queued for locked books',
      text: 'if (refusal !== null) return err(refusal)\n    const ids',
      instead: 'const ids',
    },
  ],
  'electron/writing/records/duplicates.ts': [
    {
      breaks: 'a duplicate is recognized only as it was sent',
      text: 'return isAsSent || (own !== null && isStoredAs(operation, own, record))',
      instead: 'return isAsSent',
    },
    {
      breaks: 'a duplicate is not reported',
      text: 'const hasNewCandidate = records.length > 1 &&',
      instead: 'const hasNewCandidate = false &&',
    },
    {
      breaks: 'a duplicate that the user has seen is reported again and again',
      text: 'records.some((record) => !known.has(idOf(record)))',
      instead: 'true',
    },
    {
      breaks: 'a decided or uncertain operation is reopened',
      text: "if (operation.state !== 'acked') continue",
      instead: '',
    },
    {
      breaks: 'another insert’s record is reported as a duplicate',
      text: "if (isKnownAs(known, record) && known.since === '') return false",
      instead: '',
    },
    {
      breaks: 'an older record with the same name is reported as a duplicate',
      text: 'if (operation.namesakes.includes(id) || operation.dismissed',
      instead: 'if (operation.dismissed',
    },
    {
      breaks: 'a record that the list already had is reported as a duplicate',
      text: 'if (added !== undefined && !added.some((each) => idOf(each) === id)) return false',
      instead: '',
    },
    {
      breaks: 'a failed search for a duplicate is never repeated',
      text: 'return isOld ? null : recheckTime(context.clock)',
      instead: 'return null',
    },
  ],
  'electron/writing/records/recheck.ts': [
    {
      breaks: 'an operation is sent again although the recheck right before failed',
      text: '        sendAgain: false,\n      }),\n',
      instead: '      }),\n',
    },
  ],
  'electron/writing/writer.ts': [
    {
      breaks: 'a list that lags behind the books is rechecked too early',
      text: 'return Math.max(pause, Math.min(2 * lag, LONGEST_PAUSE))',
      instead: 'return pause',
    },
    {
      breaks: 'the start doesn’t recheck operations that both rechecks left uncertain',
      text: 'void queueOf(company).checkNow(unknown.map(({ operationId }) => operationId))',
      instead: '',
    },
  ],
  'electron/writing/records/states.ts': [
    {
      breaks: 'the search for a duplicate comes immediately',
      text: 'clock.now() + RECHECK_AFTER',
      instead: 'clock.now()',
    },
    {
      breaks: 'an uncertain operation can be sent',
      text: 'unknown: {\n',
      instead: "unknown: { send: 'sending',\n",
    },
    {
      breaks: 'a held operation can be sent without being queued',
      text: "'send-again': 'queued'",
      instead: "'send-again': 'queued', send: 'sending'",
    },
    {
      breaks: 'an uncertain operation can be dropped',
      text: "['queued', 'held', 'conflict']",
      instead: "['queued', 'held', 'conflict', 'unknown']",
    },
  ],
  'electron/writing/records/decide.ts': [
    {
      breaks: 'an insert is sent again although one possible record was not dismissed',
      text: 'if (!operation.candidates.every((record) => shownIds',
      instead: 'if (!operation.candidates.some((record) => shownIds',
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
      breaks: 'a decision about a closed operation is accepted',
      text: 'if (operation.isClosed) return changedMeanwhile()',
      instead: '',
    },
    {
      breaks: 'an uncertain operation can be discarded',
      text: "if (!canDrop(state) && state !== 'rejected') return changedMeanwhile()",
      instead: '',
    },
    {
      breaks: 'a claimed record with other values is reported as saved',
      text: 'if (conflicts.length > 0) {',
      instead: 'if (false)',
    },
  ],
}
