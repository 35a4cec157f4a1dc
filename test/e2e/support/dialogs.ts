import type { ElectronApplication } from '@playwright/test'

/** Makes the open dialog return this file from now on. */
export async function answerOpenDialog(electronApp: ElectronApplication, path: string): Promise<void> {
  await electronApp.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, path)
}
