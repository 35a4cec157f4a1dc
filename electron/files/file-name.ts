/** Names of saved files, valid on every system: `Company - Report - 2026-01-01 to 2026-03-31.csv`. */
import { existsSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileNameOf, isWholePath } from '../../shared/companies/companies.ts'

/** Characters that Windows forbids, and invisible ones that make names look alike (direction marks, zero width). */
// eslint-disable-next-line no-control-regex -- control characters must be removed
const FORBIDDEN = /[<>:"/\\|?*\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
/** Device names on Windows, which are reserved with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)$/i
/** File systems allow 255 bytes. The rest is reserved for ` (2)` and for long folders on Windows. */
const MAX_BYTES = 180

/**
 * Cleans one part of a name: keeps only the file of a path, replaces forbidden characters with `_`, and trims
 * spaces and dots.
 */
function safePart(text: string): string {
  const part = (isWholePath(text) ? fileNameOf(text) : text)
    .toWellFormed()
    .replace(FORBIDDEN, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, (ends) => '_'.repeat(ends.trim().length))
  return part === '' ? '_' : part
}

/** Shortens a text to a number of bytes without splitting characters. */
function cut(text: string, bytes: number): string {
  const characters = [...text]
  while (characters.length > 1 && Buffer.byteLength(characters.join('')) > bytes) characters.pop()
  return characters.join('').trimEnd()
}

/**
 * Joins the parts of a file name with ` - `. The last part is never shortened, because a period distinguishes
 * the files of a folder. The others share the remaining space.
 * @param ending the extension without the dot
 */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts.map(safePart)
  const last = cut(safe.at(-1) ?? '_', MAX_BYTES / 2)
  const others = safe.slice(0, -1)
  const share = (MAX_BYTES - Buffer.byteLength(last)) / Math.max(1, others.length)
  const stem = [...others.map((part) => cut(part, share - 3)), last].join(' - ')
  const device = DEVICE.test(stem.split('.')[0]?.trim() ?? '')
  return `${device ? '_' : ''}${stem}.${ending}`
}

/** A company's folder among others, by its name. */
export function folderName(company: string): string {
  // Windows drops a dot or space at the end.
  const name = safePart(cut(safePart(company), MAX_BYTES / 2))
  return DEVICE.test(name.split('.')[0]?.trim() ?? '') ? `_${name}` : name
}

/** Returns the file name of a report: company, report, and period. */
export function proposedFileName(
  company: string,
  report: string,
  period: { readonly from: string; readonly to: string },
  ending: string,
): string {
  return fileName([company, report, `${period.from} to ${period.to}`], ending)
}

/**
 * Returns a name that is unused in the folder, with ` (2)` appended if needed. For files that are saved without a
 * dialog.
 * @param name the file's name, or its path from the folder with `/`
 */
export function unusedFileName(
  folder: string,
  name: string,
  isTaken = (_path: string): boolean => false,
): string {
  const { ext } = parse(name)
  const stem = name.slice(0, name.length - ext.length)
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${stem} (${String(number)})${ext}`
    const path = join(folder, free)
    if (!existsSync(path) && !isTaken(path)) return free
  }
}
