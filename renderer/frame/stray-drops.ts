/** A file dropped where nothing takes one: the window stays where it is, and the pointer says so before. */

/** Listens as long as the window lives. What takes files answers first, and is left alone. */
export function refuseStrayDrops(window: Window): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
}
