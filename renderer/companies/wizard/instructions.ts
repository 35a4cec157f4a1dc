/**
 * What a client has to do at their machine, as text to send them: plain words, no names of ours that they
 * can't see. What the accounting application asks is its own, and may differ with its version.
 */
export interface InstructionFacts {
  /** The company file as the person named it; may be empty. */
  readonly file: string
  /** Minutes for which the service waits. */
  readonly minutes: number
}

/** The text that **Copy instructions** puts on the clipboard. */
export function clientInstructions({ file, minutes }: InstructionFacts): string {
  const named = file.trim()
  const theFile = named === '' ? 'your company file' : `the company file “${named}”`
  return [
    'Please help us connect your books. It takes a few minutes at the computer where your accounting application runs.',
    '',
    '1. Turn the computer on, log in, and stay logged in.',
    '2. Start the agent that connects your accounting application, if it is not running. If it asks for a token, ask us for it.',
    `3. Open ${theFile} in the accounting application, and no other company file. For the first time, log in there as its administrator.`,
    '4. Close every dialog in the application, then tell us that you are ready.',
    `5. Within the next ${minutes} minutes the application asks whether the agent may have access. The question may be behind other windows. Allow it, also for when the application is not running, and confirm to the end.`,
    '',
    'Then tell us that it is done. Nothing in your books is changed by this.',
  ].join('\n')
}
