// Compares two screenshots, so that a picture in the repository is replaced only when it looks different.
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Rounded corners vary slightly between runs. A changed letter is several times as many pixels. */
const NOISE_PIXELS = 30

/** Whether two PNG files look the same. False for a file that can't be read. */
export function looksTheSame(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true
  const [left, right] = [decode(one), decode(other)]
  if (left === null || right === null) return false
  const { width, height } = left
  if (width !== right.width || height !== right.height) return false
  const options = { threshold: 0, includeAA: true }
  return pixelmatch(left.data, right.data, undefined, width, height, options) <= NOISE_PIXELS
}

function decode(file: Buffer): PNG | null {
  try {
    return PNG.sync.read(file)
  } catch {
    return null
  }
}
