/** Settings in files: a damaged settings file is reported on screen, and a certificate file is chosen and refused. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connect } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { answerOpenDialog } from '../support/dialogs.ts'

const DAMAGED = '{"settings":{"theme":"da'
const CERTIFICATES = resolve(import.meta.dirname, '../../fixtures/certificates')

test('a damaged settings file is set aside with a notice. The text size applies at once, and is kept', async ({
  program,
  service,
}) => {
  writeFileSync(join(program.userData, 'settings.json'), DAMAGED)
  const { window } = await program.start()
  await expect(window.getByRole('alert').filter({ hasText: 'The settings file was damaged' })).toBeVisible()
  const aside = readdirSync(program.userData).filter((name) => name.startsWith('settings.json.damaged-'))
  expect(aside.map((name) => readFileSync(join(program.userData, name), 'utf8'))).toEqual([DAMAGED])
  await window.getByRole('button', { name: 'OK' }).click()
  await expect(window.getByText('The settings file was damaged')).toHaveCount(0)
  await expect(window.locator('body'), 'the focus does not go with the button').not.toBeFocused()
  await connect(window, service)

  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Appearance' }).click()
  const width = (page: typeof window): Promise<number> => page.evaluate(() => innerWidth)
  const usual = await width(window)
  const size = window.getByRole('combobox', { name: 'Text size' })
  await expect(size).toHaveValue('100%')
  await size.fill('200%')
  await size.press('Enter')
  await expect.poll(() => width(window)).toBe(Math.round(usual / 2))
  await program.stop()
  const { window: again } = await program.start()
  await expect.poll(() => width(again)).toBe(Math.round(usual / 2))
  await expect(again.getByRole('link', { name: 'Companies' })).toBeVisible()
  await expect(again.getByText('The settings file was damaged')).toHaveCount(0)
})

test(
  'an invalid setting is named, and a certificate file can be chosen, is rejected if it isn’t one, and can be removed',
  { tag: '@deep' },
  async ({ program, service }) => {
    writeFileSync(
      join(program.userData, 'settings.json'),
      JSON.stringify({ settings: { theme: 'purple', negatives: 'brackets' } }),
    )
    const { window, electronApp } = await program.start()
    await expect(window.getByRole('alert').filter({ hasText: 'the setting “theme”' })).toBeVisible()
    await connect(window, service)
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('link', { name: 'Certificates' }).click()
    const section = window.getByRole('region', { name: 'Certificates' })

    await section.getByRole('button', { name: 'Choose file…' }).click()
    await expect(section.getByText('only this computer’s')).toBeVisible()

    await answerOpenDialog(electronApp, join(CERTIFICATES, 'service.key'))
    await section.getByRole('button', { name: 'Choose file…' }).click()
    await expect(section.getByRole('alert')).toContainText('service.key is not a certificate file.')

    await answerOpenDialog(electronApp, join(CERTIFICATES, 'authority.pem'))
    await section.getByRole('button', { name: 'Choose file…' }).click()
    await expect(section.getByText('authority.pem')).toBeVisible()
    await expect(section.getByRole('alert')).toHaveCount(0)

    await section.getByRole('button', { name: 'Remove' }).click()
    await expect(section.getByText('only this computer’s')).toBeVisible()
  },
)
