/** What the screen that is shown can do, for the palette: each screen puts its own here while it is there. */
import type { Component } from 'svelte'

export interface ScreenCommand {
  readonly label: string
  /** The shortcut that does the same, e.g. `Ctrl Z`. */
  readonly keys?: string
  readonly icon?: Component
  readonly run: () => void
}

/** Made by the frame and handed down by context. */
export class ScreenCommands {
  #ask: (() => readonly ScreenCommand[]) | null = null

  /** What can be done just now; asked for whenever the palette opens. */
  get all(): readonly ScreenCommand[] {
    return this.#ask?.() ?? []
  }

  /**
   * Offers the commands of a screen.
   * @param ask gives those that can be done at the moment
   * @returns takes them away again, unless another screen has put its own
   */
  offer(ask: () => readonly ScreenCommand[]): () => void {
    this.#ask = ask
    return () => {
      if (this.#ask === ask) this.#ask = null
    }
  }
}
