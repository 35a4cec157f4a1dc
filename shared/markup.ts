/** Text inside of markup: of the documents that are printed, and of what is copied for a spreadsheet. */

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What the service says and a person types is text: none of it becomes markup, neither between tags nor in an attribute. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (mark) => MARKS[mark] ?? mark)
}
