import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/reconcile.ts': [
    {
      breaks: 'the record of an insert is no one’s while its ID is another’s',
      text: 'if (taken.has(id) && !isKnownAs(known.get(id), record)) taken.delete(id)',
      instead: '',
    },
    {
      breaks: 'a half-applied change is called undone',
      text: 'edits.every((edit) => isAsBefore',
      instead: 'edits.some((edit) => isAsBefore',
    },
    {
      breaks: 'a half-applied change is called saved',
      text: '(editDifferences(operation, found).length === 0)',
      instead: '(editDifferences(operation, found).length < edits.length)',
    },
    {
      breaks: 'a change is settled by the ID alone, on another record',
      text: 'if (isAnotherRecord(object, before, found, edits)) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a change of a deleted record is called undone',
      text: "return { verdict: 'otherwise', record: null, differences: goneFrom(operation), reason: 'gone' }",
      instead: "return { verdict: 'undone' }",
    },
    {
      breaks: 'an ID that an answer named is believed whatever its record says',
      text: "return (\n    compareExternalId(operation.externalId, record) === 'ours' ||",
      instead: 'return (true ||',
    },
    {
      breaks: 'an ID from an answer is followed to what the list held before',
      text: 'wasInBaseline(baseline, record) ||',
      instead: '',
    },
    {
      breaks: 'an ID from an answer is followed to a record that is known',
      text: 'isKnownAs(known.get(id), record) ||',
      instead: '',
    },
    {
      breaks: 'an ID from an answer is followed to a namesake that was known before',
      text: 'operation.namesakes.includes(id) ||',
      instead: '',
    },
    {
      breaks: 'an ID from an answer is followed to a record of unknown age with nothing that was sent',
      text: "(baseline === null && name === 'different' && equal === 0) ||",
      instead: '',
    },
    {
      breaks: 'an ID from an answer is followed to a record that fits another insert better',
      text: '||\n    looksLikeAnothers(operation, record, operations)\n',
      instead: '\n',
    },
    {
      breaks: 'a list that is not whole settles inserts',
      text: 'if (!snapshot.isWhole) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'a record that another insert made is taken again',
      text: "(since === '' ? [id] : [])",
      instead: '[]',
    },
    {
      breaks: 'one record settles two inserts',
      text: 'taken.add(idOf(reconciliation.record))',
      instead: 'idOf(reconciliation.record)',
    },
    {
      breaks: 'an external ID seen twice is called saved',
      text: 'judge(operation, marked, false)',
      instead: 'judge(operation, marked.slice(0, 1), false)',
    },
    {
      breaks: 'a record that existed before is mistaken for the insert because an answer named its ID',
      text: 'isNamedFor(operation, record) && isPossiblyOurs(operation, snapshot, taken, record),',
      instead: 'isNamedFor(operation, record),',
    },
    {
      breaks: 'an ID from an answer is taken in the list whatever its record says',
      text: 'if (isRecognized(operation, named)) {',
      instead: 'if (true) {',
    },
    {
      breaks: 'the first of several namesakes is taken for the insert',
      text: 'more.length > 0 || !isSurelyNew',
      instead: '!isSurelyNew',
    },
    {
      breaks: 'a newcomer is taken beside a namesake that calls itself older',
      text: 'snapshot.newRecords.has(operation.batchId) && named.length > 1 ? null : only',
      instead: 'only',
    },
    {
      breaks: 'a namesake of unknown age is taken for the insert',
      text: '|| !isSurelyNew(operation, snapshot, only)) return null',
      instead: ') return null',
    },
    {
      breaks: 'a namesake with none of the values sent is offered as ours',
      text: 'evidenceFor(operation, named).equal > 0',
      instead: 'true',
    },
    {
      breaks: 'records that may be the insert are not shown',
      text: 'if (candidates.length > 0) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a namesake that was there before is not reported',
      text: "return wasThere ? WAS_THERE : { verdict: 'undone' }",
      instead: "return { verdict: 'undone' }",
    },
    {
      breaks: 'a claimed record may be ours as well',
      text: 'return !taken.has(idOf(record)) &&',
      instead: 'return',
    },
    {
      breaks: 'a record that a list held before may be ours',
      text: '&& !wasReadBefore(operation, snapshot, record)',
      instead: '',
    },
    {
      breaks: 'namesakes known before sending are ignored',
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
      breaks: 'a record that calls itself older is taken without a word',
      text: 'if (sentAt === undefined) return false',
      instead: 'return false',
    },
    {
      breaks: 'CreatedDate is believed: a record that calls itself older is never shown',
      text: '&& !wasReadBefore(operation, snapshot, record)',
      instead:
        '&& !wasReadBefore(operation, snapshot, record) && !saysItIsOlder(operation, snapshot, record)',
    },
    {
      breaks: 'the difference of the clocks is ignored',
      text: '(isInstant ? (snapshot.clockAhead ?? 0) : 0)',
      instead: '0',
    },
    {
      breaks: 'a date without a zone is taken for a moment',
      text: '!isInstant ? ZONES_DIFFER',
      instead: '!isInstant ? CLOCKS_DIFFER',
    },
    {
      breaks: 'a clock that was never measured is trusted to two minutes',
      text: 'snapshot.clockAhead === null ? CLOCKS_DIFFER',
      instead: 'snapshot.clockAhead === null ? CLOCKS_DRIFT',
    },
    {
      breaks: 'trusted external IDs are ignored where the name is the same',
      text: "const needsExternalId = operation.externalId !== '' && snapshot.areExternalIdsTrusted",
      instead: 'const needsExternalId = false',
    },
    {
      breaks: 'trusted external IDs are ignored where the name is alike',
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
      breaks: 'the best of several possible records is taken without a word',
      text: 'record !== undefined && more.length === 0',
      instead: 'record !== undefined',
    },
    {
      breaks: 'a record alike that calls itself older is taken without a word',
      text: 'if (!isNew || saysItIsOlder(operation, snapshot, record)) return []',
      instead: 'if (!isNew) return []',
    },
    {
      breaks: 'a possible record with other values is called saved',
      text: 'if (!differsOnlyInSpelling(evidenceFor(operation, record))) return []',
      instead: '',
    },
    {
      breaks: 'a record that two inserts may have made is given to the first',
      text: 'return isWanted ? []',
      instead: 'return false ? []',
    },
    {
      breaks: 'a record from an answer with other values is not shown',
      text: 'if (namedIds.has(idOf(record)) || shown.has(idOf(record))) return true',
      instead: '',
    },
    {
      breaks: 'IDs that earlier answers named are ignored',
      text: '...(snapshot.returnedIds.get(operation.operationId) ?? [])',
      instead: '',
    },
    {
      breaks: 'an ID from an answer that no list shows is forgotten: “not there”',
      text: '...missing.map((ID): RecordData => ({ ID }))',
      instead: '',
    },
    {
      breaks: 'a newcomer renamed altogether is never shown',
      text: 'newRecords === undefined ? isLikely : isPossibleMatch(evidence)',
      instead: 'isLikely',
    },
    {
      breaks: 'without a baseline the whole list is shown as possibly ours',
      text: 'newRecords === undefined ? isLikely : isPossibleMatch(evidence)',
      instead: 'newRecords === undefined ? true : isPossibleMatch(evidence)',
    },
    {
      breaks: 'the likeliest record is shown last',
      text: '(a, b) => fit(b) - fit(a)',
      instead: '(a, b) => fit(a) - fit(b)',
    },
    {
      breaks: 'two records of one insert are not mentioned',
      text: "if (more.length > 0) return { verdict: 'otherwise', record, differences: [], reason: 'twice' }",
      instead: '',
    },
    {
      breaks: 'a record with other values is called saved',
      text: "if (differences.length > 0) return { verdict: 'otherwise', record, differences, reason: 'other-values' }",
      instead: '',
    },
    {
      breaks: 'the second recheck comes at once',
      text: 'return now - Date.parse(operation.firstRecheckedAt) >= pause',
      instead: 'return true',
    },
    {
      breaks: 'one recheck is enough',
      text: 'if (operation.firstRecheckedAt === null) return false',
      instead: 'if (operation.firstRecheckedAt === null) return true',
    },
    {
      breaks: 'a clock that was set back delays the second recheck',
      text: 'operation.firstRecheckedAt !== null && Date.parse(operation.firstRecheckedAt) > now',
      instead: 'false',
    },
  ],
  'electron/writing/records/recheck.ts': [
    {
      breaks: 'a change of which half is made is decided at the first recheck',
      text: "(operation.kind === 'change' && reconciliation.reason === 'other-values')",
      instead: 'false',
    },
    {
      breaks: 'an insert is “not there” after one recheck',
      text: "if (!isSecond) return createFactsUpdate(operation, basics)\n      return createMove(operation, 'found-undone'",
      instead: "return createMove(operation, 'found-undone'",
    },
    {
      breaks: 'an insert is held after one recheck',
      text: "if (!isSecond) return createFactsUpdate(operation, basics)\n      return createMove(operation, 'found-possible'",
      instead: "return createMove(operation, 'found-possible'",
    },
    {
      breaks: 'a record that is missing once is called deleted',
      text: "operation.state === 'unknown' && canStillArrive && !isSecond",
      instead: 'false',
    },
    {
      breaks: 'an insert is sent again beside a record that no one was shown',
      text: 'hasNewCandidate ? { ...facts, sendAgain: false } : facts',
      instead: 'facts',
    },
    {
      breaks: 'a record that was dismissed stops the sending forever',
      text: '!isAmong(operation.candidates, record)',
      instead: 'true',
    },
    {
      breaks: 'sent again on a recheck that could not tell',
      text: 'sendAgain: false,\n        error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL)',
      instead: 'error: uncertaintyAfterRecheck(operation.error, CANNOT_TELL)',
    },
    {
      breaks: 'a warning vanishes when the record is found',
      text: 'reconciliation.notAsSent.length === 0 && warning === null',
      instead: 'reconciliation.notAsSent.length === 0',
    },
    {
      breaks: 'a first change that a recheck finds unexpected does not stop the next',
      text: 'isStopped ||= !isProven && hasUnexpectedChanges(operation, move)',
      instead: 'isStopped ||= false',
    },
    {
      breaks: 'what else a first change did is not searched for',
      text: 'isProven ? reconciliation : reconcileFirstChange(operation, reconciliation, record)',
      instead: 'reconciliation',
    },
    {
      breaks: 'an empty answer proves that nothing is there',
      text: 'isWhole: found.value.isWhole && !isEmptied',
      instead: 'isWhole: found.value.isWhole',
    },
    {
      breaks: 'a list that is behind the books proves that nothing is there',
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
      breaks: 'what was learned of marks is forgotten',
      text: 'keepsExternalIds: learned.learned.keepsExternalIds',
      instead: 'keepsExternalIds: null',
    },
    {
      breaks: 'what was learned of the clock is forgotten',
      text: 'clockAhead: learned.learned.clockAhead',
      instead: 'clockAhead: null',
    },
    {
      breaks: 'an answer with errors proves a record deleted',
      text: "return record === null && !isComplete ? { verdict: 'open' }",
      instead: "return false ? { verdict: 'open' }",
    },
    {
      breaks: 'a first recheck that lies in the future is kept',
      text: 'firstRecheckedAt: isRecheckedInFuture(operation, now)',
      instead: 'firstRecheckedAt: false',
    },
    {
      breaks: 'a change to be sent again skips the guard',
      text: "operation.state === 'held' && operation.kind === 'change' && operation.sendAgain",
      instead: 'false',
    },
    {
      breaks: 'a choice is offered between ours and another record',
      text: "theirs: reconciliation.reason === 'other-values' ? reconciliation.record : null",
      instead: 'theirs: reconciliation.record',
    },
    {
      breaks: 'a recheck goes on after it was stopped',
      text: 'others.length > 0 && !wire.isStopped()',
      instead: 'others.length > 0',
    },
  ],
}
