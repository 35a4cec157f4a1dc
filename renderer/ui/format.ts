/** The window's way to what numbers and dates look like; files that leave show them the same way. */
export { capitalised, Format, formatClock } from '../../shared/format/format.ts'
