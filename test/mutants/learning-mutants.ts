import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/confirm.ts': [
    {
      breaks: 'the first record of a list is trusted without reading it back',
      text: 'if (!isProven || learned.returnsStoredValues === false',
      instead: 'if (learned.returnsStoredValues === false',
    },
    {
      breaks: 'a service that once gave false responses is trusted again',
      text: '!isProven || learned.returnsStoredValues === false ||',
      instead: '!isProven ||',
    },
    {
      breaks: 'a service whose IDs changed is trusted again',
      text: '|| learned.keepsIds === false',
      instead: '',
    },
    {
      breaks: 'a new kind of text is trusted without reading it back because a known one came with it',
      text: 'return operations.some(({ edits }) => textTraits',
      instead: 'return operations.every(({ edits }) => textTraits',
    },
    {
      breaks: 'one true response makes up for a false one',
      text: 'learned.returnsStoredValues !== false && isStoredAsReturned',
      instead: 'isStoredAsReturned',
    },
    {
      breaks: 'responses that only repeat the request are trusted although one was false',
      text: 'const isStoredAsReturned = returned !== null && isAsReturned(operation, returned, stored)',
      instead: 'const isStoredAsReturned = returned !== null',
    },
    {
      breaks: 'how long lists lag is not learned',
      text: "lag: returnedId === '' ? learned.lag : Math.max(learned.lag ?? 0, lag)",
      instead: 'lag: learned.lag',
    },
    {
      breaks: 'temporary IDs are not noticed',
      text: 'learned.keepsIds !== false && returnedId === idOf(stored)',
      instead: 'true',
    },
    {
      breaks: 'external IDs that don’t come back are not noticed',
      text: "learned.keepsExternalIds !== false && says === 'ours'",
      instead: 'true',
    },
  ],
}
