/**
 * What errors mean to a bookkeeper, and what to do about them: by the accounting applications' codes, and by their
 * text. A code means nothing without its application. *Assumption* throughout: the specification shows no codes, so
 * these are the ones that the applications' vendor publishes.
 */
import type { ErrorKind } from '../../../shared/result.ts'

/** What happened, and what to do about it. */
export interface Meaning {
  readonly kind: Extract<ErrorKind, 'company-unavailable' | 'service-error'>
  readonly message: string
  readonly advice: string
  /** Set if only the service's own text gives the reason. It is shown after ours. */
  readonly readOn?: true
  /** The meaning for a read, if the general one is about saving. */
  readonly whenRead?: Pick<Meaning, 'message' | 'advice'>
}

function unavailable(message: string, advice: string): Meaning {
  return { kind: 'company-unavailable', message, advice }
}

function refused(message: string, advice: string): Meaning {
  return { kind: 'service-error', message, advice }
}

/** Meanings by code, without an application's prefix. */
export type CodeTable = Readonly<Record<string, Meaning>>

const DIALOG_OPEN = unavailable(
  'A dialog is open in QuickBooks.',
  'Close it on that computer. It may be behind other windows.',
)
const OTHER_FILE_OPEN = unavailable(
  'Another company file is open on that computer.',
  'Open this company’s file, or close the other one and leave none open.',
)

/** QuickBooks Desktop: reaching the company file. HRESULTs in hex without 0x. */
export const DESKTOP_REACHING: CodeTable = {
  '80040408': unavailable(
    'QuickBooks couldn’t start, or it isn’t clear which company file to open.',
    'Open QuickBooks on that computer, sign in, and open this company’s file.',
  ),
  '8004040A': OTHER_FILE_OPEN,
  '80040410': unavailable(
    'The file is in the wrong mode (single-user or multi-user).',
    'Switch the mode in the File menu of QuickBooks.',
  ),
  '80040414': DIALOG_OPEN,
  '8004041D': unavailable(
    'Automatic sign-in isn’t allowed for this file.',
    'Sign in to QuickBooks as Admin, go to Edit > Preferences > Integrated Applications > Company Preferences, and allow it.',
  ),
  '80040420': unavailable(
    'Access was denied in QuickBooks.',
    'Authorize it again there. Choose “Yes, always; allow access even if QuickBooks is not running.”',
  ),
}

/** QuickBooks Desktop: records. 500 to 999 are warnings: the write succeeded, but maybe not as expected. */
export const DESKTOP_RECORDS: CodeTable = {
  '1': refused('No records match.', ''),
  '500': refused(
    'A requested record was not found.',
    'It was deleted, or its ID belongs to another file. Get the records again.',
  ),
  '550': {
    ...refused('Saved, but its notes were not.', 'Add the notes in QuickBooks.'),
    whenRead: {
      message: 'The record was read, but its notes were not.',
      advice: 'The notes are in QuickBooks.',
    },
  },
  '3000': refused('The ID is not valid in this file.', 'Get the records again.'),
  '3100': refused(
    'This name is already used by a customer, vendor, employee, or other name.',
    'Choose another name.',
  ),
  '3120': refused('The record was not found.', 'It may have been deleted. Get the records again.'),
  '3140': refused(
    'The record refers to something that doesn’t exist in this company.',
    'Choose terms, a tax code, or a parent that exists, or add it in QuickBooks first.',
  ),
  '3171': refused(
    'The books are closed for that date.',
    'The closing date and its password are set in QuickBooks.',
  ),
  '3175': refused('The record is in use by someone else.', 'Try again when they are done.'),
  '3176': refused(
    'The record is locked, because it is in use by someone else.',
    'Try again when they are done.',
  ),
  '3180': {
    ...refused('The record couldn’t be saved.', 'The message from QuickBooks explains why.'),
    whenRead: {
      message: 'The record couldn’t be read.',
      advice: 'The message from QuickBooks explains why.',
    },
    readOn: true,
  },
  '3200': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '3250': refused('This feature is turned off in QuickBooks.', 'A QuickBooks administrator can turn it on.'),
  '3260': refused('QuickBooks didn’t give permission.', 'A QuickBooks administrator can grant it.'),
}

