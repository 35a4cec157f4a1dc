/**
 * An unexpected error in the window or in the main process. The program reports it and offers **Support file…** and
 * **Restart**. The log and the support file say where it happened, but contain no client data. After a kill, the next
 * start says what was left.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { companyRow, connect } from '../companies/steps.ts'
import { canarySearch, expect, test } from '../fixture.ts'
import { cell, COMPANY, getRecords } from '../records/steps.ts'
import { typePhones } from './steps.ts'

test('an unexpected error is shown and logged without records, and a restart returns to the same place', async ({
  program,
  service,
  allowConsoleErrors,
}) => {
  allowConsoleErrors(/Cedar/)
  const { window, electronApp } = await program.start()
  await connect(window, service)
  await companyRow(window, COMPANY).dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
  const [row = ''] = await typePhones(window, ['(415) 555-0391'])
  const log = (): string => readFileSync(join(program.userData, 'bookbridge.log'), 'utf8')
  const dialog = window.getByRole('dialog', { name: 'Something went wrong' })

  const supportFile = (): string => readFileSync(join(program.saveDir, program.savedFiles()[0] ?? ''), 'utf8')

  await test.step('in the window', async () => {
    const breakDown = (text: string): Promise<void> =>
      window.evaluate((broken) => void setTimeout(() => JSON.parse(broken)), text)
    await breakDown('Cedar & Holm')
    await expect(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await breakDown('Cedar & Holm')
    await expect.poll(() => log().match(/window: SyntaxError/g)).toHaveLength(2)
    await expect(dialog, 'once understood, the same error says no more').toBeHidden()
    await breakDown('Fir & Cedar')
    await expect(dialog).toBeVisible()
    await dialog.getByRole('button', { name: 'Support file…' }).click()
    await expect.poll(() => program.savedFiles()).toHaveLength(1)
    expect(supportFile()).toContain('window: SyntaxError')
    await dialog.getByRole('button', { name: 'Restart' }).click()
    await expect(dialog).toBeHidden()
    // The same screen of the same books, with the draft.
    await expect(window.getByRole('link', { name: 'Records' })).toHaveAttribute('aria-current', 'page')
    await getRecords(window)
    await expect(cell(window, row, 'Phone')).toContainText('(415) 555-0391')
  })

  await test.step('the support file of Activity has each request, but no key, company, or record', async () => {
    const name = await cell(window, row, 'Name').innerText()
    expect(name.length).toBeGreaterThan(3)
    rmSync(join(program.saveDir, program.savedFiles()[0] ?? ''))
    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('button', { name: 'Support file…' }).click()
    await expect(window.getByText(/^Saved Bookbridge support .*no keys/).first()).toBeVisible()
    expect(program.savedFiles()).toEqual([
      expect.stringMatching(/^Bookbridge support \d{4}-\d{2}-\d{2}\.txt$/),
    ])
    const text = supportFile()
    expect(text).toContain('== Settings')
    expect(text).toMatch(/\tGET\t\/v2\/data\/[^\t]+\/customer\tanswered\t200\t/)
    expect(text).toContain(new URL(service.url).origin)
    for (const secret of [service.key, name.trim(), COMPANY.slice(0, 5), program.userData]) {
      expect(text).not.toContain(secret)
    }
  })

  await test.step('in the main process', async () => {
    const asked = await electronApp.evaluateHandle(({ dialog }) => {
      const asked: unknown[] = []
      dialog.showMessageBox = (...values: unknown[]) => {
        asked.push(values.at(-1))
        return Promise.resolve({ response: 2, checkboxChecked: false })
      }
      setTimeout(() => {
        throw new TypeError('no such thing as “Cedar & Holm”')
      })
      return asked
    })
    await expect.poll(() => log()).toContain('no such thing as')
    const inMain = log()
      .split('\n')
      .filter((line) => /uncaughtException|unhandledRejection/.test(line))
    expect(inMain).toEqual([expect.stringContaining('uncaughtException: TypeError: no such thing as')])
    expect(await asked.jsonValue()).toMatchObject([{ buttons: ['Restart', 'Support file…', 'Continue'] }])
  })
  expect(log()).not.toContain('Cedar')

  await program.kill()
  const { window: again } = await program.start()
  const notice = again.getByRole('alert').filter({ hasText: 'didn’t close normally' })
  await expect(notice).toContainText('Drafts kept: 1')
  await notice.getByRole('button', { name: 'OK' }).click()
  await expect(notice).toHaveCount(0)
  await again.reload()
  await expect(again.getByRole('link', { name: 'Companies' })).toBeVisible()
  await expect(notice).toHaveCount(0)
  await program.stop()
  const { window: after } = await program.start()
  await expect(after.getByRole('link', { name: 'Companies' })).toBeVisible()
  await expect(after.getByText('didn’t close normally')).toHaveCount(0)
  await program.stop()
  expect(canarySearch(program, [service.key])).toEqual([])
})
