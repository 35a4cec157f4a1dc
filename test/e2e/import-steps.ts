/** What the specs of import do again and again: files to import, the answer to the dialog that asks for one. */
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes a CSV file into a folder; answers its path. */
export function csvFile(folder: string, name: string, rows: readonly (readonly string[])[]): string {
  const path = join(folder, name)
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  writeFileSync(path, rows.map((row) => `${row.map(cell).join(',')}\r\n`).join(''))
  return path
}

/** The dialog that asks for a file answers with this one from now on. */
export async function answerWith(electronApp: ElectronApplication, path: string): Promise<void> {
  await electronApp.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, path)
}

export function importDialog(window: Page): Locator {
  return window.getByRole('dialog', { name: 'Import' })
}

/** Opens **Import…** and chooses the file, by keyboard. */
export async function chooseFile(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'Import…' }).press('Enter')
  await importDialog(window).getByRole('button', { name: 'Choose file…' }).press('Enter')
}
