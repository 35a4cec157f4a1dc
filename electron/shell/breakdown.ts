/**
 * The dialog after an unexpected error: **Restart**, **Support file…**, or **Continue**. Only one is open at a time. The
 * log has every error.
 */
import { dialog, type BrowserWindow } from 'electron'

export interface BreakdownOptions {
  readonly window: () => BrowserWindow | null
  /** Asks where to save the support file, and saves it. Never rejects. */
  readonly saveSupportFile: () => Promise<void>
  /** Quits the program and starts it again. */
  readonly restart: () => void
}

const BUTTONS = ['Restart', 'Support file…', 'Continue']
const [RESTART, SUPPORT, GO_ON] = [0, 1, 2]

/** @returns a function that opens the dialog with a sentence about what happened */
export function createBreakdown(options: BreakdownOptions): (what: string) => void {
  let isAsking = false
  const ask = async (what: string): Promise<number> => {
    const question = {
      type: 'error' as const,
      title: 'Bookbridge',
      message: what,
      detail:
        'Your work is saved, and nothing will be sent automatically. Restart Bookbridge to be safe. ' +
        'Details are in bookbridge.log, without keys or records.',
      buttons: BUTTONS,
      defaultId: RESTART,
      cancelId: GO_ON,
      noLink: true,
    }
    const parent = options.window()
    const answer =
      parent === null || parent.isDestroyed()
        ? await dialog.showMessageBox(question)
        : await dialog.showMessageBox(parent, question)
    return answer.response
  }
  return (what) => {
    if (isAsking) return
    isAsking = true
    void (async () => {
      let answer = await ask(what)
      while (answer === SUPPORT) {
        await options.saveSupportFile()
        answer = await ask(what)
      }
      isAsking = false
      if (answer === RESTART) options.restart()
    })()
  }
}
