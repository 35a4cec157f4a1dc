/** Defers what the window can do without until it has been painted once. */

/** Loads after the next paint, or at once if nothing is painted, as in a hidden window. */
export async function afterFirstPaint<Module>(load: () => Promise<Module>): Promise<Module> {
  if (!document.hidden) {
    // The frame's callback runs before the paint; a task that it queues runs after.
    await new Promise<void>((painted) => requestAnimationFrame(() => setTimeout(painted, 0)))
  }
  return load()
}
