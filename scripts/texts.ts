// `npm run texts [-- FOLDER…]`: prints every text that a user may read on screen, with its file and line, so that an
// editor can review them together. Finds text in Svelte's markup and strings in the sources. Documents are not included.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import { printLine, projectFolder } from './parts/process.ts'

const FOLDERS = ['electron', 'renderer', 'shared', 'resources']
/** The sample companies’ data. */
const EXCLUDED = /^electron\/sample\/(books|profiles)\//
/** SQL statements and fragments. */
const SQL =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|DROP|ALTER|BEGIN|CASE|FROM)\b|[a-z]_[a-z]|\b(WHERE|JOIN|ORDER BY|IS NULL)\b|^ AND |state (=|<>) '/
/** Attributes with names, paths, or numbers instead of text. */
const NON_TEXT_ATTRIBUTES =
  /^(class|style|d|viewBox|points|id|href|src|name|type|role|kind|size|slot|for|value|key)$/

interface Text {
  readonly line: number
  readonly words: string
}

const folders = process.argv.slice(2)
let count = 0
for (const path of globSync(`{${FOLDERS.join(',')}}/**/*.{ts,svelte}`, { cwd: projectFolder }).toSorted()) {
  const isIncluded = folders.length === 0 || folders.some((folder) => path.startsWith(folder))
  if (!isIncluded || EXCLUDED.test(path)) continue
  const source = readFileSync(join(projectFolder, path), 'utf8')
  for (const { line, words } of path.endsWith('.svelte') ? textsOfComponent(source) : textsOfModule(source)) {
    printLine(`${path}:${line}\t${words}`)
    count += 1
  }
}
printLine(`${count} texts`)

/** The texts in TypeScript. A template's placeholders are written as `{…}`. */
function textsOfModule(source: string, lineBefore = 0): readonly Text[] {
  const file = ts.createSourceFile('text.ts', source, ts.ScriptTarget.Latest, true)
  const texts: Text[] = []
  const visit = (node: ts.Node): void => {
    const words = textOfNode(node)
    if (words !== null && isForPeople(words, node)) {
      texts.push({ line: lineBefore + file.getLineAndCharacterOfPosition(node.getStart()).line + 1, words })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts
}

function textOfNode(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return null
  return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('')
}

/** Whether a string is text for people: several words, or one capitalized word. Codes, paths, and SQL are not. */
function isForPeople(words: string, node: ts.Node): boolean {
  if (ts.isImportDeclaration(node.parent) || ts.isLiteralTypeNode(node.parent)) return false
  if (SQL.test(words)) return false
  return /\p{L}{2,}[^\p{L}]* [^\p{L}]*\p{L}{2,}/u.test(words) || /^\p{Lu}\p{Ll}+[.…!?]?$/u.test(words)
}

/** The texts in a component's markup, attributes, scripts, and expressions. */
function textsOfComponent(source: string): readonly Text[] {
  const texts: Text[] = []
  const lineAt = (at: number): number => source.slice(0, at).split('\n').length
  const visit = (node: unknown, attribute: string): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, attribute)
    if (!isNode(node) || NON_TEXT_ATTRIBUTES.test(attribute)) return
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
