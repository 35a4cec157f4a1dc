/** Saves a chart as SVG with inlined colors, or as PNG rendered from that. */
import { appError, causeText, err, ok, type Result } from '../../../shared/result.ts'

/** Styles that a drawing gets from the window and must keep in a file. */
const CARRIED = [
  'fill',
  'stroke',
  'stroke-width',
  'text-anchor',
  'font-family',
  'font-size',
  'font-weight',
  'font-variant-numeric',
] as const
/** Pixels per unit, sharp enough for print. */
const PNG_SCALE = 3
const MARGIN = 16
const TITLE_ROOM = 40
const NAMESPACE = 'http://www.w3.org/2000/svg'

export interface Caption {
  /** The first line, in bold: the report. */
  readonly title: string
  /** The second line: company and period. */
  readonly note: string
}

/** Returns the chart with its title as a standalone SVG document. */
export function svgBytes(drawing: SVGSVGElement, caption: Caption): Uint8Array<ArrayBuffer> {
  // Charts are for clients, on paper or in a letter, so they use the light theme.
  const before = drawing.style.colorScheme
  drawing.style.colorScheme = 'light'
  try {
    return new TextEncoder().encode(new XMLSerializer().serializeToString(standAlone(drawing, caption)))
  } finally {
    drawing.style.colorScheme = before
  }
}

function sizeOf(drawing: SVGSVGElement): { readonly width: number; readonly height: number } {
  const { width, height } = drawing.viewBox.baseVal
  return { width: width + 2 * MARGIN, height: height + 2 * MARGIN + TITLE_ROOM }
}

function standAlone(drawing: SVGSVGElement, caption: Caption): SVGSVGElement {
  const copy = carryStyles(drawing) as SVGSVGElement
  const { width, height } = sizeOf(drawing)
  const page = create('svg', {
    xmlns: NAMESPACE,
    width,
    height,
    viewBox: `0 0 ${String(width)} ${String(height)}`,
  })
  const label = drawing.getAttribute('aria-label') ?? caption.title
  page.setAttribute('role', 'img')
  page.setAttribute('aria-label', label)
  const look = getComputedStyle(drawing)
  const text = { 'font-family': look.fontFamily, fill: look.color }
  const ground = look.backgroundColor
  page.append(
    create('desc', {}, label),
    create('rect', { width, height, fill: ground }),
    create(
      'text',
      { ...text, x: MARGIN, y: MARGIN + 12, 'font-size': 14, 'font-weight': 600 },
      caption.title,
    ),
    create('text', { ...text, x: MARGIN, y: MARGIN + 28, 'font-size': 11 }, caption.note),
  )
  for (const name of ['role', 'aria-label', 'class']) copy.removeAttribute(name)
  const { width: inner, height: innerHeight } = drawing.viewBox.baseVal
  for (const [name, value] of Object.entries({
    x: MARGIN,
    y: MARGIN + TITLE_ROOM,
    width: inner,
    height: innerHeight,
  })) {
    copy.setAttribute(name, String(value))
  }
  page.append(copy)
  return page
}

function create(name: 'svg', attributes: Record<string, string | number>): SVGSVGElement
function create(name: string, attributes: Record<string, string | number>, text?: string): SVGElement
function create(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(NAMESPACE, name)
  for (const [key, value] of Object.entries(attributes))
    if (key !== 'xmlns') element.setAttribute(key, String(value))
  if (text !== '') element.textContent = text
  return element
}

/** Copies an element with its styles as attributes, because the file has no style sheet. */
function carryStyles(element: Element): Element {
  const copy = element.cloneNode(false) as Element
  copy.removeAttribute('class')
  if (element instanceof SVGElement && !['title', 'desc'].includes(element.localName)) {
    const look = getComputedStyle(element)
    for (const name of CARRIED) copy.setAttribute(name, look.getPropertyValue(name))
  }
  for (const child of element.childNodes) {
    if (child instanceof Element) copy.append(carryStyles(child))
    else if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode())
  }
  return copy
}

/** Renders the chart as PNG. Fails only if the browser can't render it at all. */
export async function pngBytes(
  drawing: SVGSVGElement,
  caption: Caption,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const { width, height } = sizeOf(drawing)
  const address = URL.createObjectURL(new Blob([svgBytes(drawing, caption)], { type: 'image/svg+xml' }))
  try {
    const image = new Image(width * PNG_SCALE, height * PNG_SCALE)
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = width * PNG_SCALE
    canvas.height = height * PNG_SCALE
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
    if (blob) return ok(new Uint8Array(await blob.arrayBuffer()))
  } catch (cause) {
    return err(notPainted(causeText(cause)))
  } finally {
    URL.revokeObjectURL(address)
  }
  return err(notPainted('no blob'))
}

function notPainted(raw: string): ReturnType<typeof appError> {
  return appError('internal', 'The chart could not be drawn.', 'Save it as SVG instead.', { raw })
}
