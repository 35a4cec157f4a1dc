/** Decodes the bytes of a text file with the encoding that the user chose, or with the best guess. */
import type { TextEncoding } from '../../../shared/import/table.ts'

export interface DecodedText {
  readonly text: string
  readonly encoding: TextEncoding
}

/** Labels of the platform's decoder. Encodings that it lacks are decoded here. */
const LABELS: Readonly<Record<Exclude<TextEncoding, 'UTF-32 LE' | 'UTF-32 BE' | 'CP850' | 'CP437'>, string>> =
  {
    'UTF-8': 'utf-8',
    'UTF-16 LE': 'utf-16le',
    'UTF-16 BE': 'utf-16be',
    'Windows-1252': 'windows-1252',
    'Windows-1250': 'windows-1250',
    'Windows-1251': 'windows-1251',
    'ISO 8859-2': 'iso-8859-2',
    'ISO 8859-15': 'iso-8859-15',
    'Mac Roman': 'macintosh',
    'Shift JIS': 'shift_jis',
    GB18030: 'gb18030',
  }

const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** Number of bytes searched for NULs. */
const SAMPLED_BYTES = 4_096

/** Decodes with a given encoding. Bytes that it doesn't define become U+FFFD. */
export function decodeAs(bytes: Uint8Array, encoding: TextEncoding): string {
  switch (encoding) {
    case 'UTF-32 LE':
      return decodeUtf32(bytes, true)
    case 'UTF-32 BE':
      return decodeUtf32(bytes, false)
    case 'CP850':
      return decodeCodePage(bytes, CP850)
    case 'CP437':
      return decodeCodePage(bytes, CP437)
    default:
      return new TextDecoder(LABELS[encoding]).decode(bytes)
  }
}

/**
 * Guesses the encoding from the byte order mark, then from the pattern of NULs, then UTF-8 if it is valid, and
 * otherwise the Windows, DOS, or classic Mac encoding that defines all of the bytes.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = markedEncoding(bytes) ?? nullPattern(bytes.subarray(0, SAMPLED_BYTES))
  if (encoding !== null && encoding !== 'UTF-8') return { text: decodeAs(bytes, encoding), encoding }
  const text = decodeAs(bytes, 'UTF-8')
  // A byte order mark means UTF-8 even if a byte is invalid, and so do many valid characters.
  if (encoding === 'UTF-8' || !text.includes(BROKEN) || isMostlyUtf8(text)) return { text, encoding: 'UTF-8' }
  const guess = singleByteEncoding(bytes)
  return { text: decodeAs(bytes, guess), encoding: guess }
}

const BROKEN = '\ufffd'

function isMostlyUtf8(text: string): boolean {
  const broken = text.split(BROKEN).length - 1
  const beyondAscii = text.match(/[^\0-\x7f]/gu)?.length ?? 0
  return beyondAscii > broken * 4
}

/** Whether an encoding was only guessed, because others also define the same bytes, so that the user should check. */
export function isGuessed(encoding: TextEncoding): boolean {
  return encoding === 'Windows-1252' || encoding === 'CP850' || encoding === 'Mac Roman'
}

/** Bytes that are undefined in Windows-1252. In DOS encodings, they are letters: ü, ì, Å, É, Ø. */
const NOT_WINDOWS: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
/** Number of bytes examined for a guess. */
const GUESSED_BYTES = 1024 * 1024

function singleByteEncoding(bytes: Uint8Array): TextEncoding {
  // Only classic Mac files end lines with CR alone.
  if (bytes.includes(0x0d) && !bytes.includes(0x0a)) return 'Mac Roman'
  const start = bytes.subarray(0, GUESSED_BYTES)
  const isWindows = !start.some((byte) => NOT_WINDOWS.has(byte))
  const candidates = [...(isWindows ? ['Windows-1252' as const] : []), 'CP850' as const, 'Mac Roman' as const]
  const counts = candidates.map((encoding) => unlikelyCount(decodeAs(start, encoding)))
  return candidates[counts.indexOf(Math.min(...counts))] ?? 'Windows-1252'
}

