// Screens: whether there is one, and a virtual one for Electron where there is none.
import { once } from 'node:events'
import { spawnTied, stop } from './process.ts'

/** Whether a window could be seen here. Only Linux runs without a screen as a matter of course. */
export function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
}

export type VirtualScreen = { readonly env: Readonly<Record<string, string>>; close(): Promise<void> }

/** Starts Xvfb on a display number that it finds free itself. Throws when it does not start. */
export async function openVirtualScreen(): Promise<VirtualScreen> {
  const server = spawnTied(
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
