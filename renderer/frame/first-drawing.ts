/** What the window can do without at first is loaded once it has been drawn. */

/** Loads after the next drawing; at once where nothing is drawn, as in a hidden window. */
export async function afterFirstDrawing<Module>(load: () => Promise<Module>): Promise<Module> {
  if (!document.hidden) {
    // The frame's own callback comes before its drawing, a task begun there after it.
    await new Promise<void>((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)))
  }
  return load()
}
