/** Names of the files that leave: `Company - Report - 2026-01-01 to 2026-03-31.csv`, fit for every system. */
import { existsSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileOf, isWholePath } from '../../shared/companies/setup.ts'

/** What Windows forbids in a name, and marks that make a name look like another (direction, no width). */
// eslint-disable-next-line no-control-regex -- control characters are what has to go
const FORBIDDEN = /[<>:"/\\|?*\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
/** Names of devices on Windows, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)$/i
/** File systems allow 255 bytes; some room is left for ` (2)` and for long folders on Windows. */
const MOST_BYTES = 180

/** One part of a name, of a path its file: forbidden characters as `_`, no blanks or dots at its ends. */
function safePart(text: string): string {
  const part = (isWholePath(text) ? fileOf(text) : text)
    .toWellFormed()
    .replace(FORBIDDEN, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, (ends) => '_'.repeat(ends.trim().length))
  return part === '' ? '_' : part
}

/** Shortens by whole characters until it has at most so many bytes. */
function cut(text: string, bytes: number): string {
  const characters = [...text]
  while (characters.length > 1 && Buffer.byteLength(characters.join('')) > bytes) characters.pop()
  return characters.join('').trimEnd()
}

/**
 * A file's name from its parts, joined by ` - `. The last part is kept whole (a period tells files of one folder
 * apart); the others share what room is left.
 * @param ending without the dot
 */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts.map(safePart)
  const last = cut(safe.at(-1) ?? '_', MOST_BYTES / 2)
  const others = safe.slice(0, -1)
  const share = (MOST_BYTES - Buffer.byteLength(last)) / Math.max(1, others.length)
  const stem = [...others.map((part) => cut(part, share - 3)), last].join(' - ')
  const device = DEVICE.test(stem.split('.')[0]?.trim() ?? '')
  return `${device ? '_' : ''}${stem}.${ending}`
}

/** A report's file: whose books, which report, which days. */
export function proposedFileName(
  company: string,
  report: string,
  period: { readonly from: string; readonly to: string },
  ending: string,
): string {
  return fileName([company, report, `${period.from} to ${period.to}`], ending)
}

/** A name that nothing in the folder has: one that is there already gets ` (2)`. For files that nobody is asked about. */
export function freeFileName(
  folder: string,
  name: string,
  isTaken = (_path: string): boolean => false,
): string {
  const { name: stem, ext } = parse(name)
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${stem} (${String(number)})${ext}`
    const path = join(folder, free)
    if (!existsSync(path) && !isTaken(path)) return free
  }
}
