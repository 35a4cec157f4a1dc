/** Puts an element (`popover="manual"`) above all others, out of what would cut it off; it leaves with its component. */
export function inTopLayer(element: HTMLElement): void {
  element.showPopover()
}
