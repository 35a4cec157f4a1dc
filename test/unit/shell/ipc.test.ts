import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Handlers, runCall } from '../../../electron/app/calls.ts'
import { type CallName, CALLS } from '../../../shared/contract/contract.ts'
import { ok } from '../../../shared/result.ts'
import { isDeep } from '../../seeds.ts'
import { standIn } from '../records/list/stand-in.ts'

const RUNS = isDeep ? 50_000 : 2_000

/** Handlers that record what reaches them. */
const CALL_NAMES = Object.keys(CALLS) as readonly CallName[]

function noting() {
  const reached: { name: CallName; input: unknown }[] = []
  const handlers = standIn<Handlers>(
    Object.fromEntries(
      CALL_NAMES.map((name) => [
        name,
        (input: unknown) => {
          reached.push({ name, input })
          return Promise.resolve(ok({}))
        },
      ]),
    ),
  )
  return { handlers, reached }
}

describe('what may be called', () => {
  it('is refused with any input that violates the contract, and nothing throws', async () => {
    const { handlers, reached } = noting()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CALL_NAMES),
        fc.anything({ withBigInt: true, withMap: true, withTypedArray: true, withNullPrototype: true }),
        async (name, input) => {
          reached.length = 0
          const isAgreed = CALLS[name].input.safeParse(input).success
          const answer = await runCall(handlers, name, input)
          expect(answer.refused === null).toBe(isAgreed)
          expect(reached).toHaveLength(isAgreed ? 1 : 0)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('is refused with additional members', async () => {
    const { handlers, reached } = noting()
    const answer = await runCall(handlers, 'connection.select', { connectionId: 'c', key: 'smuggled' })
    expect(answer.refused).not.toBeNull()
    expect(reached).toHaveLength(0)
  })

  it('is refused without showing the value, which may be a key', async () => {
    const { handlers } = noting()
    const answer = await runCall(handlers, 'connection.setKey', {
      connectionId: 'c',
      key: { secret: 'canary-1234' },
    })
    expect(answer.refused).toContain('key')
    expect(JSON.stringify(answer)).not.toContain('canary-1234')
  })

  it('is refused if it is too large', async () => {
    const { handlers } = noting()
    const answer = await runCall(handlers, 'companies.list', {
      connectionId: 'c',
      pad: 'x'.repeat(49 * 1024 * 1024),
    })
    expect(answer.refused).toBe('too large')
  })

  it('has its answer checked, too: one that violates the contract is a defect', async () => {
    const { handlers } = noting()
    const wrong = standIn<Handlers>({
      ...handlers,
      'companies.list': () => Promise.resolve(ok({ companies: [{ token: 'canary' }], readAt: null })),
    })
    const answer = await runCall(wrong, 'companies.list', { connectionId: 'c' })
    expect(answer.defect).toBeInstanceOf(Error)
    expect(JSON.stringify(answer.result)).not.toContain('canary')
  })

  it('is a defect with a message if a use case throws', async () => {
    const { handlers } = noting()
    const broken = standIn<Handlers>({
      ...handlers,
      'activity.queues': () => {
        throw new Error('boom')
      },
    })
    expect((await runCall(broken, 'activity.queues', {})).defect).toBeInstanceOf(Error)
  })
})

/** The parts of a schema that accept values of any size: paths with their schemas. */
function unbounded(node: z.core.JSONSchema._JSONSchema | undefined, path: string): readonly string[] {
  if (typeof node !== 'object' || node.enum !== undefined || node.const !== undefined) return []
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]
  if (parts.length > 0) return parts.flatMap((part) => unbounded(part, path))
  switch (node.type) {
    case 'string':
      // Each of our patterns limits the length.
      return node.maxLength === undefined && node.pattern === undefined ? [path] : []
    case 'array': {
      const items = [...(node.prefixItems ?? []), node.items].flat()
      const own = node.maxItems === undefined && node.prefixItems === undefined ? [path] : []
      return [...own, ...items.flatMap((item) => unbounded(item as typeof node | undefined, `${path}[]`))]
    }
    case 'object': {
      const own = typeof node.additionalProperties === 'object' ? [path] : []
      const members = Object.entries(node.properties ?? {})
      return [...own, ...members.flatMap(([name, member]) => unbounded(member, `${path}.${name}`))]
    }
    case 'boolean':
    case 'integer':
    case 'number':
    case 'null':
      return []
    default:
      return [path]
  }
}

describe('the size of an input', () => {
  it('is limited in each call, part by part or by its own check', () => {
    const found = CALL_NAMES.flatMap((name) =>
      unbounded(z.toJSONSchema(CALLS[name].input, { unrepresentable: 'any', io: 'input' }), name),
    )
    expect(found).toEqual([
      // Covered by the cases below.
      'records.saveDrafts.drafts[].before',
      'records.decide.decision.choices',
      // Files, pictures, and cells from the service are limited only by the size of the whole call.
      'import.takeFile.bytes',
      'export.rows.rows[][]',
      'reports.saveChart.bytes',
      'reports.copyChart.bytes',
      // Covered below, too.
      'settings.set.columnStates',
    ])
  })

  const manyMembers = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, index) => [`F${String(index)}`, '']),
  )
  const deep = JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) as unknown
  const loop: Record<string, unknown> = {}
  loop['again'] = loop
  const drafts = (before: unknown) => ({
    company: { connectionId: 'c', endpointId: 'e' },
    object: 'customer',
    drafts: [{ draftId: 'd', kind: 'change', recordId: '1', before, edits: [] }],
  })
  const decide = (choices: unknown) => ({ operationId: 'o', decision: { what: 'choose', choices } })

  it.each([
    ['settings.set', { columnStates: { customer: 'x'.repeat(40 * 1024 * 1024) } }],
    ['settings.set', { columnStates: { customer: { ...manyMembers, more: 'x'.repeat(4_000_000) } } }],
    ['settings.set', { columnStates: { customer: loop } }],
    ['settings.set', { dataSchemaVersion: '20.04\r\nhost: evil' }],
    ['records.saveDrafts', drafts(manyMembers)],
    ['records.saveDrafts', drafts({ ID: '1', Notes: 'x'.repeat(17_000_000) })],
    ['records.saveDrafts', drafts(loop)],
    ['records.decide', decide(Object.fromEntries(Object.keys(manyMembers).map((name) => [name, 'theirs'])))],
  ] as const)('is refused beyond it: %s', async (name, input) => {
    const { handlers, reached } = noting()
    expect((await runCall(handlers, name, input)).refused).toMatch(/^invalid input/)
    expect(reached).toHaveLength(0)
  })

  it('is accepted within the limit, however deep', async () => {
    const { handlers, reached } = noting()
    await runCall(handlers, 'settings.set', { columnStates: { customer: { columns: [], unfolded: [] } } })
    await runCall(handlers, 'records.saveDrafts', drafts({ ID: '1', Lines: deep }))
    expect(reached).toHaveLength(2)
  })
})
