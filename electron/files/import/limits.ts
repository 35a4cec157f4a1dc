import { type AppError, appError } from '../../../shared/result.ts'

/** Limits on a file, far above any real list and far below what would stall a laptop. */
export interface ImportLimits {
  /** Bytes of the file itself. */
  readonly fileBytes: number
  /** Number of parts in a workbook, and their unpacked size, each and in total. */
  readonly parts: number
  readonly partBytes: number
  readonly unpackedBytes: number
  /** Ratio of unpacked to packed size. Real sheets stay below 16. Parts below 1 MiB are exempt. */
  readonly ratio: number
  readonly rows: number
  readonly columns: number
  /** Cells, including empty ones between filled ones. */
  readonly cells: number
  /** Characters in all cells, and in a single text or tag. */
  readonly characters: number
  readonly token: number
  /** Nesting of elements. */
  readonly depth: number
  readonly sheets: number
  /** Time to read the file, and memory of the worker. */
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

/** A file that can't be imported. Readers throw it out of parser callbacks; `readSource` returns it as a value. */
export class ImportRefusedError extends Error {
  readonly error: AppError

  constructor(message: string, advice = '', raw = '') {
    super(message)
    this.error = appError('file', message, advice, raw === '' ? {} : { raw })
  }
}

/** The file is cut off or inconsistent. */
export function damaged(raw: string): ImportRefusedError {
  return new ImportRefusedError(
    'This file is damaged or incomplete, so nothing was imported.',
    'Get the file again, or open it in Excel and save it again.',
    raw,
  )
}

/** The file exceeds a limit. */
export function tooLarge(what: string): ImportRefusedError {
  return new ImportRefusedError(
    `This file has ${what} than can be imported, so nothing was imported.`,
    'Split it into several files, or keep only the sheet and columns that you need.',
  )
}

/** The file contains something that real files never do. */
export function suspicious(raw: string): ImportRefusedError {
  return new ImportRefusedError(
    'This isn’t a regular workbook and could be harmful, so Bookbridge didn’t open it.',
    'Ask the sender about it. If you trust it, open it in Excel, save it again, and import that file.',
    raw,
  )
}
