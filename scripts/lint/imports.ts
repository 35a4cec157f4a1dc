// An ESLint rule that checks every import against `rooms.ts`. It uses only paths, so it also covers files that don't exist
// yet. Imports, exports from, `import()`, `require`, type queries, and worker addresses
// (`new URL('./worker.ts', import.meta.url)`) all count.
import { posix, relative, resolve, sep } from 'node:path'
import type { Rule } from 'eslint'
import { reserved, type Room, rooms } from './rooms.ts'

/** The members of a syntax node that this rule uses. The types of TypeScript's nodes differ between parsers. */
type ImportingNode = Rule.Node & {
  readonly source?: unknown
  readonly arguments?: readonly unknown[]
  readonly callee?: { readonly type?: string; readonly name?: string }
  readonly importKind?: string
  readonly exportKind?: string
  readonly argument?: unknown
}

/**
 * Reports imports of rooms and packages that the file's room may not use. `root` is the folder with `electron`,
 * `renderer`, and `shared`. Other paths are ignored.
 */
export function importsRule(root: string): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [], messages: { arrow: '{{reason}}' } },
    create(context) {
      const file = relative(root, resolve(context.filename)).split(sep).join('/')
      const from = roomOf(file)
      if (from === undefined) return {}

      const checkImport = (node: Rule.Node, source: string | undefined, typesOnly: boolean): void => {
        if (source === undefined) return
        const reason = importProblem(file, from, source, typesOnly)
        if (reason !== undefined) context.report({ node, messageId: 'arrow', data: { reason } })
      }
      return {
        ImportDeclaration: (node: ImportingNode) =>
          checkImport(node, textOf(node.source), node.importKind === 'type'),
        ExportNamedDeclaration: (node: ImportingNode) =>
          checkImport(node, textOf(node.source), node.exportKind === 'type'),
        ExportAllDeclaration: (node: ImportingNode) =>
          checkImport(node, textOf(node.source), node.exportKind === 'type'),
        ImportExpression: (node: ImportingNode) => checkImport(node, textOf(node.source), false),
        TSImportType: (node: ImportingNode) => checkImport(node, textOf(node.source ?? node.argument), true),
        CallExpression: (node: ImportingNode) => {
          if (node.callee?.name === 'require') checkImport(node, textOf(node.arguments?.[0]), false)
        },
        NewExpression: (node: ImportingNode) => {
          const address = textOf(node.arguments?.[0])
          if (node.callee?.name !== 'URL' || !address?.startsWith('.')) return
          // Anything but a source file is an address in the built program.
          if (roomOf(pathOf(file, address)) !== undefined) checkImport(node, address, false)
        },
      }
    },
  }
}

/** Why `file` may not import `source`; undefined if it may. */
function importProblem(file: string, from: Room, source: string, typesOnly: boolean): string | undefined {
  if (!source.startsWith('.')) {
    const broken = reserved.find((rule) => rule.modules.test(source) && !rule.onlyIn.test(from.name))
    return broken && `${from.name} may not import '${source}': ${broken.reason}.`
  }
  const to = roomOf(pathOf(file, source))
  if (to === from) return undefined
  if (to === undefined) return `${from.name} may not import '${source}': it is not part of the program.`
  if (from.mayImport.includes(to.name)) return undefined
  if (from.mayImportTypesOf?.includes(to.name)) {
    return typesOnly ? undefined : `${from.name} may import only types of ${to.name} (import type).`
  }
  return `${from.name} may not import ${to.name}: see scripts/lint/rooms.ts.`
}

function pathOf(file: string, source: string): string {
  return posix.join(posix.dirname(file), source.replace(/\?.*$/, ''))
}

function roomOf(path: string): Room | undefined {
  return rooms.find((room) => room.files.test(path))
}

/** The string in a literal node, or in the literal of a type's literal node. */
function textOf(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  if ('value' in node && typeof node.value === 'string') return node.value
  return 'literal' in node ? textOf(node.literal) : undefined
}
