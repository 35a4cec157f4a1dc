/** How the parts of the core are closed: one after the other, and each of them whatever became of those before it. */

/** @param defect is told of each that failed */
export async function closeEach(
  steps: readonly (() => unknown)[],
  defect: (where: string, cause: unknown) => void,
): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (cause) {
      defect('closing', cause)
    }
  }
}
