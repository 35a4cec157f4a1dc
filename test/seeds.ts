/**
 * The numbers of randomized tests. `BOOKBRIDGE_DEEP=1` runs more of them, and `BOOKBRIDGE_SEED=n` runs one seed alone.
 */

/** Whether this is a deep run. */
export const isDeep = process.env['BOOKBRIDGE_DEEP'] === '1'

/** The only seed to run, if there is one. */
export const onlySeed = process.env['BOOKBRIDGE_SEED']

/** The seeds to run: 1 to `quick`, or to `deep` in a deep run, or only the one that the environment names. */
export function seeds(quick: number, deep: number): readonly number[] {
  if (onlySeed !== undefined) return [Number(onlySeed)]
  return Array.from({ length: isDeep ? deep : quick }, (_, index) => index + 1)
}