export const ONLINE: CodeTable = {
  '120': unavailable(
    'This company has not authorized the connection, or the authorization expired.',
    'Authorize it again.',
  ),
  '3200': unavailable(
    'This company has not authorized the connection, or the authorization expired.',
    'Authorize it again.',
  ),
  '610': refused('The record was not found, or was made inactive.', 'Get the records again.'),
  '2020': refused('A value that QuickBooks requires is missing.', 'Fill it in and send again.'),
  '2500': refused(
    'The record refers to something that doesn’t exist or is inactive.',
    'Choose one that exists, or make it active in QuickBooks first.',
  ),
  '5010': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '6000': {
    ...refused('QuickBooks doesn’t allow it.', 'The message from QuickBooks explains why.'),
    readOn: true,
  },
  '6140': refused('This document number is already in use.', 'Choose another number.'),
  '6190': unavailable(
    'The subscription of this company has ended.',
    'The client has to renew their QuickBooks subscription.',
  ),
  '6210': refused('The books are closed for that date.', 'The closing date is set in QuickBooks.'),
  '6240': refused('This name is already in use.', 'Choose another name.'),
}

/*
 * Meanings by text, for errors without a known code: the agent's conditions (specification, section 1), the company,
 * and the key. *Assumption*: the text may be anything. Unrecognized text is shown as it is.
 */

interface Spoken {
  readonly pattern: RegExp
  readonly meaning: Meaning
}

const NOBODY_LOGGED_IN = unavailable(
  'No one is signed in on the client’s computer.',
  'Sign in there and start the agent.',
)
const MACHINE_AWAY = unavailable(
  'The client’s computer isn’t responding.',
  'Is it on, and is someone signed in?',
)
const NO_TOKEN = unavailable(
  'The agent on the client’s computer has no valid token.',
  'Enter the company’s token in the agent: Companies, Copy agent token.',
)
const NO_AGENT = unavailable(
  'The agent on the client’s computer isn’t responding.',
  'Is the computer on, someone signed in, and the agent running with its token?',
)

