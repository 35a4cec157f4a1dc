import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/send.ts': [
    {
      breaks: 'changes go on after a first one that did something else',
      text: 'if (policy.isStopped) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'an array leaves although the person stopped it during the guard',
      text: "if (wire.isStopped()) return { end: 'stop', error: null }",
      instead: '',
    },
    {
      breaks: 'nested fields are rebuilt from what was read before',
      text: 'const current = records.get(recordId) ?? {}',
      instead: 'const current = operation.before',
    },
    {
      breaks: 'SENDING is not on disk when the request leaves',
      text: 'sendMoves.map(({ send }) => send),',
      instead: '[],',
    },
    {
      breaks: 'what can’t be written down is sent all the same',
      text: [
        '  context.store.journal.operations.begin(\n',
        '    request,\n',
        '    sendMoves.map(({ send }) => send),\n',
        '    sendMoves.flatMap(({ again }) => again ?? []),\n',
        '  )',
      ].join(''),
      instead: [
        '  resultOf(() => context.store.journal.operations.begin(\n',
        '    request,\n',
        '    sendMoves.map(({ send }) => send),\n',
        '    sendMoves.flatMap(({ again }) => again ?? []),\n',
        '  ))',
      ].join(''),
    },
    {
      breaks: 'what else a first change does is not watched',
      text: "first.kind === 'change' && !policy.isProven",
      instead: 'false',
    },
    {
      breaks: 'a refused key refuses the whole batch, array after array',
      text: "if (sent.result.outcome === 'refused-key') return { end: 'pause', error: sent.result.error }",
      instead: '',
    },
    {
      breaks: 'a first change that did something else does not stop other batches',
      text: 'isStopped: unexpected',
      instead: 'isStopped: false',
    },
    {
      breaks: 'a service of a former address teaches about the present one',
      text: 'isHere && !isDeepStrictEqual',
      instead: '!isDeepStrictEqual',
    },
    {
      breaks: 'a batch goes on after an unexpected first change',
      text: "return unexpected ? { end: 'stop', error: UNEXPECTED } : CONTINUE",
      instead: 'return CONTINUE',
    },
    {
      breaks: 'arrays stay large after an answer that does not account for all',
      text: 'writePolicyAfter(policy, isAccounted)',
      instead: 'writePolicyAfter(policy, true)',
    },
    {
      breaks: 'arrays grow on an answer that could not be confirmed',
      text: 'if (!confirmed.ok) isAccounted = false',
      instead: 'if (!confirmed.ok) isAccounted = true',
    },
    {
      breaks: 'books that were locked meanwhile are written to',
      text: 'if (refusal !== null || facts === null) return',
      instead: 'if (facts === null) return',
    },
    {
      breaks: 'what is held leaves beside what the person sends again',
      text: "operation.state === 'held' && operation.sendAgain",
      instead: "operation.state === 'held'",
    },
    {
      breaks: 'an insert is sent again without a recheck',
      text: 'await resultOfAsync(() => recheckInSlot(slot, together))',
      instead: '{ ok: true as const, value: new Map() }',
    },
    {
      breaks: 'an insert that is sent again is queued first',
      text: "if (again[0]?.kind === 'insert') {",
      instead: 'if (false) {',
    },
    {
      breaks: 'what could not be sent again keeps the word to send it',
      text: "return end.end === 'pause' || end.end === 'busy' ? keepOnHold(slot, again, end) : end",
      instead: 'return end',
    },
    {
      breaks: 'sent again although stopped during the recheck',
      text: 'again.length === 0 || wire.isStopped()',
      instead: 'again.length === 0',
    },
    {
      breaks: 'a first change that is not proven does not go alone',
      text: 'policy.stage === 0 || !policy.isProven',
      instead: 'policy.stage === 0',
    },
    {
      breaks: 'arrays do not shrink after an answer that does not account for all',
      text: 'Math.min(policy.stage + 1, 2) : 0',
      instead: 'Math.min(policy.stage + 1, 2) : policy.stage',
    },
    {
      breaks: 'two records of one name travel in one array',
      text: 'if (own.some((name) => names.has(name))) break',
      instead: '',
    },
    {
      breaks: 'inserts and changes travel in one array',
      text: 'taken.length === size || operation.kind !== first.kind',
      instead: 'taken.length === size',
    },
  ],
  'electron/writing/records/states.ts': [
    {
      breaks: 'the word to send again is never spent',
      text: 'sendAgain: false, settledAt',
      instead: 'settledAt',
    },
    {
      breaks: 'an insert that is sent again keeps the ID that led nowhere',
      text: "recordId: '', candidates: []",
      instead: 'candidates: []',
    },
    {
      breaks: 'doubt that was looked at once is forgotten',
      text: 'return rechecks > 0',
      instead: 'return rechecks > 1',
    },
    {
      breaks: 'a second doubt is not rechecked twice',
      text: '{ rechecks: 0, firstRecheckedAt: null, lastRecheckedAt: null }',
      instead: '{}',
    },
    {
      breaks: 'a second record of an insert that was sent again is never searched for',
      text: "'send-again', { ...SENT_AGAIN, recordId: '', candidates: [], recheckAt }",
      instead: "'send-again', { ...SENT_AGAIN, recordId: '', candidates: [] }",
    },
  ],
  'electron/writing/records/precheck.ts': [
    {
      breaks: 'the same change by someone else is a conflict',
      text: 'return edit === undefined || !isAsSent(object, edit, current)',
      instead: 'return true',
    },
    {
      breaks: 'only the top of a nested field is guarded',
      text: 'if (!isNested) return [pathOf(field)]',
      instead: 'return [pathOf(field)]',
    },
    {
      breaks: 'parts of an address that we did not touch are not guarded',
      text: 'for (const record of [before, current]) {',
      instead: 'for (const record of []) {',
    },
    {
      breaks: 'a field that both changed is overwritten',
      text: "return differences.length === 0 ? { verdict: 'proceed' } : { verdict: 'conflict', differences }",
      instead: "return { verdict: 'proceed' }",
    },
    {
      breaks: 'the guard compares with what is to be written',
      text: '?.was ?? valueAt(object, before, path)',
      instead: '?.now ?? valueAt(object, before, path)',
    },
    {
      breaks: 'a record is not read again before it is changed',
      text: 'ids.every((id) => justRead.records.has(id))',
      instead: 'true',
    },
    {
      breaks: 'a record is called gone because another was read',
      text: 'ids.every((id) => justRead.records.has(id))',
      instead: 'ids.some((id) => justRead.records.has(id))',
    },
    {
      breaks: 'the guard knows a record by its ID alone',
      text: 'isAnotherRecord(operation.object, operation.before, current, ownEdits) ||',
      instead: 'false ||',
    },
    {
      breaks: 'a batch that was stopped during the guard leaves',
      text: 'if (wasOpen && !isOpen) return []',
      instead: '',
    },
    {
      breaks: 'a record that was dropped during the guard leaves',
      text: "state === 'queued' && !isClosed",
      instead: "state === 'queued'",
    },
    {
      breaks: 'a record that could not be read is called gone',
      text: "missing.length > 0 && found.value.partialReason !== ''",
      instead: 'false',
    },
    {
      breaks: 'the guard is skipped',
      text: 'ids.length === 0) return',
      instead: 'ids.length >= 0) return',
    },
  ],
  'electron/writing/records/confirm.ts': [
    {
      breaks: 'a first change that did nothing stops nothing',
      text: "if (from === 'unknown' && to === 'held' && error === null) return true",
      instead: '',
    },
    {
      breaks: 'what others changed in a held record is reported as ours',
      text: "if (verdict === 'open' || operation.state === 'held') return reconciliation",
      instead: "if (verdict === 'open') return reconciliation",
    },
    {
      breaks: 'a kept field that a first change emptied is not reported',
      text: 'return isKept && !(isEmpty(is) && !isEmpty(was)) ? []',
      instead: 'return isKept ? []',
    },
    {
      breaks: 'a first change that changed other fields is called good',
      text: '.filter((field) => !touched.has(field))',
      instead: '.filter(() => false)',
    },
    {
      breaks: 'a change that is not to be seen at once is called saved otherwise',
      text: 'if (isUndone) return createFactsUpdate',
      instead: 'if (false) return createFactsUpdate',
    },
    {
      breaks: 'reading back takes another record with the returned ID',
      text: 'record === undefined || isOther',
      instead: 'record === undefined',
    },
    {
      breaks: 'a first change that did nothing yet proves how changes work',
      text: "if (move.to === 'unknown') areAllConclusive = false",
      instead: '',
    },
    {
      breaks: 'a first change that could not be read back proves how changes work',
      text: 'isProven: isFirst && areAllConclusive && !hasUnexpected',
      instead: 'isProven: isFirst && !hasUnexpected',
    },
    {
      breaks: 'a first change that did something else is not noticed',
      text: 'hasUnexpected ||= operation.beforeSending !== null && isOtherwise',
      instead: 'hasUnexpected ||= false',
    },
  ],
}
