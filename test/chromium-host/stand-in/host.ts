/**
 * State that the parts of the stand-in share in one run. `electron.ts` creates it once and passes it to each of them.
 */
import type { Chromium } from '../chromium.ts'
import type { Recorder } from '../recorder.ts'
import type { HostBrowserWindow } from './browser-window.ts'
import type { HostIpcMain } from './ipc-main.ts'
import type { HostNativeTheme } from './native-theme.ts'
import type { HostSessions } from './session.ts'
import type { HostWebContents } from './web-contents.ts'

export const TITLE_SUFFIX = ' (Chromium host)'

export interface Host {
  readonly recorder: Recorder
  readonly ipcMain: HostIpcMain
  readonly nativeTheme: HostNativeTheme
  readonly sessions: HostSessions
  /** The windows that are open, oldest first. */
  readonly windows: Set<HostBrowserWindow>
  /** Resolves when Chromium is running. Windows wait for it. */
  readonly chromium: Promise<Chromium>
  /** The versions in `process.versions` of a preload. */
  readonly versions: Record<string, string>
  /** Called for each new page and each closed window. */
  readonly onWebContents: (contents: HostWebContents) => void
  readonly onCrashed: (contents: HostWebContents, details: { reason: string; exitCode: number }) => void
  readonly onWindowClosed: () => void
}
