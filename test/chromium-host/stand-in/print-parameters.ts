/** Converts Electron's print options to those of Chromium's protocol. Both measure in inches. */
import type { PrintToPDFOptions } from 'electron'
import type { Protocol } from '../protocol.ts'

const PAPER: Readonly<Record<string, readonly [width: number, height: number]>> = {
  A3: [11.7, 16.54],
  A4: [8.27, 11.7],
  A5: [5.83, 8.27],
  Legal: [8.5, 14],
  Letter: [8.5, 11],
  Tabloid: [11, 17],
}

/** Throws for an unknown paper size. */
export function printParameters(options: PrintToPDFOptions): Protocol.Page.printToPDFParameters {
  const { margins, pageSize = 'Letter', generateTaggedPDF, generateDocumentOutline, ...same } = options
  const size = typeof pageSize === 'string' ? PAPER[pageSize] : ([pageSize.width, pageSize.height] as const)
  if (!size) throw new Error(`The Chromium host has no paper ${JSON.stringify(pageSize)}`)
  const [paperWidth, paperHeight] = size
  const parameters: Protocol.Page.printToPDFParameters = { ...same, paperWidth, paperHeight }
  if (generateTaggedPDF !== undefined) parameters.generateTaggedPDF = generateTaggedPDF
  if (generateDocumentOutline !== undefined) parameters.generateDocumentOutline = generateDocumentOutline
  if (margins?.top !== undefined) parameters.marginTop = margins.top
  if (margins?.bottom !== undefined) parameters.marginBottom = margins.bottom
  if (margins?.left !== undefined) parameters.marginLeft = margins.left
  if (margins?.right !== undefined) parameters.marginRight = margins.right
  return parameters
}
