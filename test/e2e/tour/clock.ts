/** The tour's clock: time stands still in the program, its workers, and its window until the tour advances it. */
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'

/** A Thursday morning in the first days of a second quarter, so that *Last quarter* is a complete one. */
const MOMENT = Date.parse('2026-04-09T09:02:00Z')

/** The environment of the program, apart from the time. */
export const MACHINE = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' } as const

export interface TourClock {
  /** Advances the time everywhere. What is already drawn follows within a second. */
  pass(seconds: number): Promise<void>
  /** Ends what the sample service is waiting for, such as a client's consent. */
  endPauses(): Promise<void>
}

/** Stops the time in a program that was just started and hasn't used the sample yet. */
export async function stopTime(program: ElectronApplication, window: Page): Promise<TourClock> {
  await program.evaluate(
    (_electron, { file, moment }) => {
      process.env['BOOKBRIDGE_TOUR_MOMENT'] = String(moment)
      process.getBuiltinModule('node:module').createRequire(file)(file)
    },
    { file: join(import.meta.dirname, 'standing-time.ts'), moment: MOMENT },
  )
  await window.clock.setFixedTime(MOMENT)
  return {
    async pass(seconds) {
      const now = await program.evaluate(
        (_electron, milliseconds) => globalThis.letTimePass?.(milliseconds),
        seconds * 1_000,
      )
      if (now !== undefined) await window.clock.setFixedTime(now)
    },
    endPauses: () => program.evaluate(() => globalThis.endPauses?.()),
  }
}
