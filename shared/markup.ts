/** Text inside of the documents that are printed. */

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What the service says is text: none of it becomes markup, neither between tags nor in an attribute. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (mark) => MARKS[mark] ?? mark)
}
