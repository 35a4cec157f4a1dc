import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/send.ts': [
    {
      breaks: 'changes continue after a first one with an unexpected effect',
      text: 'if (policy.isStopped) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'an array is sent although the user stopped it during the guard',
      text: "if (wire.isStopped()) return { end: 'stop', error: null }",
      instead: '',
    },
    {
      breaks: 'nested fields are rebuilt from an earlier read',
      text: 'const current = records.get(recordId) ?? {}',
      instead: 'const current = operation.before',
    },
    {
      breaks: 'SENDING is not on disk when the request is sent',
      text: 'sendMoves.map(({ send }) => send),',
      instead: '[],',
    },
    {
      breaks: 'operations that can’t be journaled are sent anyway',
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
      breaks: 'other effects of a first change are not checked',
      text: "first.kind === 'change' && !policy.isProven",
      instead: 'false',
    },
    {
      breaks: 'a refused key refuses the whole batch, array after array',
      text: "if (sent.result.outcome === 'refused-key') return { end: 'pause', error: sent.result.error }",
      instead: '',
    },
    {
      breaks: 'a first change with an unexpected effect does not stop other batches',
      text: 'isStopped: unexpected',
      instead: 'isStopped: false',
    },
    {
      breaks: 'what a previous address showed is applied to the current one',
      text: 'isHere && !isDeepStrictEqual',
      instead: '!isDeepStrictEqual',
    },
    {
      breaks: 'a batch continues after an unexpected first change',
      text: "return unexpected ? { end: 'stop', error: UNEXPECTED } : CONTINUE",
      instead: 'return CONTINUE',
    },
    {
      breaks: 'arrays stay large after a response that does not account for all',
      text: 'writePolicyAfter(policy, isAccounted)',
      instead: 'writePolicyAfter(policy, true)',
    },
    {
      breaks: 'arrays grow after a response that could not be confirmed',
      text: 'if (!confirmed.ok) isAccounted = false',
      instead: 'if (!confirmed.ok) isAccounted = true',
    },
    {
      breaks: 'books that were locked in the meantime are written to',
      text: 'if (refusal !== null || facts === null) return',
      instead: 'if (facts === null) return',
    },
    {
      breaks: 'other held operations are sent beside the one that the user sends again',
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
      breaks: 'an operation that could not be sent again keeps its permission',
      text: "return end.end === 'pause' || end.end === 'busy' ? keepOnHold(slot, again, end) : end",
      instead: 'return end',
    },
    {
      breaks: 'an operation is sent again although it was stopped during the recheck',
      text: 'again.length === 0 || wire.isStopped()',
      instead: 'again.length === 0',
    },
    {
      breaks: 'a first change that is not proven is not sent alone',
      text: 'policy.stage === 0 || !policy.isProven',
      instead: 'policy.stage === 0',
    },
    {
      breaks: 'arrays do not shrink after a response that does not account for all',
      text: 'Math.min(policy.stage + 1, 2) : 0',
      instead: 'Math.min(policy.stage + 1, 2) : policy.stage',
    },
    {
      breaks: 'two records with the same name are sent in one array',
      text: 'if (own.some((name) => names.has(name))) break',
      instead: '',
    },
    {
      breaks: 'inserts and changes are sent in one array',
      text: 'taken.length === size || operation.kind !== first.kind',
      instead: 'taken.length === size',
    },
  ],
  'electron/writing/records/states.ts': [
    {
      breaks: 'the permission to send again is never used up',
      text: 'sendAgain: false, settledAt',
      instead: 'settledAt',
    },
    {
      breaks: 'an insert that is sent again keeps the ID that led to no record',
      text: "recordId: '', candidates: []",
      instead: 'candidates: []',
    },
    {
      breaks: 'earlier uncertainty is forgotten after one recheck',
      text: 'return rechecks > 0',
      instead: 'return rechecks > 1',
    },
    {
      breaks: 'a second uncertainty is not rechecked twice',
      text: '{ rechecks: 0, firstRecheckedAt: null, lastRecheckedAt: null }',
      instead: '{}',
    },
    {
      breaks: 'a duplicate of an insert that was sent again is never searched for',
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
      breaks: 'only the top level of a nested field is guarded',
      text: 'if (!isNested) return [pathOf(field)]',
      instead: 'return [pathOf(field)]',
    },
    {
      breaks: 'unedited members of an address are not guarded',
      text: 'for (const record of [before, current]) {',
      instead: 'for (const record of []) {',
    },
    {
      breaks: 'a field that both sides changed is overwritten',
      text: "return differences.length === 0 ? { verdict: 'proceed' } : { verdict: 'conflict', differences }",
      instead: "return { verdict: 'proceed' }",
    },
    {
      breaks: 'the guard compares with the new value',
      text: '?.was ?? valueAt(object, before, path)',
      instead: '?.now ?? valueAt(object, before, path)',
    },
    {
      breaks: 'a record is not read again before it is changed',
      text: 'ids.every((id) => justRead.records.has(id))',
      instead: 'true',
    },
    {
      breaks: 'a record is reported as deleted because another one was read',
      text: 'ids.every((id) => justRead.records.has(id))',
      instead: 'ids.some((id) => justRead.records.has(id))',
    },
    {
      breaks: 'the guard identifies a record by its ID alone',
      text: 'isAnotherRecord(operation.object, operation.before, current, ownEdits) ||',
      instead: 'false ||',
    },
    {
      breaks: 'a batch that was stopped during the guard is sent',
      text: 'if (wasOpen && !isOpen) return []',
      instead: '',
    },
    {
      breaks: 'a record that was dropped during the guard is sent',
      text: "state === 'queued' && !isClosed",
      instead: "state === 'queued'",
    },
    {
      breaks: 'a record that could not be read is reported as deleted',
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
      breaks: 'changes that others made to a held record are reported as ours',
      text: "if (verdict === 'open' || operation.state === 'held') return reconciliation",
      instead: "if (verdict === 'open') return reconciliation",
    },
    {
      breaks: 'a field of the application that a first change cleared is not reported',
      text: 'return isKept && !(isEmpty(is) && !isEmpty(was)) ? []',
      instead: 'return isKept ? []',
    },
    {
      breaks: 'a first change that changed other fields is reported as expected',
      text: '.filter((field) => !touched.has(field))',
      instead: '.filter(() => false)',
    },
    {
      breaks: 'a change that lists show late is reported as saved differently',
      text: 'if (isUndone) return createFactsUpdate',
      instead: 'if (false) return createFactsUpdate',
    },
    {
      breaks: 'reading back accepts another record with the returned ID',
      text: 'record === undefined || isOther',
      instead: 'record === undefined',
    },
    {
      breaks: 'a first change without an effect so far proves how changes work',
      text: "if (move.to === 'unknown') areAllConclusive = false",
      instead: '',
    },
    {
      breaks: 'a first change that could not be read back proves how changes work',
      text: 'isProven: isFirst && areAllConclusive && !hasUnexpected',
      instead: 'isProven: isFirst && !hasUnexpected',
    },
    {
      breaks: 'an unexpected effect of a first change is not noticed',
      text: 'hasUnexpected ||= operation.beforeSending !== null && isOtherwise',
      instead: 'hasUnexpected ||= false',
    },
  ],
}
