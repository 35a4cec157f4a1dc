/** When two names mean the same: one rule for reading back, for import and for the warnings beside a draft. */

/**
 * A name as it is compared: without regard to case, to blanks around it and around the colons of a full name, and to
 * how its accents are written (NFC), as the applications do. Never shown.
 */
export function nameKey(name: string): string {
  return name
    .normalize('NFC')
    .trim()
    .replace(/\s*:\s*/g, ':')
    .toLowerCase()
}
