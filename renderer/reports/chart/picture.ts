/** A drawn chart as a file: SVG with its colors written into it, or PNG painted from that. And a chart's geometry. */
import type { Decimal } from '../../../shared/format/money.ts'
import { type Result, appError, causeText, err, ok } from '../../../shared/result.ts'
import type { ChartSeries, ColumnsChart } from './model.ts'

/** What a drawing takes from the window's styles and has to carry with it. */
const CARRIED = [
  'fill',
  'stroke',
  'stroke-width',
  'text-anchor',
  'font-family',
  'font-size',
  'font-variant-numeric',
] as const
/** Pixels per unit: sharp in a letter to a client. */
const PNG_SCALE = 3
const MARGIN = 16
const TITLE_ROOM = 40
const NAMESPACE = 'http://www.w3.org/2000/svg'

export interface Caption {
  /** First line, in bold: the report. */
  readonly title: string
  /** Second line: whose books, which days. */
  readonly note: string
}

/** The chart with a title above it, on the page's own ground, as a document that stands alone. */
export function svgBytes(drawing: SVGSVGElement, caption: Caption): Uint8Array<ArrayBuffer> {
  // A chart goes to a client, on paper or in a letter: the light one is saved whatever the window's theme.
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

/** A copy whose looks stand in attributes, since it leaves the window's style sheets behind. */
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

/** Paints the chart; fails only where the engine can't paint at all. */
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

// Columns, lengths, and ticks. Amounts become floats only here, for geometry; none of these is shown. Pure.

/** A part of a column: which series, its exact amount, and where it begins and ends on the scale. */
export interface ColumnPart {
  readonly series: ChartSeries
  readonly value: Decimal
  readonly from: number
  readonly to: number
}

/**
 * The columns of each group: one per series, or, in a stacked chart, the series of one stack on top of each other.
 * Negative amounts stack downward from zero.
 */
export function stackColumns({
  groups,
  series,
  isStacked,
}: Pick<ColumnsChart, 'groups' | 'series' | 'isStacked'>): readonly (readonly (readonly ColumnPart[])[])[] {
  const stacks = isStacked
    ? [...new Set(series.map(({ stack }) => stack))].map((name) =>
        series.filter(({ stack }) => stack === name),
      )
    : series.map((each) => [each])
  return groups.map((_, group) =>
    stacks.map((stack) => {
      let [above, below] = [0, 0]
      return stack.map((each) => {
        const value = each.values[group] ?? ('0.00' as Decimal)
        const length = Number(value)
        const from = length < 0 ? below : above
        if (length < 0) below += length
        else above += length
        return { series: each, value, from, to: from + length }
      })
    }),
  )
}

export interface Scale {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
}

/** A scale that holds all values and zero, with at most about `count` round ticks. */
export function scaleFor(values: readonly number[], count = 5): Scale {
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  if (low === high) return { min: 0, max: 1, ticks: [0] }
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks }
}

const SHORT = [
  { from: 1e9, sign: 'bn' },
  { from: 1e6, sign: 'M' },
  { from: 1e3, sign: 'K' },
]

/** A tick in few signs: `150K`, `2.5M`, in the machine's digits. Not every language has a short form of its own. */
export function tickText(value: number, locale: string): string {
  const short = SHORT.find(({ from }) => Math.abs(value) >= from)
  const digits = new Intl.NumberFormat(locale || undefined, { maximumFractionDigits: 1 })
  const text = `${digits.format(Math.abs(value) / (short?.from ?? 1))}${short?.sign ?? ''}`
  return value < 0 ? `\u2212${text}` : text
}
