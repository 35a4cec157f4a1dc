/** What the window asks of its own engine; said before the program is ready. */

/**
 * How the window's memory is swept. A frame of fast scrolling makes a megabyte and a half of cells in script, and what is
 * left of them outlives the quick sweeping. As a browser is set up for pages, the engine went through all of the memory
 * once in 25 frames then, the list that is held included. With young objects of 32 MB (64 at most) and the whole swept
 * when it has doubled, it is once in a hundred (docs/measured.md).
 */
const SWEEPING = ['--min-semi-space-size=32', '--max-semi-space-size=64', '--heap-growing-percent=100']

/** The part of Electron's `app` that takes switches for Chromium. */
interface Switches {
  readonly commandLine: { appendSwitch(name: string, value: string): void }
}

export function prepareWindowEngine(app: Switches): void {
  app.commandLine.appendSwitch('js-flags', SWEEPING.join(' '))
}
