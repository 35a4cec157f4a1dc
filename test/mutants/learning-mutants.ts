import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/writing/records/confirm.ts': [
    {
      breaks: 'the first of a list is believed unread',
      text: 'if (!isProven || learned.returnsStoredValues === false',
      instead: 'if (learned.returnsStoredValues === false',
    },
    {
      breaks: 'a service whose answers lied is believed again',
      text: '!isProven || learned.returnsStoredValues === false ||',
      instead: '!isProven ||',
    },
    {
      breaks: 'a service whose IDs changed is believed again',
      text: '|| learned.keepsIds === false',
      instead: '',
    },
    {
      breaks: 'a new kind of text is believed unread beside a known one',
      text: 'return operations.some(({ edits }) => textTraits',
      instead: 'return operations.every(({ edits }) => textTraits',
    },
    {
      breaks: 'one honest answer makes up for a lie',
      text: 'learned.returnsStoredValues !== false && isStoredAsReturned',
      instead: 'isStoredAsReturned',
    },
    {
      breaks: 'an echo is believed though it lied',
      text: 'const isStoredAsReturned = returned !== null && isAsReturned(operation, returned, stored)',
      instead: 'const isStoredAsReturned = returned !== null',
    },
    {
      breaks: 'how long lists lag is not learned',
      text: "lag: returnedId === '' ? learned.lag : Math.max(learned.lag ?? 0, lag)",
      instead: 'lag: learned.lag',
    },
    {
      breaks: 'IDs for the moment are not noticed',
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
