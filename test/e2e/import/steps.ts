/** Shared steps of the specs about import: files, and the result of the open dialog. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'

/** Writes a CSV file into a folder. Returns its path. */
export function csvFile(folder: string, name: string, rows: readonly (readonly string[])[]): string {
  const path = join(folder, name)
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  writeFileSync(path, rows.map((row) => `${row.map(cell).join(',')}\r\n`).join(''))
  return path
}

export function importDialog(window: Page): Locator {
  return window.getByRole('dialog', { name: 'Import' })
}

/** Opens **Import…** and chooses the file, with the keyboard. */
export async function chooseFile(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'Import…' }).press('Enter')
  await importDialog(window).getByRole('button', { name: 'Choose file…' }).press('Enter')
}

/** Presses a button of the dialog *Import* once it is enabled. */
export async function pressImportButton(window: Page, name: string): Promise<void> {
  const button = importDialog(window).getByRole('button', { name })
  await expect(button).toBeEnabled()
  await button.press('Enter')
}

/** Returns the rows of a saved CSV file, by part of its name. */
export function saved(saveDir: string, part: string): readonly string[] {
  const name = readdirSync(saveDir).find((each) => each.includes(part)) ?? ''
  return readFileSync(join(saveDir, name), 'utf8').replace('\ufeff', '').trimEnd().split('\r\n')
}
