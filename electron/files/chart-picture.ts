/** Checks that the bytes of a chart from the window are a picture and nothing else. */

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Elements that charts consist of. None of them can run scripts, load anything, or link anywhere. */
const ELEMENTS = 'svg|g|text|tspan|title|desc|rect|path|circle'
const ATTRIBUTES =
  'xmlns|viewBox|width|height|x|y|dx|dy|cx|cy|r|d|transform|role|style|fill|stroke|stroke-width|text-anchor|font-(?:family|size|weight|variant-numeric)'
const VALUE = '"(?:[^"<>&]|&(?:amp|lt|gt|quot|apos);|&#x[9AD];)*"'
const TAG = new RegExp(
  `<(?:/(?:${ELEMENTS})|(?:${ELEMENTS})(?:\\s+(?:aria-label=${VALUE}|(?:${ATTRIBUTES})=(?!"[^"]*[uU][rR][lL]\\()${VALUE}))*\\s*/?)>`,
  'g',
)

/**
 * A compromised window could otherwise save a document that runs scripts when it is opened, with access to the
 * books in it.
 */
export function isChartPicture(format: 'svg' | 'png', bytes: Uint8Array): boolean {
  if (format === 'png') return PNG_SIGNATURE.every((byte, at) => bytes[at] === byte)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.startsWith('<svg ') && !text.replace(TAG, '').includes('<')
  } catch {
    return false
  }
}
