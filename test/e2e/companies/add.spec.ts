// Add company: five steps with the keyboard alone, the wait and what can be done meanwhile, and the file that is
// reported.
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { companyRow, companyRows, connect, provisionDesktop, provisionings, received } from './steps.ts'

test('a company is added by keyboard alone, from the application to the right file', async ({
  window,
  service,
}) => {
  await connect(window, service)
  const before = await companyRows(window).count()
  await service.control({ conditions: { authorization: 'pending' } })
  await window.getByRole('button', { name: 'Add company' }).focus()
  await window.keyboard.press('Enter')
  const wizard = window.getByRole('dialog', { name: 'Add company' })

  // One button is filled in each step: the one that continues.
  const filled = wizard.locator('button.primary')
  await expect(filled).toHaveText('Continue')
  await expect(wizard.getByRole('radio', { name: 'Desktop' })).toBeFocused()
  // Nothing is chosen, so Enter says what is missing instead of continuing.
  await window.keyboard.press('Enter')
  await expect(wizard.getByRole('alert')).toBeVisible()
  await window.keyboard.press('Space')
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('radio', { name: 'New client' })).toBeFocused()
  await expect(wizard.getByRole('radio', { checked: true })).toHaveCount(0)
  await window.keyboard.press('Space')
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('textbox', { name: 'File name' })).toBeFocused()
  await window.keyboard.type('No such file.qbw')
  await window.keyboard.press('Enter')

  const provision = wizard.getByRole('button', { name: 'Provision company' })
  await expect(provision).toBeVisible()
  await expect(filled).toHaveText('Provision company')
  const isOff = wizard.getByText('Enter is off on this step')
  await expect(isOff).toHaveCount(0)
  await window.keyboard.press('Enter')
  await expect(isOff).toBeVisible()
  await tabTo(window, provision)
  await window.keyboard.press('Enter')
  expect((await received(service)).filter(({ method }) => method === 'POST')).toEqual([])

  await window.keyboard.press('Space')
  await expect(wizard.getByText('Company requested')).toBeVisible()
  await expect(wizard.getByRole('timer')).toBeVisible()
  await expect(filled).toHaveText('Continue in the background')
  await service.control({ conditions: { authorization: 'granted' } })

  await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeFocused()
  await expect(wizard.getByText('This is not the file you named.')).toBeVisible()
  await expect(filled).toHaveText('No, wrong file…')
  await wizard.getByLabel('Label').focus()
  await window.keyboard.type('The new client')
  await tabTo(window, wizard.getByRole('button', { name: 'Yes, keep it' }))
  await window.keyboard.press('Enter')
  await expect(wizard).toHaveCount(0)
  await expect(companyRow(window, 'The new client')).toBeVisible()
  await expect(companyRows(window)).toHaveCount(before + 1)

  const posts = (await received(service)).filter(({ method }) => method === 'POST')
  expect(posts.map(({ path }) => path.toLowerCase())).toEqual(['/v2/manage/user', '/v2/manage/company'])
  expect(JSON.parse(posts[1]?.body ?? '')).toEqual({ userId: expect.any(String), endpoint: 'qbd' })
})

