import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    file: 'electron/writing/learning.ts',
    text: 'if (!isProven || learned.answersAsStored === false',
    instead: 'if (learned.answersAsStored === false',
    breaks: 'the first of a list is believed unread',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: '!isProven || learned.answersAsStored === false ||',
    instead: '!isProven ||',
    breaks: 'a service whose answers lied is believed again',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: '|| learned.keepsIds === false',
    instead: '',
    breaks: 'a service whose IDs changed is believed again',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: 'return operations.some(({ edits }) => textTraits',
    instead: 'return operations.every(({ edits }) => textTraits',
    breaks: 'a new kind of text is believed unread beside a known one',
    killedBy: ['writing-recognition'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: 'learned.answersAsStored !== false && isStoredAsTold',
    instead: 'isStoredAsTold',
    breaks: 'one honest answer makes up for a lie',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: 'const isStoredAsTold = told !== null && isAsTold(operation, told, stored)',
    instead: 'const isStoredAsTold = told !== null',
    breaks: 'an echo is believed though it lied',
    killedBy: ['writing-recognition'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: "lag: toldId === '' ? learned.lag : Math.max(learned.lag ?? 0, lag)",
    instead: 'lag: learned.lag',
    breaks: 'how long lists lag is not learned',
    killedBy: ['writing-recognition'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: 'learned.keepsIds !== false && toldId === idOf(stored)',
    instead: 'true',
    breaks: 'IDs for the moment are not noticed',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
  {
    file: 'electron/writing/learning.ts',
    text: "learned.keepsMarks !== false && says === 'ours'",
    instead: 'true',
    breaks: 'marks that do not come back are not noticed',
    killedBy: ['writing-recognition', 'writing-answers', 'writing-settling'],
  },
]
