/**
 * Prints a document to PDF, in a hidden window without scripts, preload, or network, which can load only the document,
 * its style sheet, and the firm's logo.
 */
import { BrowserWindow, type PrintToPDFOptions } from 'electron'
import { escapeHtml } from '../../shared/format/text.ts'
import { appError, causeText, err, ok } from '../../shared/result.ts'
import type { PrintDocument, Printer } from '../app/ports.ts'
import type { Confinement } from './confinement.ts'
import { SCHEME } from './protocol.ts'

const PAGE = `${SCHEME}://print/document.html`
const STYLE = `${SCHEME}://print/print.css`
const LOGO = `${SCHEME}://print/logo`
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** Regions that use Letter paper. All others use A4. */
const ON_LETTER = /-(?:US|CA|MX|PH|CL|CO|VE)\b/i
/** In inches. */
const MARGINS = { top: 0.6, bottom: 0.75, left: 0.6, right: 0.6 }

/** @param locale the computer's, in BCP 47; decides the paper size */
export function createPrinter(locale: string, confinement: Confinement): Printer {
  /** Prints one document at a time, because all use the same URL. */
  let last: Promise<unknown> = Promise.resolve()
  let current: PrintDocument | null = null
  const paper = ON_LETTER.test(locale) ? 'letter' : 'A4'

  const serve = ({ url }: Request): Response => {
    if (current !== null && url === PAGE) return served(current.html, 'text/html; charset=utf-8')
    if (current !== null && url === STYLE)
      return served(pageRules(current, paper) + current.css, 'text/css; charset=utf-8')
    const logo = current?.logo ?? null
    if (logo !== null && url === LOGO) return served(Buffer.from(logo.bytes), logo.type)
    return new Response(null, { status: 404 })
  }

  const print = async (document: PrintDocument): Promise<Uint8Array> => {
    current = document
    const { session, ready } = confinement.open('bookbridge-print', serve)
    await ready
    const window = new BrowserWindow({
      show: false,
      width: 900,
      height: 1_200,
      webPreferences: {
        session,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        javascript: false,
        webSecurity: true,
      },
    })
    try {
      window.webContents.on('will-navigate', (event) => {
        event.preventDefault()
      })
      await window.loadURL(PAGE)
      const options: PrintToPDFOptions = {
        preferCSSPageSize: true,
        margins: MARGINS,
        printBackground: true,
        displayHeaderFooter: true,
        headerTemplate: '<span></span>',
        footerTemplate: footer(document.footer),
        generateTaggedPDF: true,
        generateDocumentOutline: true,
      }
      return new Uint8Array(await window.webContents.printToPDF(options))
    } finally {
      current = null
      window.destroy()
    }
  }

  return {
    async pdf(document) {
      const printing = last.then(() => print(document))
      last = printing.catch(() => undefined)
      try {
        return ok(await printing)
      } catch (cause) {
        return err(
          appError('internal', 'The PDF couldn’t be created.', 'Save a workbook instead, or try again.', {
            raw: causeText(cause),
          }),
        )
      }
    },
  }
}

function served(content: string | Buffer<ArrayBuffer>, type: string): Response {
  return new Response(content, {
    headers: {
      'content-type': type,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  })
}

function pageRules({ pages }: PrintDocument, paper: string): string {
  const small = 'font: 7.5pt Arial, sans-serif; color: #555'
  return pages
    .map(({ name, orientation, header }) => {
      const text = header === '' ? '' : ` @top-left { content: ${cssText(header)}; ${small} }`
      return `@page ${name} { size: ${paper} ${orientation};${text} }\n`
    })
    .join('')
}

/** Text as a CSS string, with everything but letters, digits, and spaces escaped. */
function cssText(text: string): string {
  const safe = text.toWellFormed().replaceAll('\0', '')
  return `"${safe.replace(/[^\p{L}\p{N} ]/gu, (sign) => `\\${(sign.codePointAt(0) ?? 0).toString(16)} `)}"`
}

/** Chromium fills in the numbers. Its footers use only inline styles. */
function footer(text: string): string {
  const style =
    'display:flex;justify-content:space-between;width:100%;margin:0 0.6in;color:#555;font-size:7.5pt;font-family:Arial,sans-serif'
  return `<div style="${style}"><span>${escapeHtml(text)}</span><span>Page <span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`
}