/**
 * Characters that are unlikely in names: symbols within a word (`B„ckerei`), box-drawing lines, and a capital letter
 * inside a word (`JosŽ`, `ZŸrich`). ASCII proves nothing.
 */
const UNLIKELY = [
  /\p{L}(?![\p{ASCII}’–—·])[^\p{L}\p{M}]\p{L}/gu,
  /[\u2500-\u25ff\u2200-\u22ff†‡ˆ˜¸˛˝˚˙¨¬¦±¶§¯´\u00ad‗]/gu,
  /[a-z](?!\p{ASCII})\p{Lu}/gu,
  /[A-Z](?!\p{ASCII})\p{Lu}[a-z]/gu,
  /[a-z](?!\p{ASCII})[‚„](?=[\W]|$)/gu,
]

function unlikelyCount(text: string): number {
  return UNLIKELY.reduce((count, pattern) => count + (text.match(pattern)?.length ?? 0), 0)
}

function markedEncoding(bytes: Uint8Array): TextEncoding | null {
  const starts = (...mark: readonly number[]): boolean => mark.every((byte, at) => bytes[at] === byte)
  if (starts(0xef, 0xbb, 0xbf)) return 'UTF-8'
  if (starts(0xff, 0xfe, 0, 0)) return 'UTF-32 LE'
  if (starts(0, 0, 0xfe, 0xff)) return 'UTF-32 BE'
  if (starts(0xff, 0xfe)) return 'UTF-16 LE'
  return starts(0xfe, 0xff) ? 'UTF-16 BE' : null
}

/** Latin text has a NUL in nearly every second byte in UTF-16, and in three of four bytes in UTF-32. */
function nullPattern(bytes: Uint8Array): TextEncoding | null {
  const nulls = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0) nulls[at % 4] = (nulls[at % 4] ?? 0) + 1
  const [a = 0, b = 0, c = 0, d = 0] = nulls
  const characters = Math.floor(bytes.length / 4)
  if (d > 0 && d >= characters && c >= characters * 0.9 && a <= d / 10) return 'UTF-32 LE'
  if (a > 0 && a >= characters && b >= characters * 0.9 && d <= a / 10) return 'UTF-32 BE'
  if (b + d > 0 && a + c <= (b + d) / 10) return isUtf16(bytes, 'UTF-16 LE') ? 'UTF-16 LE' : null
  if (a + c > 0 && b + d <= (a + c) / 10) return isUtf16(bytes, 'UTF-16 BE') ? 'UTF-16 BE' : null
  return null
}

/** Whether it decodes to text without control characters, unassigned characters, or lone surrogates. */
function isUtf16(bytes: Uint8Array, encoding: 'UTF-16 LE' | 'UTF-16 BE'): boolean {
  const text = decodeAs(bytes.subarray(0, bytes.length - (bytes.length % 2)), encoding)
  return text.includes('\n') && !/(?!\s)\p{Cc}|\p{Cn}|\p{Co}|\ufffd(?!$)/u.test(text)
}

const CHUNK_LENGTH = 8_192

function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength - (bytes.byteLength % 4))
  const pieces: string[] = []
  let points: number[] = []
  for (let at = 0; at < view.byteLength; at += 4) {
    const point = view.getUint32(at, isLittleEndian)
    const isCharacter = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    if (at > 0 || point !== 0xfeff) points.push(isCharacter ? point : 0xfffd)
    if (points.length < CHUNK_LENGTH) continue
    pieces.push(String.fromCodePoint(...points))
    points = []
  }
  return pieces.join('') + String.fromCodePoint(...points)
}

function decodeCodePage(bytes: Uint8Array, upper: string): string {
  const latin = new TextDecoder('latin1')
  const pieces: string[] = []
  let from = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) continue
    pieces.push(latin.decode(bytes.subarray(from, at)), upper.charAt(byte - 0x80))
    from = at + 1
  }
  pieces.push(latin.decode(bytes.subarray(from)))
  return pieces.join('')
}
