/** The wall clock of one process, which a test can set: the C library's own calls answer another time (libfaketime). */
import { existsSync, globSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where Debian and Fedora put the library. */
const PLACES = ['/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib{,64}/faketime/libfaketime.so.1']

/** `null` where this machine has none: `npm test` installs it on Debian. */
export function wallClockLibrary(): string | null {
  return process.platform === 'linux' ? (globSync(PLACES).find((path) => existsSync(path)) ?? null) : null
}

export interface WallClock {
  /** What a process has to be started with, so that this clock is on its wall. */
  readonly env: Readonly<Record<string, string>>
  /** From now on it is so many seconds ahead of the machine's, or behind it. Timers go on as they were. */
  readonly setAhead: (seconds: number) => void
}

/** @param folder where what the clock says is kept, in a file that the process reads at each look */
export function settableWallClock(library: string, folder: string): WallClock {
  const path = join(folder, 'wall-clock')
  const setAhead = (seconds: number): void => {
    // Whole at each moment: the process looks at it thousands of times a second.
    writeFileSync(`${path}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`)
    renameSync(`${path}.new`, path)
  }
  setAhead(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    setAhead,
  }
}
