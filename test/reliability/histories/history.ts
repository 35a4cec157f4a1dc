/**
 * Runs one history: a random service, a simulated user, and a program that is killed now and then. Returns what went
 * wrong.
 */
import { rmSync } from 'node:fs'
import { createEmptyStore, makeTestFolder } from '../../empty-store.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { memorySecrets } from '../world/core-parts.ts'
import { Books, seconds } from './books.ts'
import { ClaimChecker, type Violation } from './claims.ts'
import { describePersonality, drawPersonality, type Personality } from './personality.ts'
import { Program } from './program.ts'
import { SimulatedUser } from './simulated-user.ts'
import { VirtualTime } from './virtual-time.ts'

const START = Date.parse('2026-03-02T09:00:00Z')
const MAX_STEPS = 30

export interface HistoryOutcome {
  readonly seed: number
  readonly personality: Personality
  readonly findings: readonly { readonly wrong: Violation; readonly words: string }[]
  readonly defects: readonly string[]
  /** A transcript: the user's actions, the service's, and the program's reports. */
  readonly transcript: readonly string[]
  readonly records: number
  readonly writes: number
  readonly kills: number
  readonly late: number
  /** Lists that were opened from a copy. */
  readonly copies: number
}

export async function runHistory(seed: number): Promise<HistoryOutcome> {
  const random = seeded(seed)
  const personality = drawPersonality(random)
  const time = new VirtualTime(START)
  const transcript: string[] = [`personality: ${describePersonality(personality)}`]
  const defects: string[] = []
  const log = (words: string): void => {
    transcript.push(`${seconds(time.now - START).padStart(10)}  ${words}`)
  }
  const root = makeTestFolder()
  const secrets = memorySecrets('a-key')
  const keepLists = seed % 4 === 0
  let kills = 0
  /** Kills the program during a request, after this many more kill points. */
  let killIn = random() < 0.4 ? 1 + Math.floor(random() * 40) : Number.POSITIVE_INFINITY
  let next: string | null = null
  const kill = (): void => {
    log('the program is killed')
    next = program.kill()
    kills += 1
  }
  const books: Books = new Books({
    personality,
    random,
    time,
    log,
    mayKill: () => {
      killIn -= 1
      if (killIn > 0 || program.isDead || books.isHonest) return false
      killIn = random() < 0.3 ? 1 + Math.floor(random() * 40) : Number.POSITIVE_INFINITY
      kill()
      return true
    },
    drafts: async () => {
      const drafts = await program.call('records.drafts', {
        company: { connectionId: 'c1', endpointId: 'e1' },
        object: personality.object,
      })
      return drafts.ok ? drafts.value : []
    },
    onViolation: (what, words) => {
      claims.report(what, words)
    },
    isPassed: (operationId) => user.passed.has(operationId),
    isResendConfirmed: (operationId) => claims.isResendConfirmed(operationId),
  })
  const claims: ClaimChecker = new ClaimChecker(books, personality.object, () => time.now, log)
  for (let number = 1, count = 3 + Math.floor(random() * 20); number <= count; number += 1) {
    const own = { Phone: `100-${number}`, Number: `N${number}` }
    books.start({
      Name: `${pick(random, ['Baker', 'Smith & Sons', 'Fine Goods'])} ${100 + number}`,
      ...own,
      IsActive: true,
    })
  }
  const startProgram = (folder: string): Program =>
    new Program({
      time,
      seed: seed * 1_000 + kills,
      folder,
      secrets,
      settings: { markWithExternalId: random() < 0.9, batchSize: pick(random, [1, 3, 10, 50]), keepLists },
      fetch: (caller, input, init) => books.fetch(caller, input, init),
      onOperations: (operations) => {
        claims.onOperations(operations)
      },
      onDefect: (words) => defects.push(words),
    })
  createEmptyStore(root)
  let program = startProgram(root)
  const ended: Program[] = []
  const restartIfKilled = async (): Promise<void> => {
    // Its first request may kill it again.
    while (next !== null) {
      const folder: string = next
      next = null
      ended.push(program)
      await program.end()
      await time.advance(Math.floor(random() * random() * 3_600_000))
      log('the program is started again')
      program = startProgram(folder)
      user.onRestarted()
      await time.drain()
    }
  }
  const user = new SimulatedUser({
    random,
    personality,
    time,
    books,
    claims,
    log,
    keepLists,
    program: () => program,
    restart: async () => {
      if (next === null) kill()
      await restartIfKilled()
    },
  })
  try {
    await user.open()
    for (let step = 0, steps = 12 + Math.floor(random() * MAX_STEPS); step < steps; step += 1) {
      await restartIfKilled()
      if (random() < personality.others) changeByOthers(random, books, log)
      await user.step()
    }
    await restartIfKilled()
    books.isHonest = true
    claims.checkEnd(await user.finish())
  } finally {
    if (!ended.includes(program)) await program.end()
    rmSync(root, { recursive: true, force: true })
    for (let at = root, more = 0; more < kills; more += 1) {
      at = `${at}x`
      rmSync(at, { recursive: true, force: true })
    }
  }
  return {
    seed,
    personality,
    findings: claims.findings,
    defects,
    transcript,
    records: claims.size,
    writes: books.writes.length,
    kills,
    late: claims.late,
    copies: user.copies,
  }
}

/** Someone else works in the accounting application. */
function changeByOthers(random: () => number, books: Books, log: (words: string) => void): void {
  const { alive } = books
  const [record] = alive.toSorted(() => random() - 0.5)
  if (record === undefined) return
  const name = String(record.versions.at(-1)?.fields['Name'])
  switch (pick(random, ['insert', 'insert', 'change', 'change', 'rename', 'delete'] as const)) {
    case 'insert': {
      const isNamesake = random() < 0.5
      const sent = books.writes.at(-1)?.items.at(-1)?.fields['Name']
      const given = isNamesake && typeof sent === 'string' ? sent : `Other ${Math.floor(random() * 1e6)}`
      const made = books.insert(
        { Name: given, Phone: `900-${Math.floor(random() * 1e6)}`, IsActive: true },
        '',
      )
      if (made !== null) log(`somebody else inserts “${given}” (record ${made.uid})`)
      return
    }
    case 'change':
      books.change(record, { Phone: `800-${Math.floor(random() * 1e6)}` })
      log(`somebody else changes the phone of “${name}” (record ${record.uid})`)
      return
    case 'rename': {
      const next = `Renamed ${Math.floor(random() * 1e6)}`
      if (books.change(record, { Name: next }))
        log(`somebody else calls “${name}” (record ${record.uid}) “${next}”`)
      return
    }
    case 'delete':
      record.deletedAt = books.now
      log(`somebody else deletes “${name}” (record ${record.uid})`)
  }
}
