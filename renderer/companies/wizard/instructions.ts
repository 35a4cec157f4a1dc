/**
 * What somebody has to do so that the books can be connected, as text to send or to keep beside: plain words, no
 * names of ours that they can't see. What the accounting application asks is its own, and may differ with its version.
 */
import { isDesktop } from '../../../shared/applications.ts'
import { type Place } from './steps.ts'

export interface InstructionFacts {
  /** Short code of the application. */
  readonly application: string
  /** Where the company file is. */
  readonly place: Place
  /** The company file as the person named it, online the company’s name; may be empty. */
  readonly file: string
  /** How long the service waits, e.g. `10 minutes`. */
  readonly within: string
}

/** The text that **Copy instructions** puts on the clipboard. */
export function instructionsText(facts: InstructionFacts): string {
  if (!isDesktop(facts.application)) return onlineText(facts)
  return facts.place === 'client' ? clientText(facts) : ownText(facts)
}

function clientText({ file, within }: InstructionFacts): string {
  return lines(
    'Please help us connect your books. It takes a few minutes at the computer where your accounting application runs.',
    '',
    'Before we begin',
    '1. Turn the computer on, log in, and stay logged in. Don’t let it go to sleep.',
    '2. Start the agent that connects your accounting application, if it is not running. If it asks for a token, ask us for it.',
    `3. Open ${named(file, 'your company file')} in the accounting application, and no other company file. For the first time, log in there as its administrator and open the file in single-user mode.`,
    '4. Close every dialog in the application, then tell us that you are ready.',
    '',
    'When we have begun',
    `5. Within ${within} the application asks whether the agent may have access. The question may be behind other windows.`,
    '6. Allow it always, also for when the application is not running, and confirm to the end.',
    '',
    'Then tell us that it is done, and the name of the file that was open. Nothing in your books is changed by this.',
  )
}

function ownText({ file, within }: InstructionFacts): string {
  return lines(
    'To connect the books on this computer',
    '',
    'Before Provision company',
    '1. Stay logged in to this computer, and don’t let it go to sleep.',
    '2. See that the agent is running. If it asks for a token, ask the provider of the service.',
    `3. Open ${named(file, 'the company file')} in the accounting application, and no other company file. For the first time, as the file’s administrator and in single-user mode.`,
    '4. Close every dialog in the application.',
    '',
    'After Provision company',
    `5. Within ${within} the application asks whether the agent may have access. The question may be behind this window.`,
    '6. Allow it always, also for when the application is not running, and confirm to the end.',
    '7. Come back and compare the name and the path of the file.',
  )
}

function onlineText({ file, within }: InstructionFacts): string {
  const name = file.trim()
  return lines(
    'Please help us connect your online books. It takes a few minutes, in the browser that you use for them.',
    '',
    '1. Log in to your accounting application as an administrator of these books, and tell us that you are ready.',
    '2. When we have begun, the application’s own page asks whether access may be given. If no page comes, ask us for its address.',
    name === ''
      ? '3. If you have several companies there, ask us which one to choose.'
      : `3. If you have several companies there, choose “${name}”.`,
    `4. Allow the access, within ${within}.`,
    '',
    'Then tell us that it is done. Nothing in your books is changed by this.',
  )
}

function named(file: string, otherwise: string): string {
  const name = file.trim()
  return name === '' ? otherwise : `the company file “${name}”`
}

function lines(...all: readonly string[]): string {
  return all.join('\n')
}
