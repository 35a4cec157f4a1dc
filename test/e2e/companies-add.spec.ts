// Add company: five steps by keyboard alone, the wait and what can be done in it, and the file that comes back.
import type { Locator, Page } from '@playwright/test'
import {
  companyRow,
  companyRows,
  connect,
  provisionDesktop,
  provisionings,
  received,
} from './companies-steps.ts'
import { expect, test } from './fixture.ts'

test('by keyboard alone, from the application to the right file', async ({ window, service }) => {
  await connect(window, service)
  const before = await companyRows(window).count()
  await service.control({ conditions: { authorisation: 'pending' } })
  await window.getByRole('button', { name: 'Add company' }).focus()
  await window.keyboard.press('Enter')
  const wizard = window.getByRole('dialog', { name: 'Add company' })

  await expect(wizard.getByRole('combobox', { name: 'Application' })).toBeFocused()
  // Nothing is chosen, so Enter says what is missing instead of going on.
  await window.keyboard.press('Enter')
  await expect(wizard.getByRole('alert')).toBeVisible()
  await window.keyboard.type('Desktop')
  await window.keyboard.press('Enter')
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('radio', { name: 'A new user' })).toBeFocused()
  await expect(wizard.getByRole('radio', { checked: true })).toHaveCount(0)
  await window.keyboard.press('Space')
  await window.keyboard.press('Enter')

  await expect(wizard.getByRole('textbox', { name: 'File name' })).toBeFocused()
  await window.keyboard.type('No such file.qbw')
  await window.keyboard.press('Enter')

  const provision = wizard.getByRole('button', { name: 'Provision company' })
  await expect(provision).toBeVisible()
  await window.keyboard.press('Enter')
  await tabTo(window, provision)
  await window.keyboard.press('Enter')
  expect((await received(service)).filter(({ method }) => method === 'POST')).toEqual([])

  await window.keyboard.press('Space')
  await expect(wizard.getByText('Sent: provision a company')).toBeVisible()
  await expect(wizard.getByRole('timer')).toBeVisible()
  await service.control({ conditions: { authorisation: 'granted' } })

  await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeFocused()
  await expect(wizard.getByText('This is not the file that you named.')).toBeVisible()
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

test('a set-up that is waited for outlives the dialog and the program, and is sent once', async ({
  program,
  service,
}) => {
  const first = await program.start()
  await connect(first.window, service)
  await service.control({ conditions: { authorisation: 'pending' } })
  const wizard = await provisionDesktop(first.window)
  await expect(wizard.getByText('Sent: provision a company')).toBeVisible()
  await wizard.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(wizard).toHaveCount(0)
  await expect(companyRow(first.window, 'Waiting for authorisation')).toBeVisible()
  await program.kill()

  const { window } = await program.start()
  await expect(companyRow(window, 'Waiting for authorisation')).toBeVisible()
  await companyRow(window, 'Waiting for authorisation').dblclick()
  await expect(window.getByRole('dialog', { name: 'Add company' })).toBeVisible()
  expect(await provisionings(service)).toBe(1)
})

test('Try again asks first that nobody is authorising any more', async ({ window, service }) => {
  await connect(window, service)
  await service.control({
    faults: [
      {
        match: { method: 'POST', path: 'manage/company' },
        times: 1,
        fault: { kind: 'drop', when: 'before' },
      },
    ],
  })
  const wizard = await provisionDesktop(window)
  await expect(wizard.getByText('No sure answer came.')).toBeVisible()
  await wizard.getByRole('button', { name: 'Try again…' }).click()
  const question = window.getByRole('alertdialog', { name: 'Try again' })
  await expect(question).toContainText('billed')
  await question.getByRole('button', { name: 'Keep waiting' }).click()
  expect(await provisionings(service)).toBe(1)
})

test('the wrong file is not kept, and can be de-provisioned when it is new', async ({ window, service }) => {
  await connect(window, service)
  const wizard = await provisionDesktop(window)
  await wizard.getByRole('button', { name: 'No', exact: true }).click()
  await expect(wizard.getByText('What to do now')).toBeVisible()
  await wizard.getByRole('button', { name: 'De-provision…' }).click()
  await expect(window.getByRole('dialog', { name: 'De-provision' })).toBeVisible()
})

test('a company whose file nobody has looked at is opened from nowhere', async ({ window, service }) => {
  await connect(window, service)
  const wizard = await provisionDesktop(window)
  await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
  const name = /Juniper/
  await window.keyboard.press('Escape')
  await expect(wizard).toHaveCount(0)
  await expect(companyRow(window, name)).toContainText('Is this the right file?')
  await expect(
    window.getByRole('list', { name: 'Recent companies' }).getByRole('link', { name }),
  ).toHaveCount(0)
  await window.keyboard.press('Control+k')
  const palette = window.getByRole('dialog', { name: 'Find or go to…' })
  await palette.getByRole('combobox').fill('Juniper')
  await expect(palette.getByRole('option', { name })).toHaveCount(0)
})

test('an online company is compared by its name', async ({ window, service }) => {
  await connect(window, service)
  await window.getByRole('button', { name: 'Add company' }).first().click()
  const wizard = window.getByRole('dialog', { name: 'Add company' })
  await wizard.getByRole('combobox', { name: 'Application' }).fill('Online')
  await wizard.getByRole('combobox', { name: 'Application' }).press('Enter')
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('radio', { name: 'A new user' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('textbox', { name: 'Company name' }).fill('Nobody & Daughters')
  await expect(wizard).toContainText('choose “Nobody & Daughters”')
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
  await expect(wizard.getByText('This is not the company that you named.')).toBeVisible({ timeout: 30_000 })
})

test('a company that was there before is said to be, and is never offered for de-provisioning', async ({
  window,
  service,
}) => {
  await connect(window, service)
  const before = await companyRows(window).count()
  await service.control({ openFile: 'Alder & Finch Builders' })
  const wizard = await provisionDesktop(window, 'Alder Finch.qbw')
  await expect(wizard.getByText('This company was there before.')).toBeVisible()
  await wizard.getByRole('button', { name: 'No', exact: true }).click()
  await expect(wizard.getByText('What to do now')).toBeVisible()
  await expect(wizard.getByRole('button', { name: 'De-provision…' })).toHaveCount(0)
  await wizard.getByRole('button', { name: 'Close, nothing was made' }).click()
  await expect(wizard).toHaveCount(0)
  await expect(companyRows(window)).toHaveCount(before)
})

test('the label given in the wizard stands in the panel, and outlives what is typed beside it', async ({
  program,
  service,
}) => {
  const first = await program.start()
  await connect(first.window, service)
  const wizard = await provisionDesktop(first.window)
  await wizard.getByLabel('Label').fill('Juniper Ridge')
  await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
  const yours = first.window.getByRole('region', { name: 'Yours' })
  await expect(yours.getByLabel('Label')).toHaveValue('Juniper Ridge')
  await yours.getByLabel('Notes').fill('Ask Ines.')
  await yours.getByLabel('Notes').press('Tab')
  await first.window.getByRole('button', { name: 'Close details' }).click()
  await expect(companyRow(first.window, 'Juniper Ridge')).toBeVisible()
  await program.kill()

  const { window } = await program.start()
  await companyRow(window, 'Juniper Ridge').click()
  const kept = window.getByRole('region', { name: 'Yours' })
  await expect(kept.getByLabel('Label')).toHaveValue('Juniper Ridge')
  await expect(kept.getByLabel('Notes')).toHaveValue('Ask Ines.')
})

/** Tab until a control has the focus; fails when a round of the dialog does not reach it. */
async function tabTo(window: Page, control: Locator): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await window.keyboard.press('Tab')
  }
  await expect(control).toBeFocused()
}
