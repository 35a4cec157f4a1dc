/**
 * **Save a backup…** and **Restore…** on screen: everything arrives on another computer, beginning with the first
 * screen. The file contains no secrets, and the previous data is set aside.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { companyRow, connect } from '../companies/steps.ts'
import { typePhones } from '../faults/steps.ts'
import { canarySearch, expect, Program, test } from '../fixture.ts'
import { cell, COMPANY, getRecords } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { answerOpenDialog } from '../support/dialogs.ts'

const PASSPHRASE = 'four words nobody guesses'

async function openBackups(window: Page): Promise<void> {
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Backup' }).click()
}

/** Saves a backup and returns its path. */
async function saveSealed(window: Page, program: Program): Promise<string> {
  await openBackups(window)
  await window.getByRole('button', { name: 'Save a backup…' }).click()
  const dialog = window.getByRole('dialog', { name: 'Save a backup' })
  await expect(dialog.getByRole('radio', { name: 'Only people with the passphrase' })).toBeChecked()
  await expect(dialog).toContainText('A lost passphrase can’t be recovered.')
  await dialog.getByLabel('Passphrase', { exact: true }).fill('too short')
  await window.keyboard.press('Enter')
  await expect(dialog).toContainText('This is shorter than 12 characters.')
  await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await dialog.getByLabel('Confirm passphrase').fill(PASSPHRASE.toUpperCase())
  await dialog.getByRole('button', { name: 'Save…' }).click()
  await expect(dialog).toContainText('The passphrases don’t match.')
  await dialog.getByLabel('Confirm passphrase').fill(PASSPHRASE)
  await window.keyboard.press('Enter')
  await expect(window.getByText(/^Saved Bookbridge backup .*\.zip\./).first()).toBeVisible()
  await expect(dialog).toBeHidden()
  const [name = ''] = program.savedFiles()
  expect(name).toMatch(/^Bookbridge backup \d{4}-\d{2}-\d{2}\.zip$/)
  return join(program.saveDir, name)
}

/** Types the passphrase of the chosen file. */
async function unseal(window: Page): Promise<void> {
  const dialog = window.getByRole('dialog', { name: 'Restore' })
  await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Open' }).click()
}

test('a backup moves labels, drafts, and connections to another computer, and can be restored on this one', async ({
  program,
  service,
}) => {
  const { window, electronApp } = await program.start()
  await connect(window, service)
  await companyRow(window, COMPANY).dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
  const [row = ''] = await typePhones(window, ['(415) 555-0377'])
  const file = await saveSealed(window, program)

  await test.step('on this computer: data created since is set aside', async () => {
    await window.getByRole('link', { name: 'Records' }).click()
    await getRecords(window)
    await typePhones(window, ['(415) 555-0388'])
    await openBackups(window)
    await answerOpenDialog(electronApp, file)
    await window.getByRole('button', { name: 'Restore…' }).click()
    const sealed = window.getByRole('dialog', { name: 'Restore' })
    await sealed.getByLabel('Passphrase').fill('four words somebody guessed')
    await window.keyboard.press('Enter')
    await expect(sealed).toContainText('This passphrase doesn’t match the backup.')
    expect(await seriousViolations(window), 'the passphrase').toEqual([])
    await unseal(window)
    const question = window.getByRole('alertdialog', { name: 'Restore' })
    await expect(question).toContainText('Drafts 1')
    expect(await seriousViolations(window), 'the question').toEqual([])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(question).toBeHidden()
    await expect.poll(() => readdirSync(program.userData)).not.toContain('restore')

    await window.getByRole('button', { name: 'Restore…' }).click()
    await unseal(window)
    await question.getByRole('button', { name: 'Restore', exact: true }).click()
    await expect(window.getByRole('alert').filter({ hasText: 'The backup was restored.' })).toBeVisible()
    await window.getByRole('link', { name: 'Records' }).click()
    await getRecords(window)
    await expect(cell(window, row, 'Phone')).toContainText('(415) 555-0377')
    expect(readdirSync(program.userData).some((each) => each.includes('.before-restore-'))).toBe(true)
  })

  const other = new Program()
  try {
    const { window: there, electronApp: app } = await other.start()
    await answerOpenDialog(app, file)
    await there.getByRole('button', { name: 'Restore a backup…' }).click()
    await unseal(there)
    await there.getByRole('alertdialog', { name: 'Restore' }).getByRole('button', { name: 'Restore' }).click()
    await expect(there.getByRole('alert').filter({ hasText: 'The backup was restored.' })).toBeVisible()
    await there.getByRole('link', { name: 'Companies' }).click()
    await expect(companyRow(there, COMPANY)).toContainText('1 draft')
    await other.stop()
    expect(canarySearch(other, [service.key, PASSPHRASE])).toEqual([])
  } finally {
    await other.dispose()
  }
  expect(readFileSync(file).includes(service.key)).toBe(false)
  await program.stop()
  expect(canarySearch(program, [service.key, PASSPHRASE])).toEqual([])
})

test(
  'a backup without a passphrase is a choice that says who can read it',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window, electronApp } = await program.start()
    await connect(window, service)
    await openBackups(window)
    await window.getByRole('button', { name: 'Save a backup…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Save a backup' })
    await dialog.getByRole('radio', { name: 'Anyone who has the file' }).check()
    await expect(dialog).toContainText('Anyone who has this file can read it.')
    await dialog.getByRole('button', { name: 'Save without a passphrase…' }).click()
    await expect(window.getByText(/^Saved .* It is not encrypted/).first()).toBeVisible()
    const [name = ''] = program.savedFiles()
    await answerOpenDialog(electronApp, join(program.saveDir, name))
    await window.getByRole('button', { name: 'Restore…' }).click()
    await expect(window.getByRole('alertdialog', { name: 'Restore' })).toContainText('Connections 1')
  },
)
