/** Line ends of a text made alike: papaparse takes one kind for the whole text, and would join lines of another. */

/**
 * Every line end outside of quoted cells as `\n`. Inside them nothing is touched.
 * @returns the text itself where its lines end alike already
 */
export function unifiedLines(text: string, delimiter: string): string {
  if (!text.includes('\r')) return text
  const pieces: string[] = []
  let from = 0
  let isCellStart = true
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"' && isCellStart) {
      at = endOfQuoted(text, at)
      isCellStart = false
    } else if (character === '\r') {
      pieces.push(text.slice(from, at), '\n')
      if (text[at + 1] === '\n') at += 1
      from = at + 1
      isCellStart = true
    } else {
      isCellStart = character === delimiter || character === '\n'
    }
  }
  pieces.push(text.slice(from))
  return pieces.join('')
}

/** Where the quote stands that ends a quoted cell; the text's end where none does. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at < 0 ? text.length : at
}
