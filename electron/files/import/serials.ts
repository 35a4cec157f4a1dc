/** What a workbook's numbers mean: dates by their format, leading zeros by theirs. */
import type { DateCell, NumberCell } from '../../../shared/import-table.ts'

/** What a number format makes of a number. */
export type FormatMeaning = 'number' | 'date' | { readonly zeros: number }

/** Formats that every workbook has without listing them: dates and times; 46 counts hours beyond a day. */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || id === 45 || id === 47 || (id >= 50 && id <= 58)
}

/** @param code the format's own words, where the workbook lists them */
export function formatMeaning(id: number, code: string | undefined): FormatMeaning {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : 'number'
  const [first = ''] = code.split(';')
  if (/^0{2,20}$/.test(first)) return { zeros: first.length }
  // Hours beyond a day are a length of time.
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return 'number'
  const bare = first
    .replace(/"[^"]*"/g, '')
    .replace(/[\\_*]./g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/general/gi, '')
  return /[dmyhs]/i.test(bare) ? 'date' : 'number'
}

const DAY = 86_400_000
const SECOND = 1_000
const LAST_DAY = 2_958_465

/**
 * A cell's number by its format's meaning. A date before the system's first day, or of a day that never was
 * (29 February 1900), stays a number.
 * @param digits as the file has them
 * @param is1904 whether days are counted from 1904
 */
export function numberCell(digits: string, meaning: FormatMeaning, is1904: boolean): NumberCell | DateCell {
  if (meaning === 'number') return { number: digits }
  if (meaning === 'date') return dateOf(Number(digits), is1904) ?? { number: digits }
  return /^\d+$/.test(digits) && digits.length < meaning.zeros
    ? { number: digits, shown: digits.padStart(meaning.zeros, '0') }
    : { number: digits }
}

function dateOf(serial: number, is1904: boolean): DateCell | null {
  if (!Number.isFinite(serial) || serial < 0 || serial > LAST_DAY) return null
  // To the second; a whole day that rounding reaches is the next day.
  const seconds = Math.round(serial * 86_400)
  const day = Math.floor(seconds / 86_400)
  const time = new Date((seconds % 86_400) * SECOND).toISOString().slice(11, 19)
  if (serial < 1 && day === 0) return { date: time }
  const start = startOf(day, is1904)
  if (start === null) return null
  const date = new Date(start + day * DAY).toISOString().slice(0, 10)
  return { date: time === '00:00:00' ? date : `${date}T${time}` }
}

/** Midnight of day 0. The 1900 system counts a 29 February 1900, so that days before it lie one later. */
function startOf(day: number, is1904: boolean): number | null {
  if (is1904) return Date.UTC(1904, 0, 1)
  if (day === 60) return null
  return day < 60 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
}
