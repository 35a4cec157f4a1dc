// Electron's npm package contains only the launcher. The runtime (about 100 MB) is a separate download, which not every
// computer can make. After a failure, starts don't try again for some hours, so that they are quick.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cacheFolder, exitCode, projectFolder, say, spawnTied, stop } from './process.ts'

const electronPackage = join(projectFolder, 'node_modules', 'electron')
const refusal = join(cacheFolder, 'electron-download-failed')
const hour = 60 * 60 * 1000

/** After this time without data, in milliseconds, a download has stalled. */
const patience = 20_000

/** The installed runtime's executable; undefined if there is none of the pinned version. */
export async function installedElectron(): Promise<string | undefined> {
  const { version } = JSON.parse(await readFile(join(electronPackage, 'package.json'), 'utf8')) as {
    version: string
  }
  const there = await text(join(electronPackage, 'dist', 'version'))
  const executable = await text(join(electronPackage, 'path.txt'))
  if (there?.trim().replace(/^v/, '') !== version || executable === undefined) return undefined
  return join(electronPackage, 'dist', executable.trim())
}

/**
 * The runtime's executable. Downloads it with Electron's own installer if needed. Undefined if that fails. `again` tries
 * even shortly after a failure.
 */
export async function obtainElectron(again: boolean): Promise<string | undefined> {
  const installed = await installedElectron()
  if (installed !== undefined) return installed
  if (process.env['ELECTRON_SKIP_BINARY_DOWNLOAD'] !== undefined) return undefined
  const failedAt = await stat(refusal).then(
    (file) => file.mtimeMs,
    () => 0,
  )
  if (!again && Date.now() - failedAt < 6 * hour) return undefined

  say("Fetching Electron's runtime (once, some 100 MB): node node_modules/electron/install.js")
  if (await download()) return installedElectron()
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(refusal, '')
  say("Electron's runtime could not be fetched.")
  return undefined
}

/** Whether the installer succeeded. False if it failed or stalled. */
async function download(): Promise<boolean> {
  const arriving = join(cacheFolder, 'electron-download')
  await rm(arriving, { recursive: true, force: true })
  await mkdir(arriving, { recursive: true })
  const installer = spawnTied(process.execPath, [join(electronPackage, 'install.js')], {
    cwd: projectFolder,
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: arriving, TEMP: arriving, TMP: arriving },
  })
  const ended = exitCode(installer)
  let lastSize = 0
  let lastGrowth = Date.now()
  for (;;) {
    const code = await Promise.race([ended, wait(500, undefined, { ref: false })])
    if (code !== undefined) break
    const size = (await folderSize(arriving)) + (await folderSize(join(electronPackage, 'dist')))
    if (size > lastSize) lastGrowth = Date.now()
    lastSize = size
    if (Date.now() - lastGrowth > patience) await stop(installer, 0)
  }
  await rm(arriving, { recursive: true, force: true })
  return (await ended) === 0
}

async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          (file) => file.size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function text(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

/** The switches that Electron needs to start on this computer. */
export async function sandboxSwitches(electron: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const helper = await stat(join(dirname(electron), 'chrome-sandbox')).catch(() => undefined)
  const privileged = helper?.uid === 0 && (helper.mode & 0o4000) !== 0
  const restricted = (await text('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'))?.trim() === '1'
  // Chromium can't use its sandbox as root, or if ordinary users may not create user namespaces.
  return process.getuid?.() === 0 || (restricted && !privileged) ? ['--no-sandbox'] : []
}
