/** The wall clock of one process, which a test can set: libfaketime replaces the C library's time functions. */
import { existsSync, globSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where Debian and Fedora install the library. */
const PLACES = ['/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib{,64}/faketime/libfaketime.so.1']

/** The library's path; `null` if this machine has none. `npm test` installs it on Debian. */
export function wallClockLibrary(): string | null {
  return process.platform === 'linux' ? (globSync(PLACES).find((path) => existsSync(path)) ?? null) : null
}

export interface WallClock {
  /** The environment that makes a process use this clock. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock ahead of the machine's by this many seconds, or behind it. Timers continue unchanged. */
  readonly setAhead: (seconds: number) => void
}

/** @param folder the folder of the file with the offset, which the process reads at each call */
export function settableWallClock(library: string, folder: string): WallClock {
  const path = join(folder, 'wall-clock')
  const setAhead = (seconds: number): void => {
    // Replaced atomically, because the process reads it thousands of times a second.
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
