// An ESLint rule that takes spacing, type sizes, line heights, and radii from the tokens in
// `renderer/ui/styles/tokens.css`: a raw length in a component's styles is an error, also inside `calc(…)`. A hairline
// (1px) and lengths relative to the text are fine, and so are offsets (`inset`, `top`): they place a drawing, such as a
// double rule.
import type { Rule } from 'eslint'

const PROPERTY =
  /(?<![\w-])(padding|margin|gap|row-gap|column-gap|font-size|font|line-height|border-radius)(-[a-z-]+)?\s*:([^;{}]*)/g
const RAW = /(?<![\w.-])-?(?:\d*\.)?\d+(?:px|rem)\b/g
const HAIRLINE = /^-?1px$/

export interface RawLength {
  readonly property: string
  readonly length: string
  /** Offset in the style sheet. */
  readonly at: number
}

/** The raw lengths in a style sheet where a token belongs. */
export function rawLengths(css: string): readonly RawLength[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length))
  return [...plain.matchAll(PROPERTY)].flatMap((declaration) => {
    const value = declaration[3] ?? ''
    const start = declaration.index + declaration[0].length - value.length
    return [...value.matchAll(RAW)]
      .filter(([length]) => !HAIRLINE.test(length) && Number.parseFloat(length) !== 0)
      .map((found) => ({
        property: `${declaration[1] ?? ''}${declaration[2] ?? ''}`,
        length: found[0],
        at: start + found.index,
      }))
  })
}

/** Reports raw lengths in the `<style>` of a Svelte component. */
export const tokensRule: Rule.RuleModule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { raw: 'Take {{property}} from the tokens, not {{length}} (renderer/ui/styles/tokens.css).' },
  },
  create(context) {
    return {
      Program() {
        const source = context.sourceCode.text
        const style = /<style[^>]*>([\s\S]*?)<\/style>/.exec(source)
        if (!style) return
        const start = style.index + style[0].indexOf('>') + 1
        for (const { property, length, at } of rawLengths(style[1] ?? '')) {
          const loc = context.sourceCode.getLocFromIndex(start + at)
          context.report({ loc, messageId: 'raw', data: { property, length } })
        }
      },
    }
  },
}
