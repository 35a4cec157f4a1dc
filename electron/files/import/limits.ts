import { type AppError, appError } from '../../../shared/result.ts'

/** How much of a file is read. Far above any honest list, far below what would hold up a laptop. */
export interface ImportLimits {
  /** Bytes of the file itself. */
  readonly fileBytes: number
  /** Parts of a workbook, and bytes that any one of them and all of them say they will unpack to. */
  readonly parts: number
  readonly partBytes: number
  readonly unpackedBytes: number
  /** Unpacked to packed. Honest sheets stay under 16; a part below 1 MiB is harmless whatever it says. */
  readonly ratio: number
  readonly rows: number
  readonly columns: number
  /** Cells, the empty ones between full ones counted too. */
  readonly cells: number
  /** Characters of all cells together, and of one text or tag. */
  readonly characters: number
  readonly token: number
  /** Elements within elements. */
  readonly depth: number
  readonly sheets: number
  /** How long reading may take, and how much memory the worker may have. */
  readonly milliseconds: number
  readonly memoryMebibytes: number
}

const MEBIBYTE = 1024 * 1024

export const IMPORT_LIMITS: ImportLimits = {
  fileBytes: 100 * MEBIBYTE,
  parts: 5_000,
  partBytes: 600 * MEBIBYTE,
  unpackedBytes: 1_200 * MEBIBYTE,
  ratio: 100,
  rows: 1_048_576,
  columns: 16_384,
  cells: 5_000_000,
  characters: 100_000_000,
  token: 2_000_000,
  depth: 64,
  sheets: 1_000,
  milliseconds: 60_000,
  memoryMebibytes: 1_024,
}

/*
 * Why a file can't be imported. Thrown inside a reader, out of a parser's callbacks; a value at the reader's door.
 */

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
    'This file is damaged or incomplete, so nothing was imported.',
    'Get the file again, or open it in Excel and save it again.',
    raw,
  )
}

/** More of something than is ever read. */
export function tooLarge(what: string): Refused {
  return new Refused(
    `This file has ${what} than can be imported, so nothing was imported.`,
    'Split it into several files, or keep only the sheet and columns that you need.',
  )
}

/** The file asks for what an honest one never does. */
export function suspicious(raw: string): Refused {
  return new Refused(
    'This file is not an ordinary workbook and could be harmful, so it was not opened.',
    'Ask the sender about it. If you trust it, open it in Excel, save it again, and import that file.',
    raw,
  )
}
