import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/recognition.ts': [
    {
      breaks: 'a record with the same name is ours whenever it was created',
      text: 'return areCreatedApart(before, after)',
      instead: 'return false',
    },
    {
      breaks: 'a shift by daylight saving time makes ours another record',
      text: 'return apart > ONE_DAY || apart % ONE_HOUR > 0',
      instead: 'return apart > 0',
    },
    {
      breaks: 'a record with as many different values as equal ones is accepted',
      text: 'different > 0 && different >= equal',
      instead: 'different > equal',
    },
    {
      breaks: 'a record that lacks values is accepted',
      text: '&& missing === 0 && different === 0',
      instead: '&& different === 0',
    },
    {
      breaks: 'a record with other values is accepted',
      text: '&& missing === 0 && different === 0',
      instead: '&& missing === 0',
    },
    {
      breaks: 'a different creation date is ignored',
      text: "if (created === 'yes' || numbered === 'yes') return true",
      instead: "if (numbered === 'yes') return true",
    },
    {
      breaks: 'a record that we renamed is reported as another one',
      text: 'if (isAlteredName(namesOf(edits, {}), is)) return false',
      instead: '',
    },
    {
      breaks: 'a number that changed along with the name is ignored',
      text: "if (created === 'yes' || numbered === 'yes') return true",
      instead: "if (created === 'yes') return true",
    },
    {
      breaks: 'without a date or a number, every record is the same',
      text: "numbered === 'unknown' && areMostOthersDifferent",
      instead: 'false && areMostOthersDifferent',
    },
    {
      breaks: 'an equal default value counts as evidence for a record',
      text: "if (held === 'equal' && isDefault) continue",
      instead: '',
    },
    {
      breaks: 'external IDs are case-sensitive',
      text: '[externalIdKey(externalId), externalIdKey(externalIdOf(record))]',
      instead: '[externalId, externalIdOf(record)]',
    },
    {
      breaks: 'the beginning of an external ID counts as all of it',
      text: "ours.startsWith(theirs) ? 'cut'",
      instead: "ours.startsWith(theirs) ? 'ours'",
    },
    {
      breaks: 'any first letter counts as a shortened external ID',
      text: 'theirs.length >= SHORTEST_CUT &&',
      instead: '',
    },
    {
      breaks: 'names are compared without normalizing them',
      text: 'if (nameKey(fullNameOf(record)) === name) return true',
      instead: 'if (fullNameOf(record) === fullName) return true',
    },
    {
      breaks: 'a record with the same name under another parent is mistaken for ours',
      text: 'return idOf({ ...parent }) === parentId &&',
      instead: 'return',
    },
    {
      breaks: 'names are case-sensitive',
      text: "return [...new Set(names.map(nameKey))].filter((name) => name !== '')\n}\n\n/** The names",
      instead: "return [...new Set(names)].filter((name) => name !== '')\n}\n\n/** The names",
    },
  ],
  'electron/writing/records/item-outcomes.ts': [
    {
      breaks: 'an item with another record’s external ID is matched by position',
      text: "if (says === 'other') return isNamed && !isMarkedForAnother(sent, object, all)",
      instead: "if (says === 'other') return true",
    },
    {
      breaks: 'an item with another ID is matched with a change',
      text: 'return id === sent.recordId',
      instead: 'return true',
    },
    {
      breaks: 'position decides although the item names another record',
      text: 'return isNamed || namesOfRecord',
      instead: 'return true || namesOfRecord',
    },
    {
      breaks: 'position decides although the counts differ',
      text: 'if (sent.length !== items.length) return null',
      instead: '',
    },
    {
      breaks: 'an ID that was returned for two records is trusted',
      text: 'return repeatedIds(items).size > 0 ? null : matched',
      instead: 'return matched',
    },
    {
      breaks: 'changes are matched by the remaining positions',
      text: "if (sent.some(({ kind }) => kind !== 'insert')) return null",
      instead: '',
    },
    {
      breaks: 'position decides although the order differs',
      text: 'if (certain !== undefined) return certain === item',
      instead: 'if (certain !== undefined) return true',
    },
    {
      breaks: 'an item with another’s external ID is matched with the record at its position',
      text: '!isMarkedForAnother(record, object, sent) && isInItsPlace',
      instead: 'isInItsPlace',
    },
    {
      breaks: 'position decides although the values contradict',
      text: 'if (isContradicted(evidence)) return false',
      instead: '',
    },
    {
      breaks: 'position decides although the item fits another record better',
      text: 'return all.every((other) => other === record || matchScore(evidenceFor(other, object)) <= fit)',
      instead: 'return true',
    },
    {
      breaks: 'one of two items with the same ID is trusted',
      text: 'if (item.object !== null && repeated.has(idOf(item.object))) continue',
      instead: '',
    },
    {
      breaks: 'an item that fits two records is given to the first',
      text: 'candidates.length > 1 || matched.has(only.operationId)',
      instead: 'matched.has(only.operationId)',
    },
    {
      breaks: 'the last of two items for one record is trusted',
      text: 'candidates.length > 1 || matched.has(only.operationId)',
      instead: 'candidates.length > 1',
    },
    {
      breaks: 'a name outweighs an external ID that contradicts it',
      text: 'isThis(record, object) && agrees(record, item, sent)',
      instead: 'isThis(record, object)',
    },
    {
      breaks: 'inserts whose names came back altered stay uncertain',
      text: 'byRemainingPositions(sent, items, named) ?? named',
      instead: 'named',
    },
  ],
}
