/**
 * What an error's words speak of, where no code says it: the agent's conditions (specification, section 1), the
 * company, the key. *Assumption*: the words are the service's own and may be any; what is not recognised stands as it is.
 */
import { DIALOG_OPEN, OTHER_FILE_OPEN, refused, unavailable, type Meaning } from './error-table.ts'

interface Spoken {
  readonly pattern: RegExp
  readonly meaning: Meaning
}

const NOBODY_LOGGED_IN = unavailable(
  'Nobody is logged in on the client’s machine.',
  'Log in to its operating system, and start the agent.',
)
const MACHINE_AWAY = unavailable(
  'The client’s machine does not answer.',
  'Is it on, and is somebody logged in?',
)
const NO_TOKEN = unavailable(
  'The agent on the client’s machine has no valid token.',
  'Enter the company’s token in the agent: Companies, Copy agent token.',
)
const NO_AGENT = unavailable(
  'The agent on the client’s machine does not answer.',
  'Is the machine on and logged in, and the agent running with its token?',
)

/** Only a desktop application has a machine, an agent and a file that is open. The first that fits counts. */
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
      'The accounting application is not running on the client’s machine.',
      'Open it there, log in, and open this company’s file.',
    ),
  },
  {
    pattern:
      /\b(?:company|data)\s*file\b.*\b(?:is\s+)?not\s+(?:currently\s+)?open\b|\bno\s+company\s*file\b.*\bopen\b/i,
    meaning: unavailable(
      'This company’s file is not open in the accounting application.',
      'Open it there, or close whatever else is open.',
    ),
  },
]

/** Of any application. */
const OF_ANY: readonly Spoken[] = [
  {
    pattern:
      /\b(?:compan(?:y|ies)|endpoint)\b.*\b(?:inactive|not\s+active|deactivated)\b|\binactive\b.*\b(?:company|endpoint)\b|\bde-?provisioned\b/i,
    meaning: unavailable(
      'This company is inactive: its integration has ended.',
      'Provision the company again to go on.',
    ),
  },
  {
    pattern:
      /\b(?:denied|not\s+(?:been\s+)?authori[sz]ed|unauthori[sz]ed|authori[sz]ation)\b.*\b(?:application|user|admin|file|company)\b|\b(?:user|company)\b.*\b(?:denied|not\s+(?:been\s+)?authori[sz]ed|re-?authori[sz]e)\b/i,
    meaning: unavailable(
      'Access was not authorised in the accounting application.',
      'Authorise it there again, with “Yes, always” where it asks so.',
    ),
  },
  {
    pattern:
      /\b(?:one|another|other|previous)\b.*\brequest\b.*\b(?:at a time|at work|in progress|process(?:ing|ed)|running)\b|\bconcurrent\b|\bsimultaneous\b/i,
    meaning: refused('The service is still at work on another request.', 'Try again in a moment.'),
  },
]

const SPEAKS_OF_RATE =
  /\brate[\s-]?limit\w*\b|\btoo\s+many\s+requests\b|\bthrottl\w+\b|\b(?:request|call|rate|api)s?\s+quota\b|\bquota\b.*\b(?:exceeded|reached|used\s+up)\b/i
const SPEAKS_OF_COMPANY = /\bcompan(?:y|ies)\b|\bendpoint\s?id\b|\bcompany\s?file\b/i
/**
 * *Endpoint* is the service's own word for a company (specification 2.5), and also one for an address that is called:
 * it is the company where it is said what only a company can be.
 */
const ENDPOINT_IS =
  /\bendpoint\b[^.;]*\b(?:inactive|active|deactivated|disabled|unknown|suspended|closed|not\s+(?:be\s+)?found|not\s+exist|n.t\s+exist|belongs?)\b|\b(?:inactive|disabled|unknown|no\s+such)\s+endpoint\b|\bendpoint\s+["“'‘]?(?!v\d|https?:|\/)[\w{}-]*\d[\w{}-]*/i
const SPEAKS_OF_KEY = /\b(?:api[\s_-]?(?:key|token)|x-api-key|subscription[\s_-]?key)\b/i
const WRONG =
  '(?:invalid|missing|unknown|expired|revoked|refused|rejected|denied|required|not\\s+(?:valid|known|found|given))'
/**
 * Other keys are spoken of too (a foreign key, a key of an index, a key in line 3): a bare *key* is ours only where
 * that it is wrong is all that the sentence says.
 */
const IS_WRONG_KEY = new RegExp(
  `(?:^|[.:;!])\\s*(?:(?:the|your|this)\\s+)?(?:(?:supplied|given|provided|access|auth\\w*)\\s+)?` +
    `(?:key\\s+(?:(?:is|was|has\\s+been|has)\\s+)?${WRONG}|(?:${WRONG}|no)\\s+(?:access\\s+|auth\\w*\\s+)?key)\\s*(?:[.:;!]|$)`,
  'i',
)

/** Words about what a field may hold: names and fields may be called after anything, an agent as well. */
const SPEAKS_OF_A_VALUE =
  /\b(?:field|string|element|property|attribute|column|too\s+(?:long|short)|must\s+be\s+an?)\b/i

/**
 * What somebody has written, such as a name. An apostrophe within a word quotes nothing, and what stands after a colon
 * is what is said.
 */
const QUOTED = /(?<!:\s*)(?:"[^"]*"|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])['‘][^'’]*['’](?![\p{L}\p{N}]))/gu

/** What the words mean; `null` where they speak of nothing that is known. */
export function spokenMeaning(application: string, text: string): Meaning | null {
  if (SPEAKS_OF_A_VALUE.test(text)) return null
  const words = text.replace(QUOTED, '…')
  const known = application.toLowerCase() === 'qbo' ? OF_ANY : [...OF_THE_DESKTOP, ...OF_ANY]
  return known.find(({ pattern }) => pattern.test(words))?.meaning ?? null
}

export function speaksOfCompany(words: string): boolean {
  return SPEAKS_OF_COMPANY.test(words) || ENDPOINT_IS.test(words)
}

/** The service's key, in so many words. */
export function namesKey(words: string): boolean {
  return SPEAKS_OF_KEY.test(words)
}

/** @param words one text of the error: its message, or its detail */
export function speaksOfKey(words: string): boolean {
  return namesKey(words) || IS_WRONG_KEY.test(words)
}

/** The service was asked too often. */
export function speaksOfRate(words: string): boolean {
  return SPEAKS_OF_RATE.test(words)
}
