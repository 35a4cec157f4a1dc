/** Inside an email address: before its @ and its periods. */
const WRAPS = /(?=\.[^\s@]*@[^\s@])|(?<=[^\s@])(?=@[^\s@])|(?<=[^\s@]@[^\s@]*)(?=\.\S)/

/** Splits text where an email address in it may wrap. Other text wraps between words. */
export function wrapParts(text: string): readonly string[] {
  return text.includes('@') ? text.split(WRAPS) : [text]
}
