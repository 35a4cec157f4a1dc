import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/reconcile.ts': [
    {
      breaks: 'the record of an insert belongs to no one while its ID is another record’s',
      text: 'if (taken.has(id) && !isKnownAs(known.get(id), record)) taken.delete(id)',
      instead: '',
    },
    {
      breaks: 'a half-applied change is reported as not made',
      text: 'edits.every((edit) => isAsBefore',
      instead: 'edits.some((edit) => isAsBefore',
    },
    {
      breaks: 'a half-applied change is reported as saved',
      text: '(editDifferences(operation, found).length === 0)',
      instead: '(editDifferences(operation, found).length < edits.length)',
    },
    {
      breaks: 'a change is settled by its ID alone, on another record',
      text: 'if (isAnotherRecord(object, before, found, edits)) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a change of a deleted record is reported as not made',
      text: "return { verdict: 'otherwise', record: null, differences: goneFrom(operation), reason: 'gone' }",
      instead: "return { verdict: 'undone' }",
    },
    {
      breaks: 'an ID from a response is trusted whatever its record says',
      text: "return (\n    compareExternalId(operation.externalId, record) === 'ours' ||",
      instead: 'return (true ||',
    },
    {
      breaks: 'an ID from a response is accepted although the list already had its record',
      text: 'wasInBaseline(baseline, record) ||',
      instead: '',
    },
    {
      breaks: 'an ID from a response is accepted although its record is known',
      text: 'isKnownAs(known.get(id), record) ||',
      instead: '',
    },
    {
      breaks: 'an ID from a response is accepted although its record was known before under the same name',
      text: 'operation.namesakes.includes(id) ||',
      instead: '',
    },
    {
      breaks:
        'an ID from a response is accepted although its record has an unknown age and none of the sent values',
      text: "(baseline === null && name === 'different' && equal === 0) ||",
      instead: '',
    },
    {
      breaks: 'an ID from a response is accepted although its record fits another insert better',
      text: '||\n    looksLikeAnothers(operation, record, operations)\n',
      instead: '\n',
    },
    {
      breaks: 'an incomplete list settles inserts',
      text: 'if (!snapshot.isWhole) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a record that another insert created is accepted again',
      text: "(since === '' ? [id] : [])",
      instead: '[]',
    },
    {
      breaks: 'one record settles two inserts',
      text: 'taken.add(idOf(reconciliation.record))',
      instead: 'idOf(reconciliation.record)',
    },
    {
      breaks: 'an external ID on two records is reported as saved',
      text: 'judge(operation, marked, false)',
      instead: 'judge(operation, marked.slice(0, 1), false)',
    },
    {
      breaks: 'a record that existed before is mistaken for the insert because a response named its ID',
      text: 'isNamedFor(operation, record) && isPossiblyOurs(operation, snapshot, taken, record),',
      instead: 'isNamedFor(operation, record),',
    },
    {
      breaks: 'an ID from a response is accepted in the list whatever its record says',
      text: 'if (isRecognized(operation, named)) {',
      instead: 'if (true) {',
    },
    {
      breaks: 'the first of several records with the same name is accepted',
      text: 'more.length > 0 || !isSurelyNew',
      instead: '!isSurelyNew',
    },
    {
      breaks: 'a new record is accepted beside one with the same name that claims to be older',
      text: 'snapshot.newRecords.has(operation.batchId) && named.length > 1 ? null : only',
      instead: 'only',
    },
    {
      breaks: 'a record with the same name and an unknown age is accepted',
      text: '|| !isSurelyNew(operation, snapshot, only)) return null',
      instead: ') return null',
    },
    {
      breaks: 'a record with the same name and none of the sent values is offered as ours',
      text: 'evidenceFor(operation, named).equal > 0',
      instead: 'true',
    },
    {
      breaks: 'records that may be the insert are not shown',
      text: 'if (candidates.length > 0) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'an older record with the same name is not reported',
      text: "return wasThere ? WAS_THERE : { verdict: 'undone' }",
      instead: "return { verdict: 'undone' }",
    },
    {
      breaks: 'a claimed record may be ours, too',
      text: 'return !taken.has(idOf(record)) &&',
      instead: 'return',
    },
    {
      breaks: 'a record that a list already had may be ours',
      text: '&& !wasReadBefore(operation, snapshot, record)',
      instead: '',
    },
    {
      breaks: 'records with the same name that were known before sending are ignored',
      text: 'if (operation.namesakes.includes(id)) return true',
      instead: '',
    },
    {
      breaks: 'the baseline is ignored',
      text: 'if (newRecords !== undefined) return !newRecords.some((each) => idOf(each) === id)',
      instead: '',
    },
    {
      breaks: 'records that were edited here before are ignored',
      text: "isKnownAs(known, record) && Date.parse(known.since) < Date.parse(sentAt ?? '')",
      instead: 'false',
    },
    {
      breaks: 'a record that claims to be older is accepted silently',
      text: 'if (sentAt === undefined) return false',
      instead: 'return false',
    },
    {
      breaks: 'CreatedDate is trusted: a record that claims to be older is never shown',
      text: '&& !wasReadBefore(operation, snapshot, record)',
      instead:
        '&& !wasReadBefore(operation, snapshot, record) && !saysItIsOlder(operation, snapshot, record)',
    },
    {
      breaks: 'the difference between the clocks is ignored',
      text: '(isInstant ? (snapshot.clockAhead ?? 0) : 0)',
      instead: '0',
    },
    {
      breaks: 'a date without a time zone is treated as an exact time',
      text: '!isInstant ? ZONES_DIFFER',
      instead: '!isInstant ? CLOCKS_DIFFER',
    },
    {
      breaks: 'a clock that was never measured is trusted to two minutes',
      text: 'snapshot.clockAhead === null ? CLOCKS_DIFFER',
      instead: 'snapshot.clockAhead === null ? CLOCKS_DRIFT',
    },
    {
      breaks: 'trusted external IDs are ignored if the names are the same',
      text: "const needsExternalId = operation.externalId !== '' && snapshot.areExternalIdsTrusted",
      instead: 'const needsExternalId = false',
    },
    {
      breaks: 'trusted external IDs are ignored if the names are similar',
      text: "if (operation.externalId !== '' && snapshot.areExternalIdsTrusted) return []",
      instead: '',
    },
    {
      breaks: 'a record with someone else’s external ID is mistaken for ours',
      text: 'return snapshot.keepsExternalIds !== false && compareExternalId',
      instead: 'return false && compareExternalId',
    },
    {
      breaks: 'a service that replaces external IDs hides our records',
      text: 'return snapshot.keepsExternalIds !== false && compareExternalId',
      instead: 'return compareExternalId',
    },
    {
      breaks: 'the best of several possible records is accepted silently',
      text: 'record !== undefined && more.length === 0',
      instead: 'record !== undefined',
    },
    {
      breaks: 'a similar record that claims to be older is accepted silently',
      text: 'if (!isNew || saysItIsOlder(operation, snapshot, record)) return []',
      instead: 'if (!isNew) return []',
    },
    {
      breaks: 'a possible record with other values is reported as saved',
      text: 'if (!differsOnlyInSpelling(evidenceFor(operation, record))) return []',
      instead: '',
    },
    {
      breaks: 'a record that two inserts may have created is given to the first',
      text: 'return isWanted ? []',
      instead: 'return false ? []',
    },
    {
      breaks: 'a record from a response is not shown if it has other values',
      text: 'if (namedIds.has(idOf(record)) || shown.has(idOf(record))) return true',
      instead: '',
    },
    {
      breaks: 'IDs that earlier responses named are ignored',
      text: '...(snapshot.returnedIds.get(operation.operationId) ?? [])',
      instead: '',
    },
    {
      breaks: 'an ID from a response that no list has is forgotten: “not there”',
      text: '...missing.map((ID): RecordData => ({ ID }))',
      instead: '',
    },
    {
      breaks: 'a new record with a completely different name is never shown',
      text: 'newRecords === undefined ? isLikely : isPossibleMatch(evidence)',
      instead: 'isLikely',
    },
    {
      breaks: 'without a baseline, the whole list is shown as possibly ours',
      text: 'newRecords === undefined ? isLikely : isPossibleMatch(evidence)',
      instead: 'newRecords === undefined ? true : isPossibleMatch(evidence)',
    },
    {
      breaks: 'the most likely record is shown last',
      text: '(a, b) => fit(b) - fit(a)',
      instead: '(a, b) => fit(a) - fit(b)',
    },
    {
      breaks: 'two records of one insert are not mentioned',
      text: "if (more.length > 0) return { verdict: 'otherwise', record, differences: [], reason: 'twice' }",
      instead: '',
    },
    {
      breaks: 'a record with other values is reported as saved',
      text: "if (differences.length > 0) return { verdict: 'otherwise', record, differences, reason: 'other-values' }",
      instead: '',
    },
    {
      breaks: 'the second recheck comes immediately',
      text: 'return now - Date.parse(operation.firstRecheckedAt) >= pause',
      instead: 'return true',
    },
    {
      breaks: 'one recheck is enough',
      text: 'if (operation.firstRecheckedAt === null) return false',
      instead: 'if (operation.firstRecheckedAt === null) return true',
    },
    {
      breaks: 'setting the clock back delays the second recheck',
      text: 'operation.firstRecheckedAt !== null && Date.parse(operation.firstRecheckedAt) > now',
      instead: 'false',
    },
  ],
  'electron/writing/records/recheck.ts': [
    {
      breaks: 'a half-made change is decided at the first recheck',
      text: "(operation.kind === 'change' && reconciliation.reason === 'other-values')",
      instead: 'false',
    },
    {
      breaks: 'an insert is reported as “not there” after one recheck',
      text: "if (!isSecond) return createFactsUpdate(operation, basics)\n      return createMove(operation, 'found-undone'",
      instead: "return createMove(operation, 'found-undone'",
    },
    {
      breaks: 'an insert is held after one recheck',
      text: "if (!isSecond) return createFactsUpdate(operation, basics)\n      return createMove(operation, 'found-possible'",
      instead: "return createMove(operation, 'found-possible'",
    },
    {
      breaks: 'a record that is missing once is reported as deleted',
      text: "operation.state === 'unknown' && canStillArrive && !isSecond",
      instead: 'false',
    },
    {
      breaks: 'an insert is sent again beside a record that the user wasn’t shown',
      text: 'hasNewCandidate ? { ...facts, sendAgain: false } : facts',
      instead: 'facts',
    },
    {
      breaks: 'a dismissed record blocks sending forever',
      text: '!isAmong(operation.candidates, record)',
      instead: 'true',
    },
    {
      breaks: 'an operation is sent again after an inconclusive recheck',
      text: 'sendAgain: false,\n        error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL)',
      instead: 'error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL)',
    },
    {
      breaks: 'a warning disappears when the record is found',
      text: 'reconciliation.notAsSent.length === 0 && warning === null',
      instead: 'reconciliation.notAsSent.length === 0',
    },
    {
      breaks: 'a first change that a recheck finds unexpected does not stop the next',
      text: 'isStopped ||= !isProven && hasUnexpectedChanges(operation, move)',
      instead: 'isStopped ||= false',
    },
    {
      breaks: 'a recheck doesn’t look for other effects of a first change',
      text: 'isProven ? reconciliation : reconcileFirstChange(operation, reconciliation, record)',
      instead: 'reconciliation',
    },
    {
      breaks: 'an empty response proves that nothing is there',
      text: 'isWhole: found.value.isWhole && !isEmptied',
      instead: 'isWhole: found.value.isWhole',
    },
    {
      breaks: 'a list that lags behind the books proves that nothing is there',
      text: ' && !isBehind(saved, found.value.candidates)',
      instead: '',
    },
    {
      breaks: 'external IDs are never trusted',
      text: 'if (isShown && isHere) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'records of other operations are ignored',
      text: 'known,\n      sentAt',
      instead: 'known: new Map(),\n      sentAt',
    },
    {
      breaks: 'no returned ID reaches the decision',
      text: 'returnedIds,\n      keepsExternalIds',
      instead: 'returnedIds: new Map(),\n      keepsExternalIds',
    },
    {
      breaks: 'no baseline reaches the decision',
      text: 'newRecords: found.value.newRecords',
      instead: 'newRecords: new Map()',
    },
    {
      breaks: 'what was learned about external IDs is forgotten',
      text: 'keepsExternalIds: learned.learned.keepsExternalIds',
      instead: 'keepsExternalIds: null',
    },
    {
      breaks: 'what was learned about the clock is forgotten',
      text: 'clockAhead: learned.learned.clockAhead',
      instead: 'clockAhead: null',
    },
    {
      breaks: 'a response with errors proves that a record was deleted',
      text: "return record === null && !isComplete ? { verdict: 'open' }",
      instead: "return false ? { verdict: 'open' }",
    },
    {
      breaks: 'a first recheck with a time in the future is kept',
      text: 'firstRecheckedAt: isRecheckedInFuture(operation, now)',
      instead: 'firstRecheckedAt: false',
    },
    {
      breaks: 'a change that is sent again skips the guard',
      text: "operation.state === 'held' && operation.kind === 'change' && operation.sendAgain",
      instead: 'false',
    },
    {
      breaks: 'a choice is offered between ours and another record',
      text: "theirs: reconciliation.reason === 'other-values' ? reconciliation.record : null",
      instead: 'theirs: reconciliation.record',
    },
    {
      breaks: 'a recheck continues after it was stopped',
      text: 'others.length > 0 && !wire.isStopped()',
      instead: 'others.length > 0',
    },
  ],
}
