/** What step 5 says about what came back against what was named. Words only. */
import type { FileComparison } from '../../../shared/company-file.ts'

export interface FileVerdict {
  readonly kind: 'saved' | 'caution' | 'plain'
  readonly title: string
  readonly words: string
  /** Both are shown under it, with what differs marked. */
  readonly compares: boolean
}

export interface Came {
  /** Online books have a name, and no file. */
  readonly isOnline: boolean
  readonly named: string
  /** The service's name of the company; may be empty. */
  readonly companyName: string
}

export function fileVerdict(comparison: FileComparison, came: Came): FileVerdict {
  return came.isOnline ? onlineVerdict(comparison, came) : desktopVerdict(comparison, came)
}

function onlineVerdict(comparison: FileComparison, { named, companyName }: Came): FileVerdict {
  switch (comparison) {
    case 'same':
    case 'same-name':
      return said('saved', 'It is the company that you named.', named)
    case 'different':
      return {
        ...said(
          'caution',
          'This is not the company that you named.',
          'Another company may have been chosen there.',
        ),
        compares: true,
      }
    case 'no-path':
      return said('caution', 'The service gave no name.', `You named “${named}”. ${NAME_MAY_COME}`)
    case 'unnamed':
      return companyName === ''
        ? said('caution', 'The service gave no name, and none was named.', NAME_MAY_COME)
        : said('plain', 'No company was named, so there is nothing to compare with.', READ_NAME)
  }
}

function desktopVerdict(comparison: FileComparison, { named, companyName }: Came): FileVerdict {
  switch (comparison) {
    case 'same':
      return said('saved', 'It is the file that you named.', named)
    case 'same-name':
      return said(
        'saved',
        'Its name is the one that you gave.',
        `You named “${named}”. Look at the folder above too: files of the same name can be different books.`,
      )
    case 'different':
      return {
        ...said('caution', 'This is not the file that you named.', 'Another file may have been open.'),
        compares: true,
      }
    case 'no-path':
      return companyName === ''
        ? said('caution', 'The service gave neither name nor path.', `You named “${named}”. ${BOTH_MAY_COME}`)
        : said(
            'caution',
            'The service gave no path.',
            `You named “${named}”; compare the company’s name above.`,
          )
    case 'unnamed':
      return said('plain', 'No file was named, so there is nothing to compare with.', READ_NAME)
  }
}

const READ_NAME = 'Read the name above before you keep it.'
const NAME_MAY_COME =
  'Its name may come with the list: read the list again, or look in the application which company was chosen.'
const BOTH_MAY_COME =
  'They may come with the list: read the list again, or look in the application which file is open.'

function said(kind: FileVerdict['kind'], title: string, words: string): FileVerdict {
  return { kind, title, words, compares: false }
}
