/** **Support file…** on screen: one click, a readable file, and nothing in it that is the client's or a secret. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { companyRow, connect } from './companies-steps.ts'
import { canarySearch, expect, test } from './fixture.ts'

test('the support file holds each request, and neither key, token, company nor record', async ({
  program,
  service,
}) => {
  const { window } = await program.start()
  await connect(window, service)
  await companyRow(window, 'Alder & Finch Builders').dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await window.getByRole('button', { name: 'Get records' }).first().click()
  await expect(window.getByText('the whole list')).toBeVisible()
  const name = await window
    .getByRole('grid', { name: 'Customers' })
    .locator('.ag-row[row-id] [col-id="Name"]')
    .first()
    .innerText()
  expect(name.length).toBeGreaterThan(3)

  await window.getByRole('link', { name: 'Activity' }).click()
  await window.getByRole('button', { name: 'Support file…' }).click()
  await expect(window.getByText(/^Saved Bookbridge support .*: no key/).first()).toBeVisible()

  const [file = ''] = readdirSync(program.saveDir)
  expect(file).toMatch(/^Bookbridge support \d{4}-\d{2}-\d{2}\.txt$/)
  const text = readFileSync(join(program.saveDir, file), 'utf8')
  expect(text).toContain('== Settings')
  expect(text).toMatch(/\tGET\t\/v2\/data\/[^\t]+\/customer\tanswered\t200\t/)
  expect(text).toContain(new URL(service.url).origin)
  for (const secret of [service.key, name.trim(), 'Alder', program.userData]) {
    expect(text).not.toContain(secret)
  }
  await program.stop()
  expect(canarySearch(program, [service.key])).toEqual([])
})