test('an online company is added by keyboard alone: closed while it waits, resumed, and compared by name', async ({
  window,
  service,
}) => {
  await connect(window, service)
  await service.control({ conditions: { authorization: 'pending' } })
  const wizard = window.getByRole('dialog', { name: 'Add company' })
  await window.keyboard.press('Control+k')
  await window.keyboard.type('add company')
  await window.keyboard.press('Enter')
  await expect(wizard.getByRole('radio', { name: 'Desktop' })).toBeFocused()
  await window.keyboard.press('ArrowDown')
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('radio', { name: 'New client' })).toBeFocused()
  await window.keyboard.press('ArrowDown')
  await expect(wizard.getByRole('radio', { name: 'Existing client' })).toBeChecked()
  const owner = wizard.getByRole('radio', { name: /Hollis & Vane/ })
  await window.keyboard.press('Tab')
  await reach(window, owner, 'ArrowDown')
  await window.keyboard.press('Space')
  await expect(owner).toBeChecked()
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('textbox', { name: 'Company name' })).toBeFocused()
  await window.keyboard.type('Fernhill Gardens')
  await expect(wizard).toContainText('choose “Fernhill Gardens”')
  await expect(wizard.getByRole('checkbox')).toHaveCount(0)
  await window.keyboard.press('Enter')

  const provision = wizard.getByRole('button', { name: 'Provision company' })
  await tabTo(window, provision)
  await window.keyboard.press('Enter')
  expect(await provisionings(service)).toBe(0)
  await window.keyboard.press('Space')
  await expect(wizard.getByRole('heading', { name: 'Waiting for someone to authorize access' })).toBeFocused()
  await expect(wizard.getByRole('timer')).toBeVisible()
  await tabTo(window, wizard.getByRole('button', { name: 'Continue in the background' }))
  await window.keyboard.press('Enter')
  await expect(wizard).toHaveCount(0)

  const row = companyRow(window, 'Fernhill Gardens')
  await expect(row).toContainText('Waiting for authorization')
  await service.control({ conditions: { authorization: 'granted' } })
  await expect(row).toHaveCount(0)
  // The table is one tab stop. Arrow keys move through its rows.
  await tabTo(window, companyRows(window).and(window.locator('[tabindex="0"]')))
  await reach(window, companyRow(window, 'Is this the right file?'), 'ArrowDown')
  await window.keyboard.press('Enter')
  await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeFocused()
  await expect(wizard.getByText('This is not the company you named.')).toBeVisible()
  await expect(wizard.getByText('No path: these books are online')).toBeVisible()
  await tabTo(window, wizard.getByRole('button', { name: 'Yes, keep it' }))
  await window.keyboard.press('Enter')
  await expect(wizard).toHaveCount(0)
  await expect(companyRow(window, 'Fernhill Garden Design')).toContainText('Online')
  const posts = (await received(service)).filter(({ method }) => method === 'POST')
  expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { userId: expect.any(String), endpoint: 'qbo' },
  ])
})

test(
  'a company whose file no one has confirmed can’t be opened anywhere, and its label survives other edits',
  { tag: '@deep' },
  async ({ program, service }) => {
    const first = await program.start()
    await connect(first.window, service)
    const wizard = await provisionDesktop(first.window)
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    const name = /Juniper/
    await first.window.keyboard.press('Escape')
    await expect(wizard).toHaveCount(0)
    await expect(companyRow(first.window, name)).toContainText('Is this the right file?')
    await expect(
      first.window.getByRole('list', { name: 'Recent companies' }).getByRole('link', { name }),
    ).toHaveCount(0)
    await first.window.keyboard.press('Control+k')
    const palette = first.window.getByRole('dialog', { name: 'Find or go to…' })
    await palette.getByRole('combobox').fill('Juniper')
    await expect(palette.getByRole('option', { name })).toHaveCount(0)
    await first.window.keyboard.press('Escape')

    await companyRow(first.window, name).dblclick()
    await wizard.getByLabel('Label').fill('Juniper Ridge')
    await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
    const yours = first.window.getByRole('region', { name: 'Your settings' })
    await expect(yours.getByLabel('Label')).toHaveValue('Juniper Ridge')
    await yours.getByLabel('Notes').fill('Ask Ines.')
    await yours.getByLabel('Notes').press('Tab')
    await first.window.getByRole('button', { name: 'Close details' }).click()
    await expect(companyRow(first.window, 'Juniper Ridge')).toBeVisible()
    await program.kill()

    const { window } = await program.start()
    await companyRow(window, 'Juniper Ridge').click()
    const kept = window.getByRole('region', { name: 'Your settings' })
    await expect(kept.getByLabel('Label')).toHaveValue('Juniper Ridge')
    await expect(kept.getByLabel('Notes')).toHaveValue('Ask Ines.')
  },
)

/** Presses a key until a control has the focus. Fails if it is never reached. */
async function reach(window: Page, control: Locator, key: 'Tab' | 'ArrowDown'): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await window.keyboard.press(key)
  }
  await expect(control).toBeFocused()
}

function tabTo(window: Page, control: Locator): Promise<void> {
  return reach(window, control, 'Tab')
}
