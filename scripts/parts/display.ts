// Detects a display, and starts a virtual one for Electron.
import { once } from 'node:events'
import { spawnWithParent, stop } from './process.ts'

/** Whether a window would be visible. Only Linux commonly runs without a screen. */
export function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
}

export type VirtualScreen = { readonly env: Readonly<Record<string, string>>; close(): Promise<void> }

/** Starts Xvfb, which finds a free display number itself. Throws if it doesn't start. */
export async function openVirtualScreen(): Promise<VirtualScreen> {
  const server = spawnWithParent(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '1366x800x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore'], detached: true },
    'KILL',
  )
  if (server.stdout === null) throw new Error('The virtual screen has no output.')
  const failed = once(server, 'close').then(() => Promise.reject(new Error('Xvfb did not start.')))
  const [number] = (await Promise.race([once(server.stdout, 'data'), failed])) as [Buffer]
  failed.catch(() => undefined)
  return { env: { DISPLAY: `:${number.toString().trim()}` }, close: () => stop(server, 2_000) }
}