/** Only a desktop application has a computer, an agent, and an open file. The first match counts. */
const OF_THE_DESKTOP: readonly Spoken[] = [
  {
    pattern:
      /\b(?:another|different|other|wrong)\s+(?:company|data)(?:\s+data)?\s*file\b|\b(?:another|different|other|wrong)\s+(?:company|file)\s+is\s+(?:currently\s+)?open\b|\bcompany\s*(?:data\s*)?file\b.*\bdifferent\b/i,
    meaning: OTHER_FILE_OPEN,
  },
  { pattern: /\b(?:dialog(?:ue)?|modal|message box|pop-?up)\b/i, meaning: DIALOG_OPEN },
  {
    pattern:
      /\bnot\s+(?:currently\s+)?(?:logged|signed)[\s-]+(?:in|on)(?:to)?\b|\b(?:logged|signed)\s+(?:off|out)\b|\b(?:nobody|no\s+(?:\w+\s+)?(?:user|one|session))\b.*\b(?:logged|signed)\b/i,
    meaning: NOBODY_LOGGED_IN,
  },
  {
    pattern:
      /\bagent\b.*\btoken\b|\btoken\b.*\bagent\b|\b(?:connection|connector|company)\s+token\b|\btoken\b.*\b(?:entered|missing|not\s+valid|invalid|expired)\b|\b(?:invalid|missing|no|expired)\s+(?:valid\s+)?token\b/i,
    meaning: NO_TOKEN,
  },
  {
    pattern:
      /(?<!\b(?:sales|purchasing|estate|insurance|shipping|travel)\s)\b(?:agent|connector)\b.*\b(?:not|never|un)\s*-?(?:been\s+)?(?:running|available|reachable|reached|connected|respond\w*|online|answer\w*|seen|found|started|active)|\b(?:agent|connector)\b.*\b(?:offline|stopped|down|away|silent|disconnected|inactive|timed?[\s-]?out|did\s*n.t|does\s*n.t|no\s+(?:response|answer|reply))\b|\bno\s+(?:\w+\s+)?agent\b|\b(?:reach|contact|connect\s+to|waiting\s+for)\s+(?:the\s+)?(?:\w+\s+)?agent\b/i,
    meaning: NO_AGENT,
  },
  {
    pattern:
      /\b(?:machine|computer|workstation|pc)\b.*\b(?:off|offline|asleep|down|unreachable|not\s+(?:on|available|reachable|responding|running|turned\s+on|powered))\b/i,
    meaning: MACHINE_AWAY,
  },
  {
    pattern:
      /\b(?:quickbooks|(?:accounting|desktop)\s+(?:application|software|program))\b.*\bnot\s+(?:currently\s+)?(?:running|open|started)\b/i,
    meaning: unavailable(
      'QuickBooks isn’t running on the client’s computer.',
      'Open it there, sign in, and open this company’s file.',
    ),
  },
  {
    pattern:
      /\b(?:company|data)\s*file\b.*\b(?:is\s+)?not\s+(?:currently\s+)?open\b|\bno\s+company\s*file\b.*\bopen\b/i,
    meaning: unavailable('This company file isn’t open in QuickBooks.', 'Open it, or close any other file.'),
  },
]

/** For any application. */
const OF_ANY: readonly Spoken[] = [
  {
    pattern:
      /\b(?:compan(?:y|ies)|endpoint)\b.*\b(?:inactive|not\s+active|deactivated)\b|\binactive\b.*\b(?:company|endpoint)\b|\bde-?provisioned\b/i,
    meaning: unavailable(
      'This company is inactive: its integration has ended.',
      'Provision the company again to continue.',
    ),
  },
  {
    pattern:
      /\b(?:denied|not\s+(?:been\s+)?authori[sz]ed|unauthori[sz]ed|authori[sz]ation)\b.*\b(?:application|user|admin|file|company)\b|\b(?:user|company)\b.*\b(?:denied|not\s+(?:been\s+)?authori[sz]ed|re-?authori[sz]e)\b/i,
    meaning: unavailable(
      'Access wasn’t authorized in QuickBooks.',
      'Authorize it again there, and choose “Yes, always” if it asks.',
    ),
  },
  {
    pattern:
      /\b(?:one|another|other|previous)\b.*\brequest\b.*\b(?:at a time|at work|in progress|process(?:ing|ed)|running)\b|\bconcurrent\b|\bsimultaneous\b/i,
    meaning: refused('The service is still working on another request.', 'Try again in a moment.'),
  },
]

const ABOUT_RATE_LIMIT =
  /\brate[\s-]?limit\w*\b|\btoo\s+many\s+requests\b|\bthrottl\w+\b|\b(?:request|call|rate|api)s?\s+quota\b|\bquota\b.*\b(?:exceeded|reached|used\s+up)\b/i
const ABOUT_COMPANY = /\bcompan(?:y|ies)\b|\bendpoint\s?id\b|\bcompany\s?file\b/i
/**
 * The service calls a company an *endpoint* (specification 2.5), but the word may also mean a URL. Here it is a
 * company, because the text says something that only applies to one.
 */
