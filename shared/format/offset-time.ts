/** ISO 8601 in whole seconds, with this computer's offset: `2026-01-01T00:00:00+01:00`. */
export function withOffset(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = -at.getTimezoneOffset()
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${offset}`
}
