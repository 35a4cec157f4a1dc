// The window makes every call of the contract and listens to every event, so that nothing unused stays in it.
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'svelte/compiler'
import { expect, test } from 'vitest'
import { CALLS, EVENTS } from '../../../shared/contract/contract.ts'

const root = resolve(import.meta.dirname, '../../..')

/** A node of a syntax tree. Its members are checked one by one. */
interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function* nodesIn(value: unknown): Generator<Node> {
  if (isNode(value)) yield value
  if (typeof value !== 'object' || value === null) return
  for (const member of Object.values(value)) yield* nodesIn(member)
}

/** The name of a variable, of a member, or of a private member. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return nameOf(node['property'])
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? String(node['name']) : ''
}

/**
 * The call names that a file of the window uses: `api.call('…')`, `this.#api.call('…')`, or through a function in the
 * same file that passes its first parameter on.
 */
function namesUsed(file: string, source: string, method: 'call' | 'on'): Set<string> {
  const component = file.endsWith('.svelte') ? source : `<script lang="ts">${source}</script>`
  const nodes = [...nodesIn(parse(component, { modern: true }))]
  const callsIn = (found: Iterable<Node>): { callee: unknown; first: unknown }[] =>
    [...found]
      .filter(({ type }) => type === 'CallExpression')
      .map((node) => ({ callee: node['callee'], first: (node['arguments'] as unknown[])[0] }))
  const isOfApi = (callee: unknown): boolean =>
    isNode(callee) && nameOf(callee) === method && nameOf(callee['object']) === 'api'
  const forwarders = new Set(
    nodes.flatMap((node) => {
      const isMethod = node.type === 'MethodDefinition'
      const made = isMethod ? node['value'] : node
      if (!isMethod && node.type !== 'FunctionDeclaration') return []
      const [parameter] = (made as { readonly params: readonly unknown[] }).params
      const handsOn = callsIn(nodesIn(made)).some(
        ({ callee, first }) => isOfApi(callee) && nameOf(first) !== '' && nameOf(first) === nameOf(parameter),
      )
      return handsOn ? [nameOf(isMethod ? node['key'] : node['id'])] : []
    }),
  )
  const names = callsIn(nodes)
    .filter(({ callee }) => isOfApi(callee) || forwarders.has(nameOf(callee)))
    .flatMap(({ first }) => (isNode(first) && first.type === 'Literal' ? String(first['value']) : []))
  return new Set(names)
}

/** The names that no file of the window uses. */
function unused(names: readonly string[], method: 'call' | 'on'): readonly string[] {
  const used = globSync('renderer/**/*.{ts,svelte}', { cwd: root }).map((file) => {
    const source = readFileSync(resolve(root, file), 'utf8')
    // Parsing is slow, so files that contain none of the names are skipped.
    return names.some((name) => source.includes(name)) ? namesUsed(file, source, method) : new Set<string>()
  })
  return names.filter((name) => !used.some((found) => found.has(name)))
}

test('the window makes every call in the contract', () => {
  expect(unused(Object.keys(CALLS), 'call')).toEqual([])
})

test('the window listens to every event in the contract', () => {
  expect(unused(Object.keys(EVENTS), 'on')).toEqual([])
})

test('a name in a comment, a type, a text, or another function’s argument doesn’t count', () => {
  const source = `
    // api.call('in.comment')
    type Input = CallInput<'in.type'>
    const text = "api.call('in.text')"
    other('in.argument')
    bridge.call('of.another')
    api.on('event.heard', () => undefined)
    async function ask(name: 'in.union', input: unknown) { return api.call(name, input) }
    async function look(name: string) { return api.call('direct', { name }) }
    class Desk {
      #api
      async #changed<Name extends 'in.generic'>(name: Name) { return this.#api.call(name, {}) }
      decide() { return this.#changed('through.method') }
    }
    ask('through.function', {})
    look('in.other.parameter')
    session.api.call('through.member', {})`
  const called = ['direct', 'through.function', 'through.member', 'through.method']
  expect([...namesUsed('desk.ts', source, 'call')].toSorted()).toEqual(called)
  expect([...namesUsed('desk.ts', source, 'on')]).toEqual(['event.heard'])
  const markup = `<script lang="ts">let { api } = $props()</script>
    <!-- <Button onclick={() => api.call('in.comment', {})} /> -->
    <Button onclick={() => api.call('in.markup', {})}>api.call('in.words')</Button>`
  expect([...namesUsed('Desk.svelte', markup, 'call')]).toEqual(['in.markup'])
})
