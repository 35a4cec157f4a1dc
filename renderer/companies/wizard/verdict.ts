/** What step 5 says about the returned company. Pure. */
import {
  applicationName,
  compareFile,
  compareName,
  type FileComparison,
  isDesktop,
} from '../../../shared/companies/companies.ts'
import type { Company, Provisioning } from '../../../shared/contract/companies.ts'

interface FileVerdict {
  readonly kind: 'saved' | 'caution' | 'plain'
  readonly title: string
  readonly message: string
  /** Whether both names are shown, with the differences marked. */
  readonly compares: boolean
}

interface ReturnedCompany {
  /** Online books have a name but no file. */
  readonly isOnline: boolean
  readonly named: string
  /** The service's name for the company; may be empty. */
  readonly companyName: string
}

function fileVerdict(comparison: FileComparison, came: ReturnedCompany): FileVerdict {
  return came.isOnline ? onlineVerdict(comparison, came) : desktopVerdict(comparison, came)
}

/** What came back for a setup, compared with what the user named. */
export interface ReturnedBooks {
  readonly isOnline: boolean
  /** What is compared: a path, or the name of online books, which have no file. May be empty. */
  readonly returned: string
  readonly verdict: FileVerdict
  /** The answer that is offered first is then **No, wrong file…**. */
  readonly looksWrong: boolean
}

export function returnedBooks(
  { expectedFile: named }: Pick<Provisioning, 'expectedFile'>,
  { application, companyName, fullPath }: Pick<Company, 'application' | 'companyName' | 'fullPath'>,
): ReturnedBooks {
  const isOnline = !isDesktop(application)
  const returned = isOnline ? companyName : fullPath
  const comparison = isOnline ? compareName(named, returned) : compareFile(named, returned)
  const verdict = fileVerdict(comparison, { isOnline, named, companyName })
  return { isOnline, returned, verdict, looksWrong: verdict.kind === 'caution' }
}

function onlineVerdict(comparison: FileComparison, { named, companyName }: ReturnedCompany): FileVerdict {
  switch (comparison) {
    case 'same':
    case 'same-name':
      return verdictOf('saved', 'This is the company you named.', named)
    case 'different':
      return {
        ...verdictOf(
          'caution',
          'This is not the company you named.',
          'Another company may have been chosen there.',
        ),
        compares: true,
      }
    case 'no-path':
      return verdictOf('caution', 'The service returned no name.', `You named “${named}”. ${NAME_MAY_COME}`)
    case 'unnamed':
      return companyName === ''
        ? verdictOf('caution', 'The service returned no name, and you named none.', NAME_MAY_COME)
        : verdictOf('plain', 'You named no company, so there is nothing to compare.', READ_NAME)
  }
}

function desktopVerdict(comparison: FileComparison, { named, companyName }: ReturnedCompany): FileVerdict {
  switch (comparison) {
    case 'same':
      return verdictOf('saved', 'This is the file you named.', named)
    case 'same-name':
      // Not yet confirmed: only the user knows the folder.
      return verdictOf(
        'plain',
        'The file name matches. Is it the right folder?',
        'A file with the same name in another folder could be a different set of books.',
      )
    case 'different':
      return {
        ...verdictOf('caution', 'This is not the file you named.', 'Another file may have been open.'),
        compares: true,
      }
    case 'no-path':
      return companyName === ''
        ? verdictOf(
            'caution',
            'The service returned no name and no path.',
            `You named “${named}”. ${BOTH_MAY_COME}`,
          )
        : verdictOf(
            'caution',
            'The service returned no path.',
            `You named “${named}”. Compare the company’s name above.`,
          )
    case 'unnamed':
      return verdictOf('plain', 'You named no file, so there is nothing to compare.', READ_NAME)
  }
}

const READ_NAME = 'Read the name above before you keep it.'
const NAME_MAY_COME =
  'Read the list again, which may bring its name, or check in the application which company was chosen.'