const ENDPOINT_IS =
  /\bendpoint\b[^.;]*\b(?:inactive|active|deactivated|disabled|unknown|suspended|closed|not\s+(?:be\s+)?found|not\s+exist|n.t\s+exist|belongs?)\b|\b(?:inactive|disabled|unknown|no\s+such)\s+endpoint\b|\bendpoint\s+["“'‘]?(?!v\d|https?:|\/)[\w{}-]*\d[\w{}-]*/i
const ABOUT_KEY = /\b(?:api[\s_-]?(?:key|token)|x-api-key|subscription[\s_-]?key)\b/i
const WRONG =
  '(?:invalid|missing|unknown|expired|revoked|refused|rejected|denied|required|not\\s+(?:valid|known|found|given))'
/**
 * A bare *key* may be another one, such as a foreign key or an index's key. It is the service's key only if the
 * sentence says nothing but that it is wrong.
 */
const IS_WRONG_KEY = new RegExp(
  `(?:^|[.:;!])\\s*(?:(?:the|your|this)\\s+)?(?:(?:supplied|given|provided|access|auth\\w*)\\s+)?` +
    `(?:key\\s+(?:(?:is|was|has\\s+been|has)\\s+)?${WRONG}|(?:${WRONG}|no)\\s+(?:access\\s+|auth\\w*\\s+)?key)\\s*(?:[.:;!]|$)`,
  'i',
)

/** Text about a field's value. Names and fields in it may be called anything, even *agent*. */
const ABOUT_A_VALUE =
  /\b(?:field|string|element|property|attribute|column|too\s+(?:long|short)|must\s+be\s+an?)\b/i

/** Quoted text, such as a name. Apostrophes within words don't quote, and a quotation after a colon is the message. */
const QUOTED = /(?<!:\s*)(?:"[^"]*"|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])['‘][^'’]*['’](?![\p{L}\p{N}]))/gu

/** What an error's text means. `null` if it isn't recognized. */
export function meaningOfText(application: string, text: string): Meaning | null {
  if (ABOUT_A_VALUE.test(text)) return null
  const message = text.replace(QUOTED, '…')
  const known = application.toLowerCase() === 'qbo' ? OF_ANY : [...OF_THE_DESKTOP, ...OF_ANY]
  return known.find(({ pattern }) => pattern.test(message))?.meaning ?? null
}

/** Whether a text is about a company. */
export function mentionsCompany(message: string): boolean {
  return ABOUT_COMPANY.test(message) || ENDPOINT_IS.test(message)
}

/** Whether a text names the API key explicitly. */
export function mentionsKey(message: string): boolean {
  return ABOUT_KEY.test(message)
}

/** Whether a text, an error's message or its detail, says that the key is wrong. */
export function saysKeyIsWrong(message: string): boolean {
  return mentionsKey(message) || IS_WRONG_KEY.test(message)
}

/** Whether a text says that there were too many requests. */
export function saysTooManyRequests(message: string): boolean {
  return ABOUT_RATE_LIMIT.test(message)
}

/** What a company may not have. *Data isn’t available* may be a failure. */
const ABOUT_OPTIONAL =
  /\b(?:reports?|budgets?|class(?:es)?|features?|editions?|plans?|subscriptions?|tracking|preferences?|versions?)\b/i
const NOT_AVAILABLE =
  /(?:\b(?:not|never)|n[’'`]t)\s+(?:(?:be|been|yet|currently)\s+)*(?:available|supported|offered|enabled|included|set\s*up|defined|used|in\s+use|(?:turned|switched)\s+on)\b|\b(?:unavailable|unsupported|disabled|(?:turned|switched)\s+off)\b|\bno\s+(?:\w+\s+)?(?:budgets?|classes|such\s+report)\b/i
const FOR_NOW =
  /\b(?:again|later|retry|temporar\w+|moment|right\s+now|while|until|busy|locked|in\s+use\s+by|timed?[\s-]?out|service(?!\s+says)|server|database|connection)\b/i

/** Whether a text says that a company doesn’t have a report, or what it is about, such as a budget. */
export function saysNotAvailable(message: string): boolean {
  return ABOUT_OPTIONAL.test(message) && NOT_AVAILABLE.test(message) && !FOR_NOW.test(message)
}
