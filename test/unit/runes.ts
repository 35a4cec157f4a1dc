/** Replaces Svelte's runes with plain values when it is imported, because tests don't compile Svelte. */
import { vi } from 'vitest'

const plain = <Value>(value: Value): Value => value
vi.stubGlobal('$state', Object.assign(plain, { raw: plain }))
vi.stubGlobal('$derived', Object.assign(plain, { by: <Value>(compute: () => Value) => compute() }))
