/** Seeded randomness, and kill points: a program that ends at any step of the journal or of the wire. */
import type { Store } from '../../../electron/store/store.ts'
import { seededRandom } from '../../virtual-clock.ts'

/** Numbers that are the same for a seed on every computer. */
export function seeded(seed: number): () => number {
  return seededRandom(seed, { now: () => 0 }).fraction
}

export function pick<T>(random: () => number, choices: readonly T[]): T {
  const chosen = choices[Math.floor(random() * choices.length)]
  if (chosen === undefined) throw new Error('There is nothing to pick from.')
  return chosen
}

/** Thrown where the program is killed. */
export class Killed extends Error {}

/** Counts steps, and ends the program at one of them. */
export class KillSwitch {
  readonly at: number
  count = 0
  isDead = false

  constructor(at: number) {
    this.at = at
  }

  readonly step = (): void => {
    if (this.isDead) throw new Killed()
    this.count += 1
    if (this.count !== this.at) return
    this.isDead = true
    throw new Killed()
  }
}

type Methods = Readonly<Record<string, (...input: never[]) => unknown>>

/** Each write has a step before and after it. A dead program doesn't read either. */
function stepping<T extends object>(part: T, writes: ReadonlySet<string>, kill: KillSwitch): T {
  const methods = part as unknown as Methods
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...input: never[]) => {
        if (!writes.has(name)) {
          if (kill.isDead) throw new Killed()
          return method(...input)
        }
        kill.step()
        const result = method(...input)
        kill.step()
        return result
      },
    ]),
  ) as unknown as T
}

export function withKillPoints(store: Store, kill: KillSwitch): Store {
  const { journal } = store
  return {
    ...store,
    journal: {
      ...journal,
      operations: stepping(
        journal.operations,
        new Set(['enqueue', 'move', 'begin', 'end', 'setBatch']),
        kill,
      ),
      writePolicies: stepping(journal.writePolicies, new Set(['set', 'trustExternalId']), kill),
      manage: stepping(
        journal.manage,
        new Set(['putProvisioning', 'answerProvisioning', 'putUserCreation', 'putDeprovisioning']),
        kill,
      ),
    },
  }
}
