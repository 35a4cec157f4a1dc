/** The passphrase of a backup. */

/** With fewer characters, anyone who has the file could guess it. */
export const SHORTEST_PASSPHRASE = 12

/** Normalizes a passphrase, because surrounding spaces and the Unicode form of letters depend on the keyboard. */
export function normalizePassphrase(typed: string): string {
  return typed.normalize('NFKC').trim()
}
