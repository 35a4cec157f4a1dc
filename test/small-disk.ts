/** A file system in memory that is small enough to fill, for tests of a full disk. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates the folder and mounts a file system in it.
 * @param size such as `16m`
 * @returns a function that unmounts it; `null` if this account may not mount file systems
 */
export function mountSmallDisk(folder: string, size: string): (() => void) | null {
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return null
  }
  return () => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
  }
}

/** Writes files until the disk is full. */
export function fillDisk(folder: string): void {
  for (const size of [262_144, 4_096]) {
    const block = Buffer.alloc(size, 1)
    for (let number = 0; ; number += 1) {
      try {
        writeFileSync(join(folder, `filler-${String(size)}-${String(number)}`), block)
      } catch {
        break
      }
    }
  }
}

/** Deletes the files of `fillDisk`. */
export function freeDisk(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith('filler-')) rmSync(join(folder, name))
}
