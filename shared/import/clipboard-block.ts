/** Blocks of cells on the clipboard, in the format of spreadsheets: tabs between cells, line breaks between rows, and quotes. */

/** Parses a block. Quoted cells may contain tabs, line breaks, and doubled quotes. A line break at the end adds no row. */
export function readBlock(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  const body = text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  let at = 0
  while (at <= body.length) {
    const { cell, end } = body[at] === '"' ? quotedCell(body, at) : plainCell(body, at)
    rows.at(-1)?.push(cell)
    if (body[end] === '\n') rows.push([])
    at = end + 1
  }
  return rows
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== '\t' && text[end] !== '\n') end += 1
  return { cell: text.slice(start, end), end }
}

function quotedCell(text: string, start: number): { cell: string; end: number } {
  let cell = ''
  let at = start + 1
  for (; at < text.length; at += 1) {
    if (text[at] !== '"') cell += text.charAt(at)
    else if (text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else break
  }
  const isWhole =
    text[at] === '"' && (at + 1 >= text.length || text[at + 1] === '\t' || text[at + 1] === '\n')
  return isWhole ? { cell, end: at + 1 } : plainCell(text, start)
}

/** Writes a block. Every row ends with a line break, even the last one, so that an empty last cell isn't lost. */
export function writeBlock(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return rows.map((row) => `${row.map(cell).join('\t')}\r\n`).join('')
}
