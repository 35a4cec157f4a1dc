/** Handing the focus on when the control that has it goes: nobody has to look for it from the top of the page. */
import { tick } from 'svelte'
import { focusLate } from './late-focus.ts'

/**
 * Called in an `$effect.pre` of what makes the control go.
 * @param next the control that comes in its place, or whatever takes the focus; asked for once it is there
 */
export function handOnFocus(next: () => { readonly focus: () => void } | undefined): void {
  const before = document.activeElement
  void tick().then(() => {
    if (before?.isConnected === false && document.activeElement === document.body) focusLate(next())
  })
}
