/** The passphrase of a backup, as both sides read it. */

/** With fewer characters it can be guessed by whoever has the file. */
export const SHORTEST_PASSPHRASE = 12

/** As it counts: blanks around it and the spelling of its letters differ from keyboard to keyboard. */
export function plainPassphrase(typed: string): string {
  return typed.normalize('NFKC').trim()
}
