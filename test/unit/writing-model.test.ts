/**
 * Every order of events of the write protocol for two records and two restarts: never sent twice without a person's
 * word, never done twice, never "saved" without proof, and nothing left in a state that nobody can end.
 */
import { expect, test } from 'vitest'
import { startOf, stepsFrom, type ModelState, type ModelWorld } from './writing-model.ts'

interface Explored {
  readonly states: number
  readonly steps: number
  readonly seen: ReadonlySet<string>
}

/** What must never be; empty when all is well. */
function wrong({ kinds }: ModelWorld, { known, done, sent, words }: ModelState): string {
  for (const [index, { state, isClosed }] of known.entries()) {
    const [times, out, said] = [done[index] ?? 0, sent[index] ?? 0, words[index] ?? 0]
    if (isClosed && (state === 'sending' || state === 'unknown')) return 'sent although it was dropped'
    if (out > said) return 'sent twice without a person’s word'
    // A change that somebody else has overwritten meanwhile is done again on the person's word.
    if (times > (kinds[index] === 'insert' ? 1 : said)) return 'done twice'
    if (state === 'acked' && times === 0) return 'saved without proof'
    const isRefused = kinds[index] === 'insert' ? times === 0 : times < said
    if (state === 'rejected' && !isRefused) return 'not accepted, although it is there'
    if (state === 'queued' && times >= said) return 'queued, although it is there'
  }
  return ''
}

/** Breadth first, so that the way to what is wrong is the shortest. */
function explore(world: ModelWorld): Explored {
  const from = new Map<string, { readonly before: string; readonly what: string } | null>()
  const start = startOf(world)
  const waiting: ModelState[] = [start]
  const seen = new Set<string>()
  let steps = 0
  from.set(JSON.stringify(start), null)
  // The list grows while it is gone through.
  for (const state of waiting) {
    const key = JSON.stringify(state)
    for (const each of state.known) seen.add(each.state)
    const problem = wrong(world, state)
    if (problem !== '') throw new Error(`${problem}: ${wayTo(from, key).join(' → ')} gives ${key}`)
    const next = stepsFrom(world, state)
    const isOpen = state.known.some(
      ({ isClosed, state: at }) => !isClosed && (at === 'sending' || at === 'unknown'),
    )
    if (next.length === 0 && isOpen) throw new Error(`nobody can end it: ${wayTo(from, key).join(' → ')}`)
    for (const { what, to } of next) {
      steps += 1
      const name = JSON.stringify(to)
      if (from.has(name)) continue
      from.set(name, { before: key, what })
      waiting.push(to)
    }
  }
  return { states: from.size, steps, seen }
}

function wayTo(
  from: ReadonlyMap<string, { readonly before: string; readonly what: string } | null>,
  key: string,
): string[] {
  const step = from.get(key) ?? null
  return step === null ? [] : [...wayTo(from, step.before), step.what]
}

/** The most orders of all: `npm run test:deep` takes two restarts there too. */
const IS_DEEP = process.env['BOOKBRIDGE_DEEP'] === '1'
const WITH_MOST_ORDERS = IS_DEEP ? 2 : 1

/** Arrays are of one kind, and only an insert has a mark: where one of the two makes no difference it is left out. */
const WORLDS: readonly ModelWorld[] = [
  { kinds: ['insert', 'insert'], arraySize: 1, hasMarks: true, restarts: 2, hasNamesTwice: false },
  { kinds: ['insert', 'insert'], arraySize: 2, hasMarks: true, restarts: 2, hasNamesTwice: false },
  { kinds: ['insert', 'insert'], arraySize: 2, hasMarks: false, restarts: 2, hasNamesTwice: false },
  { kinds: ['insert', 'insert'], arraySize: 1, hasMarks: false, restarts: 1, hasNamesTwice: true },
  { kinds: ['insert', 'change'], arraySize: 1, hasMarks: true, restarts: 2, hasNamesTwice: false },
  {
    kinds: ['insert', 'change'],
    arraySize: 1,
    hasMarks: false,
    restarts: WITH_MOST_ORDERS,
    hasNamesTwice: false,
  },
  {
    kinds: ['change', 'change'],
    arraySize: 2,
    hasMarks: false,
    restarts: WITH_MOST_ORDERS,
    hasNamesTwice: false,
  },
]

const DEEP: readonly ModelWorld[] = IS_DEEP
  ? [{ kinds: ['change', 'change'], arraySize: 1, hasMarks: false, restarts: 2, hasNamesTwice: false }]
  : []

test.each([...WORLDS, ...DEEP])(
  '$kinds, in arrays of $arraySize, marks come back: $hasMarks, restarts: $restarts, names twice: $hasNamesTwice',
  { timeout: 240_000 },
  (world) => {
    const explored = explore(world)
    for (const state of ['queued', 'sending', 'acked', 'rejected', 'unknown', 'held']) {
      expect(explored.seen).toContain(state)
    }
    if (world.kinds.includes('change')) expect(explored.seen).toContain('conflict')
    expect(explored.states).toBeGreaterThan(1_000)
    process.stdout.write(`Model: ${explored.states} states, ${explored.steps} steps\n`)
  },
)
