/** What is known about a setup that is waiting, as lines with times. */
import { applicationName, isDesktop } from '../../../shared/companies/companies.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { AppError } from '../../../shared/result.ts'
import type { FileLocation } from './steps.ts'

export interface KnownFact {
  /** ISO time; `null` for now. */
  readonly at: string | null
  readonly sign: 'done' | 'sent' | 'waiting' | 'refused'
  /** Shown in bold before the rest; may be empty. */
  readonly strong: string
  readonly text: string
}

const MAY_BE_SET_UP =
  'It may have been added anyway. Check the list before you try again, because a second company may be billed too.'

/** The facts in chronological order. */
export function knownFacts(provisioning: Provisioning): readonly KnownFact[] {
  const { sentAt, lastRecheckedAt, nextRecheckAt, application } = provisioning
  const facts: (KnownFact | null)[] = [
    userFact(provisioning),
    sentAt === null ? null : fact(sentAt, 'sent', `Company requested (${applicationName(application)})`),
    lastRecheckedAt === null
      ? null
      : fact(lastRecheckedAt, 'waiting', 'Not in the company list yet. It may still appear.'),
    now(provisioning, nextRecheckAt !== null),
  ]
  return facts.filter((one) => one !== null)
}

/**
 * The problem that the service reported, such as a stopped agent, an open dialog, or another file. `null` if it reported
 * none, for example because no answer came. As long as the company may exist anyway, the advice doesn't suggest another
 * attempt, because a second company may be billed, too.
 */
export function reportedProblem({ state, error }: Provisioning): AppError | null {
  if (error === null || (state !== 'waiting' && state !== 'refused')) return null
  const isSilence = error.kind === 'timed-out' || error.kind === 'dropped'
  if (state === 'refused') return error
  if (isSilence) return null
  if (error.kind === 'company-unavailable') return error
  return { ...error, message: asSentence(error.message), advice: MAY_BE_SET_UP }
}

/** Whether the choices may be changed: the service refused, or reported a problem. */
export function canGoBack(provisioning: Provisioning): boolean {
  return provisioning.state === 'refused' || reportedProblem(provisioning) !== null
}

/** Adds a period if there is none, because another sentence follows. */
function asSentence(message: string): string {
  const text = message.trimEnd()
  return /[\p{P}]$/u.test(text) || text === '' ? text : `${text}.`
}

/** The outcome of the request for a new user; `null` if there was none. */
function userFact({ newUser }: Provisioning): KnownFact | null {
  if (newUser === null || newUser.askedAt === null) return null
  switch (newUser.state) {
    case 'to-make':
      return null
    case 'asked':
      return fact(newUser.askedAt, 'sent', 'Client requested')
    case 'made':
      return fact(newUser.askedAt, 'done', 'Client created')
    case 'held':
      return fact(newUser.askedAt, 'waiting', 'Client requested. No clear response came.')
    case 'not-made':
      return fact(newUser.askedAt, 'refused', 'Client requested. None was created.')
  }
}

/** Whether nothing has been sent yet, not even a request for a user. */
function isUnsent({ sentAt, newUser }: Provisioning): boolean {
  return sentAt === null && (newUser === null || newUser.askedAt === null)
}

/** Whether the setup continues in the background. */
export function isAwaited(state: Provisioning['state']): boolean {
  return state === 'queued' || state === 'making-user' || state === 'sending' || state === 'waiting'
}

/** *10 minutes*, rounded up. */
export function formatMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return `${String(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}`
}

/** How far a moment lies between two others, from 0 to 1. */
export function progressBetween(from: number, at: number, to: number): number {
  return to <= from ? 1 : Math.min(1, Math.max(0, (at - from) / (to - from)))
}

