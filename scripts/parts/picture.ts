// Compares two screenshots, so that a picture in the repository is only replaced when there is something to see.
// Knows PNG as Chromium writes it: eight bits, RGB or RGBA, not interlaced.
import { inflateSync } from 'node:zlib'

const SIGNATURE_LENGTH = 8
/** Round corners come out a little otherwise now and then; a changed letter is several times as many pixels. */
const NOISE_PIXELS = 30

interface Picture {
  readonly width: number
  readonly height: number
  readonly bytesPerPixel: number
  readonly pixels: Uint8Array
}

/** Whether two PNG files look the same; false for one that can't be read. */
export function looksTheSame(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true
  const [left, right] = [decode(one), decode(other)]
  if (left === null || right === null) return false
  if (left.width !== right.width || left.height !== right.height) return false
  if (left.bytesPerPixel !== right.bytesPerPixel) return false
  return differentPixels(left, right) <= NOISE_PIXELS
}

function differentPixels(left: Picture, right: Picture): number {
  let count = 0
  for (let at = 0; at < left.pixels.length; at += left.bytesPerPixel) {
    for (let part = at; part < at + left.bytesPerPixel; part += 1) {
      if (left.pixels[part] === right.pixels[part]) continue
      count += 1
      break
    }
  }
  return count
}

function decode(file: Buffer): Picture | null {
  const packed: Buffer[] = []
  let header: Buffer | null = null
  for (let at = SIGNATURE_LENGTH; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at)
    const kind = file.toString('latin1', at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') header = data
    if (kind === 'IDAT') packed.push(data)
    at += 12 + length
  }
  const bytesPerPixel = header?.[9] === 6 ? 4 : header?.[9] === 2 ? 3 : 0
  if (header === null || bytesPerPixel === 0 || header[8] !== 8 || header[12] !== 0) return null
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const pixels = unfilter(inflateSync(Buffer.concat(packed)), width * bytesPerPixel, height, bytesPerPixel)
  return { width, height, bytesPerPixel, pixels }
}

/** Each line begins with the number of its filter: what was taken off its bytes before they were packed. */
function unfilter(lines: Buffer, stride: number, height: number, bytesPerPixel: number): Uint8Array {
  const pixels = new Uint8Array(stride * height)
  for (let line = 0; line < height; line += 1) {
    const filter = lines[line * (stride + 1)] ?? 0
    for (let column = 0; column < stride; column += 1) {
      const at = line * stride + column
      const left = column < bytesPerPixel ? 0 : (pixels[at - bytesPerPixel] ?? 0)
      const up = line === 0 ? 0 : (pixels[at - stride] ?? 0)
      const upLeft = line === 0 || column < bytesPerPixel ? 0 : (pixels[at - stride - bytesPerPixel] ?? 0)
      const taken = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0
      pixels[at] = (lines[at + line + 1] ?? 0) + taken
    }
  }
  return pixels
}

/** The neighbour that is nearest to their gradient (PNG, "Paeth"). */
function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft
  const [toLeft, toUp, toUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)]
  if (toLeft <= toUp && toLeft <= toUpLeft) return left
  return toUp <= toUpLeft ? up : upLeft
}
