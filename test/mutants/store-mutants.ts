import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/store/journal/rows.ts': [
    {
      breaks: 'an operation moves from any state',
      text: ') AND state = ?${',
      instead: ") AND ? <> ''${",
    },
    {
      breaks: 'all records of an array get the facts of the first',
      text: 'if (areAlike) {',
      instead: 'if (true) {',
    },
    {
      breaks: 'a dropped operation is sent',
      text: "${move.to === 'sending' ? ' AND is_closed = 0' : ''}",
      instead: '',
    },
    {
      breaks: 'a late response reopens what the user has decided',
      text: 'max(is_closed, ?)',
      instead: '?',
    },
    {
      breaks: 'a move that could not be made is ignored silently',
      text: 'if (moved !== operationIds.length) throw notInState(database, move, operationIds)',
      instead: '',
    },
    {
      breaks: 'a saved draft stays in the list',
      text: 'move.closes ? operationIds : []',
      instead: '[] as string[]',
    },
    {
      breaks: 'the time to search for a duplicate is not kept',
      text: "...plain('recheck_at', facts.recheckAt),",
      instead: '',
    },
    {
      breaks: 'the permission to send again is not kept',
      text: "...flagged('send_again', facts.sendAgain),",
      instead: '',
    },
    {
      breaks: 'dismissed records are not kept',
      text: "...asJson('dismissed', facts.dismissed),",
      instead: '',
    },
    {
      breaks: 'the record right before a first change is not kept',
      text: "...asJson('before_sending', facts.beforeSending),",
      instead: '',
    },
    {
      breaks: 'a second response overwrites the first',
      text: "if (known === null || textOrNull(known, 'outcome') !== null) return",
      instead: 'if (known === null) return',
    },
    {
      breaks: 'a request that was never sent counts as the first sending',
      text: "`(outcome IS NOT 'not-sent' OR NOT ${intactInSql('requests')})`",
      instead: "'TRUE'",
    },
    {
      breaks: 'the last sending counts as the first',
      text: 'min(sent_at) AS first',
      instead: 'max(sent_at) AS first',
    },
    {
      breaks: 'the history says that something was first sent when it was last sent',
      text: 'first_sent_at = coalesce(first_sent_at, ?)',
      instead: 'first_sent_at = coalesce(?, first_sent_at)',
    },
    {
      breaks: 'the history says that something was sent although it never was',
      text: "if (result.outcome === 'not-sent') correctSentTimes",
      instead: 'if (false as boolean) correctSentTimes',
    },
    {
      breaks: 'only the last response’s IDs are remembered',
      text: '...(byOperation.get(operationId) ?? []), ...ids',
      instead: '...ids',
    },
  ],
  'electron/store/journal/operations.ts': [
    {
      breaks: 'operations are ended from any state',
      text: 'WHERE operation_id = ? AND state = ? AND is_closed = 0`,\n    end.operationId',
      instead: "WHERE operation_id = ? AND ? <> '' AND is_closed = 0`,\n    end.operationId",
    },
    {
      breaks: 'an operation is ended twice',
      text: 'state = ? AND is_closed = 0`,\n    end.operationId',
      instead: 'state = ?`,\n    end.operationId',
    },
    {
      breaks: 'a discarded operation keeps its permission to be sent again',
      text: 'SET is_closed = 1, send_again = 0,',
      instead: 'SET is_closed = 1,',
    },
    {
      breaks: 'seeing a saved record ends the search for a duplicate',
      text: "recheck_at = iif(state = 'acked', recheck_at, NULL)",
      instead: 'recheck_at = NULL',
    },
    {
      breaks: 'a discarded operation is searched for forever',
      text: "recheck_at = iif(state = 'acked', recheck_at, NULL)",
      instead: 'recheck_at = recheck_at',
    },
    {
      breaks: 'a draft is queued twice',
      text: "draft_id = ? AND operation_id IS NULL'",
      instead: "draft_id = ?'",
    },
    {
      breaks: 'a draft that was sent is queued again',
      text: "if (state !== null && state !== 'rejected') {",
      instead: "if (state === 'gone') {",
    },
    {
      breaks: 'closed operations count as open',
      text: "AND state = ? AND is_closed = 0\n                 AND previous_service = ''",
      instead: "AND state = ?\n                 AND previous_service = ''",
    },
    {
      breaks: 'an operation that was sent to another service is searched for at this one',
      text: "AND state = ? AND is_closed = 0\n                 AND previous_service = ''",
      instead: 'AND state = ? AND is_closed = 0',
    },
    {
      breaks: 'closed operations are sent',
      text: "WHERE batch_id = ? AND state = 'queued' AND is_closed = 0\n  ORDER BY position LIMIT ?",
      instead: "WHERE batch_id = ? AND state = 'queued'\n  ORDER BY position LIMIT ?",
    },
    {
      breaks: 'a batch is sent in reverse order',
      text: 'ORDER BY position LIMIT ?`\n',
      instead: 'ORDER BY position DESC LIMIT ?`\n',
    },
    {
      breaks: 'a stopped batch is sent',
      text: "endpoint_id = ? AND status = 'open' AND EXISTS",
      instead: 'endpoint_id = ? AND EXISTS',
    },
    {
      breaks: 'a later batch is sent before an earlier one',
      text: 'ORDER BY queued_at, rowid`,\n            ...key(company),\n          )\n          .map(batchFromRow)',
      instead:
        'ORDER BY queued_at DESC, rowid DESC`,\n            ...key(company),\n          )\n          .map(batchFromRow)',
    },
    {
      breaks: 'a response is not kept',
      text: 'if (result !== null) saveRequestResult(database, result)',
      instead: '',
    },
    {
      breaks: 'a restart forgets to search for duplicates',
      text: "(state = 'unknown' AND is_closed = 0 OR recheck_at IS NOT NULL)",
      instead: "(state = 'unknown' AND is_closed = 0)",
    },
    {
      breaks: 'duplicates are searched for only for a day',
      text: "attempts.operation_id = operations.operation_id AND outcome IS NOT 'not-sent') > 1",
      instead: 'attempts.operation_id = operations.operation_id) > 99',
    },
    {
      breaks: 'a duplicate is recorded where no one sees it',
      text: 'setFacts(database, operationId, { ...facts, isClosed: false })',
      instead: 'setFacts(database, operationId, facts)',
    },
    {
      breaks: 'duplicates are searched for at another service',
      text: "recheck_at IS NOT NULL AND previous_service = ''",
      instead: 'recheck_at IS NOT NULL',
    },
    {
      breaks: 'a draft that is sent again is sent twice',
      text: 'for (const end of replaced) endOperation(database, end)',
      instead: '',
    },
    {
      breaks: 'the baseline of an unfinished insert is deleted',
      text: 'operations.is_closed = 0 OR operations.recheck_at IS NOT NULL',
      instead: 'operations.recheck_at IS NOT NULL',
    },
    {
      breaks: 'the baseline of an insert that was sent again is deleted',
      text: 'operations.is_closed = 0 OR operations.recheck_at IS NOT NULL',
      instead: 'operations.is_closed = 0',
    },
    {
      breaks: 'one batch is compared with another’s baseline',
      text: 'if (last?.baselineId === baselineId) return last.records',
      instead: 'if (last !== null) return last.records',
    },
  ],
  'electron/store/services.ts': [
    {
      breaks: 'external IDs that one list returns are trusted in every list',
      text: "'SELECT 1 FROM trusted_external_ids WHERE connection_id = ? AND application = ? AND object = ?'",
      instead:
        "'SELECT 1 FROM trusted_external_ids WHERE connection_id = ? OR application = ? OR object = ?'",
    },
    {
      breaks: 'an insert’s own record is mistaken for another’s',
      text: 'AND operation_id NOT IN (SELECT value FROM json_each(?))',
      instead: "AND ? <> 'x'",
    },
    {
      breaks: 'an ID that a response to an uncertain insert named counts as another record’s',
      text: "AND (kind = 'change' OR state IN ('acked', 'conflict')) AND previous_service = ''",
      instead: "AND previous_service = ''",
    },
    {
      breaks: 'a record that an insert created counts as one that was edited',
      text: 'since: isEarlier ? since : before.since',
      instead: 'since: isEarlier ? before?.since ?? since : since',
    },
    {
      breaks: 'a record that is being edited is reported as a new one',
      text: 'UNION SELECT record_id FROM drafts',
      instead: "UNION SELECT '' FROM drafts",
    },
    {
      breaks: 'a record of another operation is reported as a new one (store)',
      text: 'endpoint_id = ? AND object = ?\n             AND record_id IN (SELECT value FROM json_each(?)) AND previous_service',
      instead: "endpoint_id = ? AND object = ?\n             AND ? = '' AND previous_service",
    },
    {
      breaks: 'what inserts showed is applied to changes',
      text: 'connection_id = ? AND application = ? AND object = ? AND kind = ?`,\n          ...values(key)',
      instead: "connection_id = ? AND application = ? AND object = ? AND ? <> ''`,\n          ...values(key)",
    },
    {
      breaks: 'external IDs of earlier inserts are not searched for',
      text: "state = 'acked' AND external_id <> '' AND previous_service = '' ORDER",
      instead: "external_id = '' AND previous_service = '' ORDER",
    },
  ],
  'electron/store/journal/journal-store.ts': [
    {
      breaks: 'an operation that was being sent stays at SENDING after a crash',
      text: "WHERE state = 'sending' OR (state = 'unknown' AND is_closed = 1)",
      instead: "WHERE (state = 'unknown' AND is_closed = 1)",
    },
    {
      breaks: 'an operation that was being sent is sent again after a restart',
      text: "SET state = 'unknown', is_closed = 0,",
      instead: "SET state = 'queued', is_closed = 0,",
    },
    {
      breaks: 'a closed operation with an unknown outcome is never searched for',
      text: "WHERE state = 'sending' OR (state = 'unknown' AND is_closed = 1)",
      instead: "WHERE state = 'sending'",
    },
    {
      breaks: 'a crash keeps earlier rechecks of an uncertain operation',
      text: 'is_closed = 0, rechecks = 0, first_rechecked_at = NULL,',
      instead: 'is_closed = 0,',
    },
    {
      breaks: 'the permission to send again survives a restart',
      text: 'database.run(`UPDATE operations SET send_again = 0 WHERE send_again = 1`)',
      instead: '',
    },
    {
      breaks: 'queued records are sent after a restart',
      text: "UPDATE batches SET status = 'stopped' WHERE status = 'open'",
      instead: "UPDATE batches SET status = 'open' WHERE status = 'open'",
    },
    {
      breaks: 'operations that wait for a decision are trimmed',
      text: "isOld = `is_closed = 1 AND state <> 'unknown'",
      instead: "isOld = `state <> 'unknown'",
    },
    {
      breaks: 'operations with an unknown outcome are trimmed',
      text: "isOld = `is_closed = 1 AND state <> 'unknown'",
      instead: 'isOld = `is_closed = 1',
    },
  ],
}