const BOTH_MAY_COME =
  'Read the list again, which may bring them, or check in the application which file is open.'

function verdictOf(kind: FileVerdict['kind'], title: string, message: string): FileVerdict {
  return { kind, title, message, compares: false }
}

// Marks where two file names or paths differ: the words between their common beginning and end.

/** A part of a name. The parts in order make up the whole name. */
export interface NamePiece {
  readonly text: string
  readonly differs: boolean
}

interface FileDifference {
  readonly named: readonly NamePiece[]
  readonly returned: readonly NamePiece[]
}

/** Words and the characters between them. A word differs as a whole. */
const WORDS = /[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu

/** Compares without regard to case. */
export function fileDifference(named: string, returned: string): FileDifference {
  const left = named.match(WORDS) ?? []
  const right = returned.match(WORDS) ?? []
  const most = Math.min(left.length, right.length)
  const isAlike = (first: string | undefined, second: string | undefined): boolean =>
    first?.toLowerCase() === second?.toLowerCase()
  let from = 0
  while (from < most && isAlike(left[from], right[from])) from += 1
  let after = 0
  while (after < most - from && isAlike(left.at(-1 - after), right.at(-1 - after))) after += 1
  return { named: pieces(left, from, after), returned: pieces(right, from, after) }
}

function pieces(message: readonly string[], from: number, after: number): readonly NamePiece[] {
  const to = message.length - after
  return [
    { text: message.slice(0, from).join(''), differs: false },
    { text: message.slice(from, to).join(''), differs: true },
    { text: message.slice(to).join(''), differs: false },
  ].filter(({ text }) => text !== '')
}

// What else step 5 says about the returned company.

interface Remark {
  readonly kind: 'plain' | 'caution'
  readonly title: string
  readonly message: string
}

/** Remarks, most important first; empty for a new company that matches the request. */
export function remarksAbout(
  provisioning: Pick<Provisioning, 'application' | 'before'>,
  company: Pick<Company, 'application' | 'isActive'>,
): readonly Remark[] {
  return [
    ...otherApplication(provisioning.application, company.application),
    ...(company.isActive ? [] : [CALLED_INACTIVE]),
    ...beforeRemarks(provisioning.before),
  ]
}

/** Whether step 5 offers de-provisioning: only if no one can be using the company already. */
export function canDeprovision(before: Provisioning['before']): boolean {
  return before === 'not-there' || before === 'inactive'
}

function otherApplication(asked: string, came: string): readonly Remark[] {
  if (came === '' || came.toLowerCase() === asked.toLowerCase()) return []
  return [
    {
      kind: 'caution',
      title: `This is a company in ${applicationName(came)}, not ${applicationName(asked)}.`,
      message:
        'These aren’t the books you asked for, unless your provider uses that name for the application.',
    },
  ]
}

const CALLED_INACTIVE: Remark = {
  kind: 'caution',
  title: 'The service lists this company as inactive.',
  message:
    'Its books can’t be opened while it is inactive. Read the list again. If nothing changes, ask your provider whether it is billed.',
}

function beforeRemarks(before: Provisioning['before']): readonly Remark[] {
  switch (before) {
    case 'not-there':
      return []
    case 'active':
      return [
        {
          kind: 'plain',
          title: 'This company already existed.',
          message:
            'This company was already connected, so nothing was added. You can’t de-provision it from this step.',
        },
      ]
    case 'inactive':
      return [
        {
          kind: 'caution',
          title: 'This company was inactive. It is now active and billed again.',
          message:
            'The service reactivated the existing company. If this is not the right file, de-provision it to end billing.',
        },
      ]
    case 'unknown':
      return [
        {
          kind: 'caution',
          title: 'This company may have existed before.',
          message:
            'The list of companies was incomplete before the request. A new company is billed from now on. Its details in Companies show when it was created.',
        },
      ]
  }
}
