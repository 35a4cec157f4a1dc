/** When two names mean the same: one rule for reading back, for import and for the warnings beside a draft. */

/**
 * A name as it is compared: without regard to case, to blanks around it and around the colons of a full name, to how
 * many of them stand in a row, and to how its accents are written (NFC), as the applications do. Never shown.
 */
export function nameKey(name: string): string {
  return name
    .normalize('NFC')
    .trim()
    .replace(/\s*:\s*/g, ':')
    .replace(/\s+/g, ' ')
    .toLowerCase()
}

/** A mark of ours (an id) as it is compared: applications write ids in capitals, in braces or without dashes. */
export function markKey(mark: string): string {
  return mark.replace(/[\s{}()-]/g, '').toLowerCase()
}