function now(provisioning: Provisioning, isWatched: boolean): KnownFact | null {
  const { state, sentAt } = provisioning
  const nothing = isUnsent(provisioning)
  const reported = reportedProblem(provisioning) !== null
  switch (state) {
    case 'queued':
      return {
        at: null,
        sign: 'waiting',
        strong: nothing ? 'Nothing has been sent.' : 'The company hasn’t been requested.',
        text: 'Waiting in line.',
      }
    case 'making-user':
      return {
        at: null,
        sign: 'waiting',
        strong: 'No response yet.',
        text: 'The company is requested once the client exists. This setup isn’t billed until then.',
      }
    case 'sending':
      return {
        at: null,
        sign: 'waiting',
        strong: 'No response yet.',
        text: 'The service doesn’t report progress.',
      }
    case 'waiting':
      return {
        at: null,
        sign: 'waiting',
        strong: reported
          ? 'The service reported a problem, but setup may have happened anyway.'
          : 'No clear response came.',
        text: isWatched
          ? 'Setup may still finish. Bookbridge keeps checking the list of companies.'
          : 'Setup may still finish.',
      }
    case 'refused':
      return sentAt === null
        ? {
            at: null,
            sign: 'refused',
            strong: nothing ? 'Nothing was sent.' : 'No company was requested.',
            text: 'This setup isn’t billed.',
          }
        : { at: null, sign: 'refused', strong: 'Not provisioned.', text: 'The service refused it.' }
    case 'arrived':
    case 'kept':
    case 'dropped':
      return null
  }
}

function fact(at: string, sign: KnownFact['sign'], text: string): KnownFact {
  return { at, sign, strong: '', text }
}

/** The heading of step 4. */
export function waitTitle(provisioning: Provisioning): string {
  const { state, sentAt, application } = provisioning
  switch (state) {
    case 'queued':
      return 'Waiting in line'
    case 'making-user':
      return 'Creating the client'
    case 'refused':
      if (isUnsent(provisioning)) return 'Nothing was sent'
      return sentAt === null ? 'No company was requested' : 'The company was not provisioned'
    case 'dropped':
      return 'This setup was discarded'
    case 'waiting':
      if (reportedProblem(provisioning)) return 'The service couldn’t add the company'
      break
    case 'sending':
    case 'arrived':
    case 'kept':
      break
  }
  return isDesktop(application)
    ? 'Waiting for someone to authorize access in QuickBooks'
    : 'Waiting for someone to authorize access'
}

// Instructions for whoever sits at the computer with the books, to paste into an email. They use no terms that only
// Bookbridge shows. The application's own question may be worded differently in each version.

interface InstructionFacts {
  /** Short code of the application. */
  readonly application: string
  /** Where the company file is. */
  readonly place: FileLocation
  /** The file name that the user entered, or the company name for online books; may be empty. */
  readonly file: string
  /** How long the service waits, such as `10 minutes`. */
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
    '1. Turn on the computer, sign in, and stay signed in. Don’t let it sleep.',
    '2. Start the agent that connects your accounting application, if it isn’t running. If it asks for a token, ask us for it.',
    `3. Open ${named(file, 'your company file')} in the accounting application, and no other company file. The first time, sign in as its administrator and open the file in single-user mode.`,
    '4. Close every dialog in the application, then let us know you’re ready.',
    '',
    'When we start',
    `5. Within ${within} the application asks whether to give the agent access. The question may be behind other windows.`,
    '6. Choose to always allow access, even when the application is not running, and confirm until it’s done.',
    '',
    'Then let us know it’s done and which file was open. None of this changes your books.',
  )
}

function ownText({ file, within }: InstructionFacts): string {
  return lines(
    'To connect the books on this computer',
    '',
    'Before Provision company',
    '1. Stay signed in to this computer, and don’t let it sleep.',
    '2. Make sure the agent is running. If it asks for a token, ask your provider.',
    `3. Open ${named(file, 'the company file')} in the accounting application, and no other company file. The first time, sign in as its administrator and open it in single-user mode.`,
    '4. Close every dialog in the application.',
    '',
    'After Provision company',
    `5. Within ${within} the application asks whether to give the agent access. The question may be behind this window.`,
    '6. Choose to always allow access, even when the application is not running, and confirm until it’s done.',
    '7. Come back here and compare the file’s name and path.',
  )
}

function onlineText({ file, within }: InstructionFacts): string {
  const name = file.trim()
  return lines(
    'Please help us connect your online books. It takes a few minutes in your web browser.',
    '',
    '1. Sign in to your accounting application as an administrator of these books, and let us know you’re ready.',
    '2. When we start, the application’s own page asks whether to allow access. If no page appears, ask us for its address.',
    name === ''
      ? '3. If you have several companies there, ask us which one to choose.'
      : `3. If you have several companies there, choose “${name}”.`,
    `4. Allow access within ${within}.`,
    '',
    'Then let us know it’s done. None of this changes your books.',
  )
}

function named(file: string, otherwise: string): string {
  const name = file.trim()
  return name === '' ? otherwise : `the company file “${name}”`
}

function lines(...all: readonly string[]): string {
  return all.join('\n')
}
