/**
 * What the accounting applications' codes mean in a bookkeeper's words, and what to do. A number means nothing without
 * its application. *Assumption* throughout: the specification shows no codes, so those that the
 * applications' vendor publishes are looked for.
 */
import type { ErrorKind } from '../../../shared/result.ts'

/** What happened, and what to do about it. */
export interface Meaning {
  readonly kind: Extract<ErrorKind, 'company-unavailable' | 'service-error'>
  readonly message: string
  readonly advice: string
  /** The reason stands in the service's text alone, which is therefore shown after our words. */
  readonly readOn?: true
  /** What it says to a read, where the other words speak of saving. */
  readonly whenRead?: Pick<Meaning, 'message' | 'advice'>
}

export function unavailable(message: string, advice: string): Meaning {
  return { kind: 'company-unavailable', message, advice }
}

export function refused(message: string, advice: string): Meaning {
  return { kind: 'service-error', message, advice }
}

/** By code, without an application's prefix. */
export type CodeTable = Readonly<Record<string, Meaning>>

export const DIALOG_OPEN = unavailable(
  'A dialog is open in the accounting application.',
  'Close it on that machine; it may be behind other windows.',
)
export const OTHER_FILE_OPEN = unavailable(
  'Another company file is open there.',
  'Open this company’s file, or close the other one and leave none open.',
)

/** Desktop: reaching the company file. HRESULTs, as hex without 0x. */
export const DESKTOP_REACHING: CodeTable = {
  '80040408': unavailable(
    'The accounting application could not be started, or it is not clear which file to open.',
    'Open the application on that machine, log in, and open this company’s file.',
  ),
  '8004040A': OTHER_FILE_OPEN,
  '80040410': unavailable(
    'The file is open in another mode (single-user or multi-user) than was asked for.',
    'Switch the mode in the application’s File menu.',
  ),
  '80040414': DIALOG_OPEN,
  '8004041D': unavailable(
    'Automatic login is not allowed for this file.',
    'Log in as Admin in the application and allow it under Preferences, Integrated Applications.',
  ),
  '80040420': unavailable(
    'Access was denied in the accounting application.',
    'Authorise again there, with “Yes, always”.',
  ),
}

/** Desktop: records. 500 to 999 are warnings: done, perhaps not as expected. */
export const DESKTOP_RECORDS: CodeTable = {
  '1': refused('Nothing matched: there are no such records.', ''),
  '500': refused(
    'A record that was asked for was not found.',
    'It was deleted, or its ID belongs to another file. Get the records again.',
  ),
  '550': {
    ...refused('Saved, but its notes were not.', 'Add the notes in the application.'),
    whenRead: {
      message: 'It was read, but its notes were not.',
      advice: 'The notes are in the application.',
    },
  },
  '3000': refused('The ID is not valid in this file.', 'Get the records again.'),
  '3100': refused(
    'The name is in use, perhaps by a vendor, an employee or another name.',
    'Choose another name.',
  ),
  '3120': refused('The record was not found.', 'It may have been deleted. Get the records again.'),
  '3140': refused(
    'It refers to something that does not exist there.',
    'Pick terms, a tax code or a parent that the application has.',
  ),
  '3171': refused(
    'The bookkeeping period is closed.',
    'The closing date and its password are set in the application.',
  ),
  '3175': refused('The record is in use by someone else.', 'Try again when they are done.'),
  '3176': refused(
    'The record is locked, because it is in use by someone else.',
    'Try again when they are done.',
  ),
  '3180': {
    ...refused('It could not be saved.', 'The reason is in the application’s own words.'),
    whenRead: { message: 'It could not be read.', advice: 'The reason is in the application’s own words.' },
    readOn: true,
  },
  '3200': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '3250': refused(
    'This feature is switched off in the company file.',
    'An Admin of the application can switch it on.',
  ),
  '3260': refused('The application did not give permission.', 'An Admin of the application can give it.'),
}

export const ONLINE: CodeTable = {
  '120': unavailable(
    'This company has not authorised the connection, or the authorisation ran out.',
    'Authorise it again.',
  ),
  '3200': unavailable(
    'This company has not authorised the connection, or the authorisation ran out.',
    'Authorise it again.',
  ),
  '610': refused('The record was not found, or was made inactive.', 'Get the records again.'),
  '2020': refused('A value that the application requires is missing.', 'Fill it in and send again.'),
  '2500': refused(
    'It refers to something that does not exist or is inactive.',
    'Pick one that the application has.',
  ),
  '5010': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '6000': {
    ...refused('A rule of the application stands against it.', 'The rule is in the application’s own words.'),
    readOn: true,
  },
  '6140': refused('The document number is in use.', 'Choose another number.'),
  '6190': unavailable(
    'The subscription of this company has ended.',
    'The client has to renew it with the application’s vendor.',
  ),
  '6210': refused('The bookkeeping period is closed.', 'The closing date is set in the application.'),
  '6240': refused('The name is in use.', 'Choose another name.'),
}
