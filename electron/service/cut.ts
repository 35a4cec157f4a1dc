/** Bounding words that come from elsewhere. */

/** Stands where something was cut off. */
export const CUT = '…'

/** Bounds a text to `most` characters. What redacts it afterwards finds half a secret by the sign of the cut. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}${CUT}` : text
}
