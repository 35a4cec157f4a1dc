/** What the window asks of its own engine; said before the program is ready. */
import type { App } from 'electron'

/**
 * How the window's memory is swept. A frame of fast scrolling makes three megabytes of cells and leaves as much behind,
 * beside a list that may hold a hundred thousand records. As a browser is set up for pages, the engine swept all of it
 * twice a second then, 20 to 80 ms each time, and a frame took half as long again. With young objects of 32 MB (64 at
 * most), and the whole swept when it has doubled, one frame in a hundred waits for it (docs/measured.md).
 */
const SWEEPING = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--heap-growing-percent=100']

export function prepareWindowEngine(app: Pick<App, 'commandLine'>): void {
  app.commandLine.appendSwitch('js-flags', SWEEPING.join(' '))
}
