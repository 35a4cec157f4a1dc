/** The folder in which everything of ours lies: nobody else on this computer looks into it. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { getuid, platform } from 'node:process'

/** By these a folder is known to be ours, or by its emptiness; any other that somebody names keeps its rights. */
const OURS = ['bookbridge.sqlite', 'settings.json']

/** Makes the folder where there is none, for its owner alone; one of ours that others may enter is closed. */
export function ownFolder(path: string): void {
  const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  // Windows keeps a person's application data apart by itself.
  if (isMade || platform === 'win32') return
  const { mode, uid } = statSync(path)
  const names = readdirSync(path)
  const isOurs = uid === getuid?.() && (names.length === 0 || OURS.some((name) => names.includes(name)))
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
}
