/**
 * Updates a signed build with electron-updater: it checks the address in the package's `app-update.yml`, downloads only
 * on request, and verifies checksum and signature. Loaded on first use.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import type { UpdateSource } from '../app/ports.ts'
import { type BuildFacts, updatesOffReason } from '../app/program/updates.ts'

/** @param resources the package's resources folder */
export function createUpdater(
  build: Omit<BuildFacts, 'updateFile'>,
  resources: string,
): UpdateSource | { readonly off: string } {
  const off = updatesOffReason({ ...build, updateFile: build.isPackaged ? updateFileIn(resources) : null })
  if (off !== null) return { off }
  let loading: Promise<AppUpdater> | null = null
  const load = (): Promise<AppUpdater> => {
    loading ??= import('electron-updater').then(({ default: { autoUpdater } }) => {
      autoUpdater.autoDownload = false
      // Install only on request, not at the end of a workday.
      autoUpdater.autoInstallOnAppQuit = false
      autoUpdater.allowDowngrade = false
      autoUpdater.allowPrerelease = false
      autoUpdater.logger = null
      return autoUpdater
    })
    return loading
  }
  return {
    async check() {
      const found = await (await load()).checkForUpdates()
      return found === null
        ? null
        : { version: found.updateInfo.version, notes: found.updateInfo.releaseNotes }
    },
    async fetch(onPercent) {
      const updater = await load()
      const tell = ({ percent }: { readonly percent: number }): void => onPercent(percent)
      updater.on('download-progress', tell)
      try {
        await updater.downloadUpdate()
      } finally {
        updater.off('download-progress', tell)
      }
    },
    install() {
      void load().then((updater) => {
        updater.quitAndInstall(true, true)
      })
    },
  }
}

function updateFileIn(resources: string): string | null {
  try {
    return readFileSync(join(resources, 'app-update.yml'), 'utf8')
  } catch {
    return null
  }
}
