// Reproducible random numbers. The same seed always results in the same stream, so the sample is the same on every
// machine, and a failing test can be repeated.

/** A stream of random numbers. Each call advances it by one step. */
export interface Random {
  /** A number from 0 to 1, excluding 1. */
  unit(): number
  /** A whole number from `low` to `high`, including both. */
  whole(low: number, high: number): number
  /** One of the choices, of which there must be at least one. */
  pick<T>(choices: readonly T[]): T
  /** True with the given probability (0 to 1). */
  chance(probability: number): boolean
}

/** Hashes strings and numbers to 32 bits (FNV-1a). */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  const text = parts.join('\u0000')
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Creates a stream from a seed (mulberry32 over {@link hashOf}). */
export function randomOf(...parts: readonly (string | number)[]): Random {
  let state = hashOf(...parts)
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    unit,
    whole: (low, high) => low + Math.floor(unit() * (high - low + 1)),
    pick: (choices) => {
      const chosen = choices[Math.floor(unit() * choices.length)]
      if (chosen === undefined) throw new RangeError('There is nothing to choose from')
      return chosen
    },
    chance: (probability) => unit() < probability,
  }
}

/** Hexadecimal digits for tokens and request IDs. */
export function hexOf(random: Random, digits: number): string {
  let text = ''
  while (text.length < digits) text += random.whole(0, 15).toString(16)
  return text
}
