import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/response.ts': [
    {
      breaks: 'the outcome of an array that was not saved as sent is postponed',
      text: 'postponed !== null && isSavedAsSent &&',
      instead: 'postponed !== null &&',
    },
    {
      breaks: 'a refusal of an uncertain operation is reported as not accepted',
      text: 'return wasUncertain(operation)\n',
      instead: 'return false\n',
    },
    {
      breaks: 'an uncertain insert that was not sent is queued',
      text: "return operation.kind === 'insert' && wasUncertain(operation)",
      instead: 'return false',
    },
    {
      breaks: 'an ID that the list already had is mistaken for a new one',
      text: 'new Set([...known, ...before])',
      instead: 'known',
    },
    {
      breaks: 'the ID of another operation’s record is mistaken for a new one',
      text: 'new Set([...known, ...before',
      instead: 'new Set([...before',
    },
    {
      breaks: 'the first insert and the first change are not read back',
      text: 'if (readBackSaved)',
      instead: 'if (false)',
    },
    {
      breaks: 'an operation whose response could not be journaled is sent again',
      text: "return createMove(operation, 'uncertain', { ...NEW_UNCERTAINTY, error: NOT_WRITTEN })",
      instead: "return createMove(operation, 'not-sent', { error: NOT_WRITTEN })",
    },
    {
      breaks: 'sending again keeps the rechecks of the previous uncertainty',
      text: "case 'uncertain':\n          return createMove(operation, 'uncertain', { error, settledAt: null, ...NEW_UNCERTAINTY })",
      instead:
        "case 'uncertain':\n          return createMove(operation, 'uncertain', { error, settledAt: null })",
    },
  ],
  'electron/writing/records/compare.ts': [
    {
      breaks: 'a member that a response omits counts as saved',
      text: 'return isShort || !isEmpty(edit.now)\n  })',
      instead: 'return false\n  })',
    },
    {
      breaks: 'a short response proves that a field was cleared',
      text: 'if (!Object.hasOwn(record, top)) return isShort || !isEmpty(edit.now)',
      instead: 'if (!Object.hasOwn(record, top)) return !isEmpty(edit.now)',
    },
    {
      breaks: 'a member that a change lost is not reported',
      text: "part !== 'ID' &&\n        isUnexpectedChange",
      instead: 'false && isUnexpectedChange',
    },
    {
      breaks: 'only edited members are compared',
      text: 'return [...editDifferences(sent, record), ...partDifferences(sent, record)]',
      instead: 'return editDifferences(sent, record)',
    },
  ],
  'electron/writing/records/item-outcomes.ts': [
    {
      breaks: 'one warning beside an error makes a refusal uncertain',
      text: 'errors.every((error) => isWarning(application, error))',
      instead: 'errors.some((error) => isWarning(application, error))',
    },
    {
      breaks: 'codes 500 to 999 of every application are warnings',
      text: "application.toLowerCase() === 'qbd' &&",
      instead: '',
    },
    {
      breaks: 'warnings of the desktop application are refusals',
      text: "(application.toLowerCase() === 'qbd' && /^[5-9]\\d\\d$/.test(normalCode(code)))",
      instead: 'false',
    },
    {
      breaks: 'code 0 is an error',
      text: "(normalCode(code) === '0' && /^(?:$|ok|success)/i.test(severity))",
      instead: 'false',
    },
    {
      breaks: 'code 0 with severity Error is a success',
      text: "(normalCode(code) === '0' && /^(?:$|ok|success)/i.test(severity))",
      instead: "normalCode(code) === '0'",
    },
    {
      breaks: 'an error beside a record is a refusal',
      text: 'return record === null && !isWarned',
      instead: 'return !isWarned',
    },
    {
      breaks: 'a warning is a refusal',
      text: 'record === null && !isWarned && !hasMoreThanSent(item, operation)',
      instead: 'record === null && !hasMoreThanSent(item, operation)',
    },
    {
      breaks: 'a stored record without an ID is a refusal',
      text: '&& !isWarned && !hasMoreThanSent(item, operation)',
      instead: '&& !isWarned',
    },
    {
      breaks: 'an error of the whole request is ignored',
      text: '!envelope.errors.every(isStatus) || hasUnlistedErrors(envelope)',
      instead: 'hasUnlistedErrors(envelope)',
    },
    {
      breaks: 'errors that are announced but not listed are ignored',
      text: '!envelope.errors.every(isStatus) || hasUnlistedErrors(envelope)',
      instead: '!envelope.errors.every(isStatus)',
    },
    {
      breaks: 'a response about another record proves a change',
      text: "kind === 'change' && idOf(record) !== operation.recordId",
      instead: 'false',
      equivalent: 'matchItems never lays an item with another ID to a change; this only repeats it',
    },
    {
      breaks: 'a response with the right ID and another record proves a change',
      text: "kind === 'change' && isAnotherRecord(object, before, record, edits)",
      instead: 'false',
    },
    {
      breaks: 'an older record with the same name is reported as the new one',
      text: 'operation.namesakes.includes(idOf(record)) || knownIds.has(idOf(record))',
      instead: 'knownIds.has(idOf(record))',
    },
    {
      breaks: 'a record of another operation is reported as the new one',
      text: 'operation.namesakes.includes(idOf(record)) || knownIds.has(idOf(record))',
      instead: 'operation.namesakes.includes(idOf(record))',
    },
    {
      breaks: 'the record that a response named for an insert is forgotten',
      text: "{ outcome: 'uncertain', errors: [], returnedId: idOf(record) }",
      instead: "{ outcome: 'uncertain', errors: [] }",
    },
    {
      breaks: 'a record without any of the sent values is reported as saved without reading it back',
      text: 'if (isInsert && !isIdentified(operation, record)) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'a short response proves what it omits',
      text: 'if (omitsSentFields(operation, record)) return',
      instead: 'if (false) return',
    },
    {
      breaks: 'the first of several inserts takes the only item',
      text: "operation?.kind === 'insert' && others.length === 0",
      instead: "operation?.kind === 'insert'",
    },
    {
      breaks: 'the only insert takes the first of several items',
      text: 'others.length === 0 && more.length === 0',
      instead: 'others.length === 0',
    },
    {
      breaks: 'an echo without an ID counts as a record',
      text: "return object !== null && idOf(object) !== '' ? object : null",
      instead: 'return object',
    },
    {
      breaks: 'a value that the service altered is not reported',
      text: 'notAsSent: savedDifferences(operation, record)',
      instead: 'notAsSent: []',
    },
  ],
}
