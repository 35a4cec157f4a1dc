/** Why a file can't be imported. Thrown inside a reader, out of a parser's callbacks; a value at the reader's door. */
import { appError, type AppError } from '../../../shared/result.ts'

export class Refused extends Error {
  readonly error: AppError

  constructor(message: string, advice = '', raw = '') {
    super(message)
    this.error = appError('file', message, advice, raw === '' ? {} : { raw })
  }
}

/** The file breaks off or is not what its beginning says. */
export function damaged(raw: string): Refused {
  return new Refused(
    'This file is damaged or was cut off, so nothing of it was taken.',
    'Get it again from where it came from, or open it in Excel and save it anew.',
    raw,
  )
}

/** More of something than is ever read. */
export function tooLarge(what: string): Refused {
  return new Refused(
    `This file has ${what} than can be imported, so nothing of it was taken.`,
    'Split it into several files, or keep only the sheet and columns that you need.',
  )
}

/** The file asks for what an honest one never does. */
export function suspicious(raw: string): Refused {
  return new Refused(
    'This file is not an ordinary workbook and could be harmful, so it was not opened.',
    'Ask whoever sent it. If you trust it, open it in Excel, save it anew and import that.',
    raw,
  )
}
