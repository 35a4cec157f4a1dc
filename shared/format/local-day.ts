/** The local date of a moment, `yyyy-mm-dd`. */
export function localDay(moment: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
}
