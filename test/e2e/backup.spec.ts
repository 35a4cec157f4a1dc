/**
 * **Save a backup…** and **Restore…** on screen: what was kept comes to another computer whole, from the first screen
 * on; nothing in the file is a secret, and what was there before is set aside.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication } from '@playwright/test'
import { companyRow, connect } from './companies-steps.ts'
import { canarySearch, expect, Program, test } from './fixture.ts'
import { typePhones } from './faults-steps.ts'
import { cell, COMPANY, getRecords } from './records-steps.ts'

/** What the next dialog that asks for a file answers. */
function answerWith(electronApp: ElectronApplication, path: string): Promise<void> {
  return electronApp.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, path)
}

test('a backup moves labels, drafts and connections to another computer, and back on this one', async ({
  program,
  service,
}) => {
  const { window, electronApp } = await program.start()
  await connect(window, service)
  await companyRow(window, COMPANY).dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
  const [row = ''] = await typePhones(window, ['(415) 555-0377'])
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Backup' }).click()
  await window.getByRole('button', { name: 'Save a backup…' }).click()
  await expect(window.getByText(/^Saved Bookbridge backup .*\.zip\./).first()).toBeVisible()
  const [name = ''] = program.savedFiles()
  expect(name).toMatch(/^Bookbridge backup \d{4}-\d{2}-\d{2}\.zip$/)
  const file = join(program.saveDir, name)

  await test.step('on this computer: what was done since is set aside', async () => {
    await window.getByRole('link', { name: 'Records' }).click()
    await getRecords(window)
    await typePhones(window, ['(415) 555-0388'])
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('link', { name: 'Backup' }).click()
    await answerWith(electronApp, file)
    await window.getByRole('button', { name: 'Restore…' }).click()
    const question = window.getByRole('alertdialog', { name: 'Restore' })
    await expect(question).toContainText('Drafts 1')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(question).toBeHidden()
    await expect.poll(() => readdirSync(program.userData)).not.toContain('restore')

    await window.getByRole('button', { name: 'Restore…' }).click()
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
    await answerWith(app, file)
    await there.getByRole('button', { name: 'Restore a backup…' }).click()
    await there.getByRole('alertdialog', { name: 'Restore' }).getByRole('button', { name: 'Restore' }).click()
    await expect(there.getByRole('alert').filter({ hasText: 'The backup was restored.' })).toBeVisible()
    await there.getByRole('link', { name: 'Companies' }).click()
    await expect(companyRow(there, COMPANY)).toContainText('1 draft')
    await other.stop()
    expect(canarySearch(other, [service.key])).toEqual([])
  } finally {
    await other.dispose()
  }
  expect(readFileSync(file).includes(service.key)).toBe(false)
  await program.stop()
  expect(canarySearch(program, [service.key])).toEqual([])
})
