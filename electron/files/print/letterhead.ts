/**
 * The letterhead of documents: the firm, the preparer, and the logo. A logo is a validated picture without its
 * metadata.
 */
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Settings } from '../../../shared/contract/settings.ts'
import { escapeHtml } from '../../../shared/format/text.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'

export interface Picture {
  readonly type: 'image/png' | 'image/jpeg'
  readonly bytes: Uint8Array
}

export interface Letterhead {
  /** Either may be empty. */
  readonly firm: string
  readonly preparer: string
  readonly logo: Picture | null
}

/** Returns the letterhead from the settings. An invalid logo, such as in a manually edited file, is omitted. */
export function letterheadOf({
  firmName,
  preparer,
  logo,
}: Pick<Settings, 'firmName' | 'preparer' | 'logo'>): Letterhead {
  const base64 = /^data:image\/(?:png|jpeg);base64,(.*)$/.exec(logo)?.[1]
  return {
    firm: firmName.trim(),
    preparer: preparer.trim(),
    logo: base64 === undefined ? null : pictureOf(Buffer.from(base64, 'base64')),
  }
}

/** Formats firm and preparer: *Alder & Finch Accounting · Prepared by Dana Cole*; empty if neither is set. */
export function letterheadLine({ firm, preparer }: Letterhead): string {
  return [firm, preparer === '' ? '' : `Prepared by ${preparer}`].filter(Boolean).join(' · ')
}

/** Returns the markup of logo and firm for the top of a document; empty if neither is set. */
export function letterheadMarkup(letterhead: Letterhead): string {
  const { firm, preparer, logo } = letterhead
  const text = [firm, preparer === '' ? '' : `Prepared by ${preparer}`]
    .filter(Boolean)
    .map((text) => `<p>${escapeHtml(text)}</p>`)
    .join('')
  const picture = logo === null ? '' : `<img src="logo" alt="${escapeHtml(firm || 'Logo')}">`
  return picture === '' && text === '' ? '' : `<div class="letterhead">${picture}${text}</div>`
}

// The file of a logo.

/** Limit in bytes, because documents and backups contain the logo. */
const LARGEST = 256 * 1024
/** Limit in pixels per side, because a larger picture could exhaust memory. */
const MAX_PIXELS = 4_000

/**
 * Reads and validates a logo.
 * @returns a data URL, or an error that says what is wrong with the file
 */
export function readLogo(path: string): Result<string> {
  const name = basename(path)
  let bytes: Uint8Array
  try {
    if (statSync(path).size > LARGEST) return err(notUsable(`${name} is larger than 256 KB.`))
    bytes = readFileSync(path)
  } catch (cause) {
    return err(
      appError('file', `${name} can’t be read.`, 'Choose it again, or copy it to this computer.', {
        raw: causeText(cause),
      }),
    )
  }
  const picture = pictureOf(bytes)
  if (picture === null)
    return err(
      notUsable(`${name} is not a PNG or JPEG picture of at most ${String(MAX_PIXELS)} pixels per side.`),
    )
  return ok(`data:${picture.type};base64,${Buffer.from(picture.bytes).toString('base64')}`)
}

function notUsable(message: string): AppError {
  return appError('file', message, 'Save the logo as a small PNG or JPEG file, and choose that.')
}

/** Returns the picture without metadata; `null` if it isn't a complete PNG or JPEG, or is too large. */
function pictureOf(bytes: Uint8Array): Picture | null {
  if (bytes.length > LARGEST) return null
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const png = plainPng(view)
  if (png !== null) return { type: 'image/png', bytes: png }
  const jpeg = plainJpeg(view)
  return jpeg === null ? null : { type: 'image/jpeg', bytes: jpeg }
}

function isFitting(width: number, height: number): boolean {
  return width > 0 && height > 0 && width <= MAX_PIXELS && height <= MAX_PIXELS
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Chunks of a still picture. */
const PNG_CHUNKS = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'sRGB', 'pHYs'])

/** Copies the required chunks of a PNG and verifies each checksum. */
function plainPng(bytes: Buffer): Uint8Array | null {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return null
  const kept: Buffer[] = [PNG_SIGNATURE]
  let hasData = false
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    if (end > bytes.length) return null
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null
    const isHeader = type === 'IHDR'
    if ((at === 8) !== isHeader) return null
    if (isHeader && (length !== 13 || !isFitting(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12))))
      return null
    hasData ||= type === 'IDAT'
    if (PNG_CHUNKS.has(type)) kept.push(bytes.subarray(at, end))
    if (type === 'IEND') return hasData ? Buffer.concat(kept) : null
    at = end
  }
  return null
}

const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
/** Frame markers that every decoder supports: baseline, extended, and progressive. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
/** JFIF and Adobe colors. Other application segments and comments are metadata. */
const JPEG_KEPT = new Set([0xe0, 0xee])

/** Copies the required segments of a JPEG up to its data. */
function plainJpeg(bytes: Buffer): Uint8Array | null {
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return null
  const last = bytes.lastIndexOf(Buffer.from([0xff, EOI]))
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  let hasFrame = false
  for (let at = 2; at + 4 <= last;) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker < 0xc0 || marker === EOI || (marker >= 0xd0 && marker <= SOI))
      return null
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end > last) return null
    if (marker === SOS) {
      if (!hasFrame) return null
      kept.push(bytes.subarray(at, last + 2))
      return Buffer.concat(kept)
    }
    if (FRAMES.has(marker)) {
      if (end - at < 11 || !isFitting(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))) return null
      hasFrame = true
    }
    const isMetadata = (marker >= 0xe0 && marker <= 0xef && !JPEG_KEPT.has(marker)) || marker === 0xfe
    if (!isMetadata) kept.push(bytes.subarray(at, end))
    at = end
  }
  return null
}
