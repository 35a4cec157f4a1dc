/** Messages for screen readers, and the short notes in the status line. Created once in `App.svelte`. */
import { untrack } from 'svelte'

interface Toast {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

/** Speaks through the two live regions of `App.svelte`. */
export class LiveAnnouncer {
  polite = $state('')
  assertive = $state('')

  /** Speaks once the screen reader has finished its sentence: results and counts. */
  say(text: string): void {
    // Untracked, so that an effect that speaks doesn't run again because of its own words.
    this.polite = otherThan(
      untrack(() => this.polite),
      text,
    )
  }

  /** Speaks at once, for what needs attention now. An error on screen is an alert already. */
  interrupt(text: string): void {
    this.assertive = otherThan(
      untrack(() => this.assertive),
      text,
    )
  }
}

/** Appends an invisible character if the text is the same as before, so that the live region changes. */
function otherThan(last: string, text: string): string {
  return last === text ? `${text}\u2060` : text
}

/** Short notes, one at a time. Each disappears after six seconds, with its screen, or when the next one is shown. */
export class Toasts {
  shown = $state.raw<Toast | null>(null)
  #next = 1

  /** Shows a note, replacing the previous one. Returns a function that removes it. */
  show(text: string, action?: Toast['action'], ms = 6000): () => void {
    const toast: Toast = action ? { id: this.#next++, text, action } : { id: this.#next++, text }
    this.shown = toast
    const remove = (): void => {
      if (this.shown?.id === toast.id) this.shown = null
    }
    setTimeout(remove, ms)
    return remove
  }

  /** Removes the note, for example because another screen is shown. */
  clear(): void {
    this.shown = null
  }
}
