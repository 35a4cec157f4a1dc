/**
 * Serves the window's files from a list made at build time. No path is ever joined, so none can escape the folder. Each
 * page load gets a fresh nonce, and a policy that allows only that nonce.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Protocol } from 'electron'
import type { GuidePage } from '../../shared/contract/app.ts'

export const SCHEME = 'app'
export const ORIGIN = 'app://bundle'
export const START_PAGE = `${ORIGIN}/index.html`

const NONCE_MARK = '__CSP_NONCE__'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json: 'application/json',
}

/**
 * The policy (docs/security.md): nothing from other origins, no inline scripts, and no inline styles without this
 * load's nonce.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/** Serves the window's files. `folder` has the renderer's build and its `files.json`. */
export function createFileHandler(folder: URL): (request: Request) => Promise<Response> {
  const list: unknown = JSON.parse(readFileSync(new URL('files.json', folder), 'utf8'))
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string')) {
    throw new Error('The list of the window’s files is damaged. Build again.')
  }
  const files = new Map(list.map((name) => [`/${name}`, new URL(name, folder)]))

  return async (request) => {
    const url = URL.canParse(request.url) ? new URL(request.url) : null
    const file = url?.host === 'bundle' && request.method === 'GET' ? files.get(url.pathname) : undefined
    if (file === undefined) return new Response(null, { status: 404 })
    const type = TYPES[file.pathname.slice(file.pathname.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    const headers = new Headers({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    const bytes = await readFile(file)
    if (!type.startsWith('text/html')) {
      headers.set('cache-control', 'no-store')
      return new Response(new Uint8Array(bytes), { headers })
    }
    const nonce = randomBytes(18).toString('base64')
    headers.set('content-security-policy', contentSecurityPolicy(nonce))
    headers.set('cache-control', 'no-store')
    return new Response(bytes.toString('utf8').replaceAll(NONCE_MARK, nonce), { headers })
  }
}

/** Call it before the app is ready. */
export function registerScheme(protocol: Protocol): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** The renderer's build, beside the main bundle. */
export function rendererFolder(mainFolder: string): URL {
  return new URL('../renderer/', pathToFileURL(`${mainFolder}/`))
}

/** The file of a page of the guide. `mainFolder` is the main bundle's. */
export function guideFile(mainFolder: string, page: GuidePage): string {
  // Other programs can't read the archive, so the guide is beside it (asarUnpack in electron-builder.yml).
  const outside = mainFolder.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
  return join(outside, '../guide', `${page}.html`)
}
