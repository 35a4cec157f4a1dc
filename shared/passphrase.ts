/** The passphrase of a backup. */

/** With fewer characters, anyone who has the file could guess it. */
export const SHORTEST_PASSPHRASE = 12

/** The passphrase as it counts. Outer spaces and the encoding of letters differ between keyboards. */
export function plainPassphrase(typed: string): string {
  return typed.normalize('NFKC').trim()
}
