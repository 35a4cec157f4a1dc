/** What screen readers are told, and the short notes at the foot of the window. Made once in `main.ts`. */
import { untrack } from 'svelte'

interface Toast {
  readonly id: number
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

/** Speaks through the two live regions of `Announcements.svelte`. */
export class Announcer {
  polite = $state('')
  assertive = $state('')

  /** Said when the screen reader has finished its sentence: results, counts. */
  say(text: string): void {
    // Not tracked: an effect that speaks would else hear itself, and speak again without end.
    this.polite = otherThan(
      untrack(() => this.polite),
      text,
    )
  }

  /** Said at once: what needs the person now. An error that stands on screen is an alert already. */
  interrupt(text: string): void {
    this.assertive = otherThan(
      untrack(() => this.assertive),
      text,
    )
  }
}

/** The same words twice in a row are no change to a live region; an invisible joiner makes them one. */
function otherThan(last: string, text: string): string {
  return last === text ? `${text}\u2060` : text
}

/** Short notes that go away by themselves, and with the screen. Nothing may depend on having seen one. */
export class Toasts {
  shown = $state.raw<readonly Toast[]>([])
  #next = 1

  /** Shows a note for `ms`; returns a function that takes it away. */
  show(text: string, action?: Toast['action'], ms = 6000): () => void {
    // A newer word about the same thing takes the place of the older one.
    this.shown = this.shown.filter((other) => other.text !== text)
    const toast: Toast = action ? { id: this.#next++, text, action } : { id: this.#next++, text }
    this.shown = [...this.shown, toast].slice(-3)
    const remove = (): void => {
      this.shown = this.shown.filter((other) => other.id !== toast.id)
    }
    setTimeout(remove, ms)
    return remove
  }

  /** Takes away all notes, as when another screen is shown. */
  clear(): void {
    this.shown = []
  }
}
