/**
 * JSON whose numbers keep their source text: `parseExactJson` makes raw JSON of them, which `JSON.stringify` writes as
 * it came. No amount passes through a binary float.
 */

declare global {
  // TypeScript’s libraries lack it; Node.js and Chromium have it.
  interface JSON {
    rawJSON(text: string): RawJson
    isRawJSON(value: unknown): value is RawJson
  }
}

/** A number as it stands in the source. */
export interface RawJson {
  readonly rawJSON: string
}

/** Throws a `SyntaxError` for what is not JSON. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value,
  )
}
