// `npm run build`, which other commands run first: builds the program if a source has changed since the last build.
import { mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cacheFolder, printLine, projectFolder, run } from './process.ts'

const builtMarker = join(projectFolder, 'out', 'built')
const lock = join(cacheFolder, 'building')

const sources = [
  'electron',
  'renderer',
  'shared',
  'electron.vite.config.ts',
  'svelte.config.js',
  'package.json',
  // The guide ships, too.
  'docs/guide',
  'docs/images',
  'resources',
]

/** Brings `out/` up to date. Two commands that start together build once. Throws with the builder's output. */
export async function buildIfNeeded(): Promise<void> {
  if (await isUpToDate()) return
  await mkdir(cacheFolder, { recursive: true })
  await acquireLock()
  try {
    if (await isUpToDate()) return
    printLine('Building…')
    const startedAt = new Date()
    const built = await run(process.execPath, [viteBin(), 'build', '--config', 'electron.vite.config.ts'], {
      output: 'keep',
    })
    if (built.code !== 0) throw new Error(`The build failed:\n${built.output}`)
    // A source that changes during the build is newer than the marker, so the next build includes it.
    await writeFile(builtMarker, '')
    await utimes(builtMarker, startedAt, startedAt)
  } finally {
    await rm(lock, { force: true })
  }
}

async function isUpToDate(): Promise<boolean> {
  const builtAt = await stat(builtMarker).then(
    (file) => file.mtimeMs,
    () => 0,
  )
  return builtAt > 0 && builtAt > (await latestSourceChange())
}

async function latestSourceChange(): Promise<number> {
  const times = await Promise.all(sources.map((source) => latestChange(join(projectFolder, source))))
  return Math.max(...times)
}

/** Folders count, too: they change when a file in them is deleted. */
async function latestChange(path: string): Promise<number> {
  const found = await stat(path)
  if (!found.isDirectory()) return found.mtimeMs
  const entries = await readdir(path, { recursive: true })
  const times = await Promise.all(
    entries.map((entry) =>
      stat(join(path, entry)).then(
        (file) => file.mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(found.mtimeMs, ...times)
}

/** Waits for another command's build to end, and takes over from one that died. */
async function acquireLock(): Promise<void> {
  for (;;) {
    const file = await open(lock, 'wx').catch(() => undefined)
    if (file !== undefined) {
      await file.writeFile(String(process.pid))
      await file.close()
      return
    }
    const builder = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (builder > 0 && !isAlive(builder)) await rm(lock, { force: true })
    await wait(200)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function viteBin(): string {
  return join(projectFolder, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
}

if (process.argv[1] === import.meta.filename) await buildIfNeeded()
