/** Reads a table from a file, whose first bytes determine its kind, or from the clipboard. */
import { type FileHandle, open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { ImportKind, ImportRow, TextFormat } from '../../../shared/import/table.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import { type ImportLimits, ImportRefusedError, tooLarge } from './limits.ts'
import { readClipboard, readCsv } from './text-reader.ts'
import { type ReadTable, readWorkbook } from './workbook-reader.ts'

export type ImportOrigin =
  | {
      readonly kind: 'file'
      readonly path: string
      /** For workbooks; empty for the first visible sheet. */
      readonly sheet: string
      /** For text files. */
      readonly text?: TextFormat
    }
  /** A dropped file, whose path is unknown. */
  | {
      readonly kind: 'bytes'
      readonly fileName: string
      readonly bytes: Uint8Array
      readonly sheet: string
      readonly text?: TextFormat
    }
  | { readonly kind: 'clipboard'; readonly text: string; readonly delimiter: string | null }

/** Bytes that determine a file's kind. */
const START = 1_024

export interface ReadImport extends ReadTable {
  readonly kind: ImportKind
  readonly fileName: string
}

/** Reads the whole table. An error of kind `file` says what is wrong with the file. */
export async function readSource(source: ImportOrigin, limits: ImportLimits): Promise<Result<ReadImport>> {
  try {
    const read = await readAny(source, limits)
    if (read.rows.length === 0)
      throw new ImportRefusedError('This sheet is empty.', 'Choose another file or another sheet.')
    return ok({ ...read, notes: [...read.notes, ...garbledNotes(read.rows)] })
  } catch (cause) {
    if (cause instanceof ImportRefusedError) return err(cause.error)
    throw cause
  }
}

/** UTF-8 that was decoded with another encoding and saved again: `CafÃ©`, `itâ€™s`. */
const GARBLED =
  /[ÃÂ][\u0080-\u00bf\u0152-\u0178\u2013-\u203a\u20ac\u2122]|â€[\u0080-\u00bf\u0152-\u0178\u2013-\u203a\u2122]/

function garbledNotes(rows: readonly ImportRow[]): readonly string[] {
  for (const { number, cells } of rows) {
    const cell = cells.find((each): each is string => typeof each === 'string' && GARBLED.test(each))
    if (cell !== undefined)
      return [
        `Row ${String(number)} has “${cell.slice(0, 60)}”, which looks like text that was once saved in the wrong encoding.`,
      ]
  }
  return []
}

async function readAny(source: ImportOrigin, limits: ImportLimits): Promise<ReadImport> {
  switch (source.kind) {
    case 'clipboard':
      return { ...readClipboard(source.text, limits, source.delimiter), kind: 'clipboard', fileName: '' }
    case 'bytes':
      return readBytes(source, limits)
    case 'file':
      return readFileAt(source, limits)
  }
}

async function readBytes(
  { bytes, fileName, sheet, text }: ImportOrigin & { readonly kind: 'bytes' },
  limits: ImportLimits,
): Promise<ReadImport> {
  if (bytes.byteLength > limits.fileBytes) throw tooLarge('more data')
  if (isZip(bytes)) return { ...(await readWorkbook(bytes, sheet, limits)), kind: 'workbook', fileName }
  // If the user chose an encoding, it is text.
  if (!text?.encoding) refuseOthers(bytes.subarray(0, START), isWorkbookName(fileName))
  return { ...readCsv(bytes, limits, text), kind: 'csv', fileName }
}

async function readFileAt(
  { path, sheet, text }: ImportOrigin & { readonly kind: 'file' },
  limits: ImportLimits,
): Promise<ReadImport> {
  const fileName = basename(path)
  const file = await openFile(path)
  try {
    const { size } = await regular(file)
    if (size > limits.fileBytes) throw tooLarge('more data')
    const start = await firstBytes(file)
    if (isZip(start)) return { ...(await readWorkbook(path, sheet, limits)), kind: 'workbook', fileName }
    if (!text?.encoding) refuseOthers(start, isWorkbookName(fileName))
    return { ...readCsv(await file.readFile(), limits, text), kind: 'csv', fileName }
  } finally {
    await file.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    throw unreadable(cause)
  }
}

async function regular(file: FileHandle): Promise<{ readonly size: number }> {
  const found = await file.stat()
  if (!found.isFile())
    throw new ImportRefusedError('This is not a file.', 'Choose a CSV file or a workbook (.xlsx).')
  return found
}

function isWorkbookName(fileName: string): boolean {
  return /^\.xls[xm]?$/i.test(extname(fileName))
}

/** Reads by position, so that the handle stays at the start. */
async function firstBytes(file: FileHandle): Promise<Uint8Array> {
  const start = new Uint8Array(START)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  return start.subarray(0, bytesRead)
}

function isZip(start: Uint8Array): boolean {
  return (
    start[0] === 0x50 && start[1] === 0x4b && (start[2] === 3 || start[2] === 5) && start[3] === start[2] + 1
  )
}

function begins(start: Uint8Array, ...bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => start[index] === byte)
}

/** Refuses files that are neither a workbook nor text, and text named as a workbook. */
function refuseOthers(start: Uint8Array, isWorkbookByName: boolean): void {
  const save = 'Open it in Excel, save it as a regular workbook (.xlsx), and import that.'
  if (begins(start, 0xd0, 0xcf, 0x11, 0xe0))
    throw new ImportRefusedError(
      'This workbook is in the old .xls format or protected with a password.',
      save,
    )
  if (begins(start, 0x25, 0x50, 0x44, 0x46))
    throw new ImportRefusedError('This is a PDF.', 'Import a CSV file or a workbook (.xlsx) instead.')
  const text = new TextDecoder('latin1')
    .decode(start)
    .replaceAll('\0', '')
    .replace(/^[^<]{0,3}(?=<)/, '')
  if (/urn:schemas-microsoft-com:office:spreadsheet/.test(text))
    throw new ImportRefusedError('This workbook is in the XML format of Excel 2003.', save)
  if (/^\s*<(?:!doctype|html|head|body|table|\?xml|meta|!--)/i.test(text)) {
    throw new ImportRefusedError(
      isWorkbookByName
        ? 'This is a web page with the name of a workbook.'
        : 'This is a web page, not a table.',
      save,
    )
  }
  if (isWorkbookByName) {
    throw new ImportRefusedError(
      'This has the name of a workbook, but it isn’t one.',
      'If it is text with commas, change its extension to .csv and import it again.',
    )
  }
}

function unreadable(cause: unknown): ImportRefusedError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ImportRefusedError(
        'The file no longer exists.',
        'Choose it again. A network drive may be disconnected.',
        code,
      )
    case 'EACCES':
    case 'EPERM':
      return new ImportRefusedError(
        'This file can’t be read.',
        'Choose another file, or ask its owner for permission.',
        code,
      )
    case 'EBUSY':
      return new ImportRefusedError(
        'The file is open in another program.',
        'Close it there, then import it again.',
        code,
      )
    default:
      return new ImportRefusedError(
        'The file couldn’t be read.',
        'Choose it again, or copy it to this computer.',
        code,
      )
  }
}
