/** Bytes of a text as characters: by the byte order mark, then the pattern of NULs, then UTF-8 if it is, else Windows. */

export interface DecodedText {
  readonly text: string
  /** As a person would name it. */
  readonly encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252'
}

/** As much is looked at for NULs. */
const LOOKED_AT = 4_096

export function decodeText(bytes: Uint8Array): DecodedText {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf)
    return strictUtf8(bytes.subarray(3)) ?? windows(bytes.subarray(3))
  if (first === 0xff && second === 0xfe) return utf16('utf-16le', bytes.subarray(2))
  if (first === 0xfe && second === 0xff) return utf16('utf-16be', bytes.subarray(2))
  const nulls = nullPattern(bytes.subarray(0, LOOKED_AT))
  if (nulls !== null) return utf16(nulls, bytes)
  return strictUtf8(bytes) ?? windows(bytes)
}

/** Text in Latin letters has a NUL in nearly every second byte of UTF-16, always on the same side. */
function nullPattern(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let even = 0
  let odd = 0
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== 0) continue
    if (at % 2 === 0) even += 1
    else odd += 1
  }
  const many = bytes.length / 5
  if (odd > many && even <= odd / 10) return 'utf-16le'
  if (even > many && odd <= even / 10) return 'utf-16be'
  return null
}

function utf16(label: 'utf-16le' | 'utf-16be', bytes: Uint8Array): DecodedText {
  return { text: new TextDecoder(label).decode(bytes), encoding: 'UTF-16' }
}

function strictUtf8(bytes: Uint8Array): DecodedText | null {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return null
  }
}

function windows(bytes: Uint8Array): DecodedText {
  return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' }
}
