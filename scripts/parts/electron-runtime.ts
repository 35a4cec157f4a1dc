// Finds or downloads Electron's runtime. Its npm package contains only the launcher; the runtime (about 100 MB) is a
// separate download, which some networks block. After a failure, starts don't try again for six hours, to stay quick.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cacheFolder, exitCode, printLine, projectFolder, spawnWithParent, stop } from './process.ts'

const electronPackage = join(projectFolder, 'node_modules', 'electron')
const failureMarker = join(cacheFolder, 'electron-download-failed')
const HOUR_MS = 60 * 60 * 1000

/** A download has stalled after this time without data. */
const STALL_TIMEOUT_MS = 20_000

/** The path of the installed runtime's executable; undefined unless it has the pinned version. */
export async function installedElectron(): Promise<string | undefined> {
  const { version } = JSON.parse(await readFile(join(electronPackage, 'package.json'), 'utf8')) as {
    version: string
  }
  const installedVersion = await readIfExists(join(electronPackage, 'dist', 'version'))
  const executable = await readIfExists(join(electronPackage, 'path.txt'))
  if (installedVersion?.trim().replace(/^v/, '') !== version || executable === undefined) return undefined
  return join(electronPackage, 'dist', executable.trim())
}

/**
 * The path of the runtime's executable. Downloads the runtime with Electron's own installer if needed; undefined if that
 * fails. `retry` tries even shortly after a failure.
 */
export async function obtainElectron(retry: boolean): Promise<string | undefined> {
  const installed = await installedElectron()
  if (installed !== undefined) return installed
  if (process.env['ELECTRON_SKIP_BINARY_DOWNLOAD'] !== undefined) return undefined
  const failedAt = await stat(failureMarker).then(
    (file) => file.mtimeMs,
    () => 0,
  )
  if (!retry && Date.now() - failedAt < 6 * HOUR_MS) return undefined

  printLine("Fetching Electron's runtime (once, some 100 MB): node node_modules/electron/install.js")
  if (await download()) return installedElectron()
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(failureMarker, '')
  printLine("Electron's runtime could not be fetched.")
  return undefined
}

/** Runs the installer. Returns false if it failed or stalled. */
async function download(): Promise<boolean> {
  const downloadFolder = join(cacheFolder, 'electron-download')
  await rm(downloadFolder, { recursive: true, force: true })
  await mkdir(downloadFolder, { recursive: true })
  const installer = spawnWithParent(process.execPath, [join(electronPackage, 'install.js')], {
    cwd: projectFolder,
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: downloadFolder, TEMP: downloadFolder, TMP: downloadFolder },
  })
  const ended = exitCode(installer)
  let lastSize = 0
  let lastGrowth = Date.now()
  for (;;) {
    const code = await Promise.race([ended, wait(500, undefined, { ref: false })])
    if (code !== undefined) break
    const size = (await folderSize(downloadFolder)) + (await folderSize(join(electronPackage, 'dist')))
    if (size > lastSize) lastGrowth = Date.now()
    lastSize = size
    if (Date.now() - lastGrowth > STALL_TIMEOUT_MS) await stop(installer, 0)
  }
  await rm(downloadFolder, { recursive: true, force: true })
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

function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

/** The switches that Electron needs to start on this computer. */
export async function sandboxSwitches(electron: string): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const helper = await stat(join(dirname(electron), 'chrome-sandbox')).catch(() => undefined)
  const privileged = helper?.uid === 0 && (helper.mode & 0o4000) !== 0
  const restricted =
    (await readIfExists('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'))?.trim() === '1'
  // Chromium can't use its sandbox as root, or if ordinary users may not create user namespaces.
  return process.getuid?.() === 0 || (restricted && !privileged) ? ['--no-sandbox'] : []
}
