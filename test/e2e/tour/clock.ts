/** The tour's clock: the program, its workers and its window all stand at one moment until the tour moves it. */
import type { ElectronApplication, Page } from '@playwright/test'
import { join } from 'node:path'

/** A Thursday morning in a second quarter's first days, so that *Last quarter* is a whole one. */
const MOMENT = Date.parse('2026-04-09T09:02:00Z')

/** What the program's machine is like, apart from the time. */
export const MACHINE = { TZ: 'UTC', LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' } as const

export interface TourClock {
  /** Lets time pass everywhere but in what is already drawn, which follows within a second. */
  pass(seconds: number): Promise<void>
  /** Ends what the sample service is waiting for, such as an end user's consent. */
  endPauses(): Promise<void>
}

/** Stops the time in a program that has just been started and has not used the sample yet. */
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
