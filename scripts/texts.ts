// `npm run texts [-- FOLDER…]`: prints every text that a user may read on screen, with its place, so that an editor can
// go through all of it at once: the words in Svelte's markup, and strings of words in the sources. The guide and the
// other documents are read as they are.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import { projectFolder, say } from './parts/process.ts'

const FOLDERS = ['electron', 'renderer', 'shared', 'resources']
/** Data of the sample’s companies. */
const LEFT_OUT = /^electron\/sample\/(books|profiles)\//
/** Statements, and parts of them. */
const SQL =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|DROP|ALTER|BEGIN|CASE|FROM)\b|[a-z]_[a-z]|\b(WHERE|JOIN|ORDER BY|IS NULL)\b|^ AND |state (=|<>) '/
/** Attributes that hold words; those of HTML and Svelte hold names, paths, and numbers. */
const WITHOUT_WORDS =
  /^(class|style|d|viewBox|points|id|href|src|name|type|role|kind|size|slot|for|value|key)$/

interface Text {
  readonly line: number
  readonly words: string
}

const folders = process.argv.slice(2)
let count = 0
for (const path of globSync(`{${FOLDERS.join(',')}}/**/*.{ts,svelte}`, { cwd: projectFolder }).toSorted()) {
  const isAsked = folders.length === 0 || folders.some((folder) => path.startsWith(folder))
  if (!isAsked || LEFT_OUT.test(path)) continue
  const source = readFileSync(join(projectFolder, path), 'utf8')
  for (const { line, words } of path.endsWith('.svelte') ? textsOfComponent(source) : textsOfModule(source)) {
    say(`${path}:${line}\t${words}`)
    count += 1
  }
}
say(`${count} texts`)

/** Strings of words in TypeScript. Placeholders of a template are written as `{…}`. */
function textsOfModule(source: string, lineBefore = 0): readonly Text[] {
  const file = ts.createSourceFile('text.ts', source, ts.ScriptTarget.Latest, true)
  const texts: Text[] = []
  const visit = (node: ts.Node): void => {
    const words = wordsOf(node)
    if (words !== null && isForPeople(words, node)) {
      texts.push({ line: lineBefore + file.getLineAndCharacterOfPosition(node.getStart()).line + 1, words })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts
}

function wordsOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return null
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('')
}

/** Words begin with a capital letter or have a space between them. Codes, paths, and SQL do not count. */
function isForPeople(words: string, node: ts.Node): boolean {
  if (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent)) return false
  if (SQL.test(words)) return false
  return /\p{L}{2,}[^\p{L}]* [^\p{L}]*\p{L}{2,}/u.test(words) || /^\p{Lu}\p{Ll}+[.…!?]?$/u.test(words)
}

/** The markup's words and its words in attributes, and the strings of its scripts and expressions. */
function textsOfComponent(source: string): readonly Text[] {
  const texts: Text[] = []
  const lineAt = (at: number): number => source.slice(0, at).split('\n').length
  const visit = (node: unknown, attribute: string): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, attribute)
    if (!isNode(node) || WITHOUT_WORDS.test(attribute)) return
    const { type, start, end } = node
    if (type === 'Comment' || type === 'StyleSheet') return
    if (type === 'Text') {
      const words = (node['data'] as string).replaceAll(/\s+/g, ' ').trim()
      if (/\p{L}{2,}/u.test(words)) texts.push({ line: lineAt(start), words })
    } else if (type === 'ExpressionTag' || type === 'Script') {
      const script = source.slice(start, end).replace(/^<script[^>]*>|<\/script>$|^\{|\}$/g, '')
      const offset = source.indexOf(script, start)
      texts.push(...textsOfModule(script, lineAt(offset) - 1))
    } else {
      const named = type === 'Attribute' ? String(node['name']) : ''
      for (const [key, child] of Object.entries(node)) if (key !== 'parent') visit(child, named)
    }
  }
  const { fragment, instance } = parse(source, { modern: true })
  visit(instance, '')
  visit(fragment, '')
  return texts
}

function isNode(
  value: unknown,
): value is { type: string; start: number; end: number; [key: string]: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value
}
