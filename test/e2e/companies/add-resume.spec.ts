/** Add company resumes after a crash at any of its steps, and continues with one company after another. */
import { expect, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import {
  companyRow,
  companyRows,
  connect,
  provisionDesktop,
  provisionings,
  received,
  shortenDeadlines,
} from './steps.ts'

test('what was entered in steps 1 to 3 survives a crash, and can be discarded', async ({
  program,
  service,
}) => {
  const first = await program.start()
  await connect(first.window, service)
  await first.window.getByRole('button', { name: 'Add company' }).first().click()
  let wizard = first.window.getByRole('dialog', { name: 'Add company' })
  await wizard.getByRole('radio', { name: 'Desktop' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('radio', { name: 'New client' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('textbox', { name: 'File name' }).fill('Juniper Ridge.qbw')
  await wizard.getByRole('radio', { name: 'At the client’s office' }).check()
  await wizard.getByRole('checkbox', { name: 'The agent is running' }).check()
  // It is saved shortly after the last change.
  const { currentId } = await call(first.window, 'connection.list', {})
  await expect
    .poll(async () => {
      const { draft } = await call(first.window, 'companies.setupDraft', { connectionId: currentId ?? '' })
      return draft?.checkedReminders.length
    })
    .toBe(1)
  await program.kill()

  const { window } = await program.start()
  await window.getByRole('button', { name: 'Add company' }).first().click()
  wizard = window.getByRole('dialog', { name: 'Add company' })
  await expect(wizard.getByText('Picking up where you left off')).toBeVisible()
  await wizard.getByRole('button', { name: 'Back' }).click()
  await expect(wizard.getByRole('radio', { name: 'New client' })).toBeChecked()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await expect(wizard.getByRole('textbox', { name: 'File name' })).toHaveValue('Juniper Ridge.qbw')
  await expect(wizard.getByRole('radio', { name: 'At the client’s office' })).toBeChecked()
  await expect(wizard.getByRole('checkbox', { name: 'The agent is running' })).toBeChecked()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await expect(wizard.getByText('Juniper Ridge.qbw').last()).toBeVisible()
  expect((await received(service)).filter(({ method }) => method === 'POST')).toEqual([])

  await wizard.getByRole('button', { name: 'Start over' }).click()
  await expect(wizard.getByRole('radio', { name: 'Desktop' })).not.toBeChecked()
})

test(
  'a crash after the user was created and before anything was provisioned creates no second user',
  { tag: '@deep' },
  async ({ program, service }) => {
    const first = await program.start()
    await connect(first.window, service)
    // The list that is read first doesn't arrive, so nothing is provisioned yet. Its queue opens again soon.
    await call(first.window, 'settings.set', { readSeconds: 10, graceSeconds: 0 })
    await service.control({
      faults: [
        {
          match: { method: 'GET', path: 'manage/endpoint' },
          times: 1,
          fault: { kind: 'hang', when: 'before' },
        },
      ],
    })
    const begun = await provisionDesktop(first.window)
    await expect(begun.getByText('The company hasn’t been requested.')).toBeVisible()
    await expect
      .poll(async () => (await received(service)).filter(({ method }) => method === 'POST').length)
      .toBe(1)
    await program.kill()

    const { window } = await program.start()
    await companyRow(window, 'Juniper').dblclick()
    const wizard = window.getByRole('dialog', { name: 'Add company' })
    await expect(wizard.getByRole('heading', { name: 'No company was requested' })).toBeVisible()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Enter')
    expect(await provisionings(service)).toBe(0)
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    const posts = (await received(service)).filter(({ method }) => method === 'POST')
    expect(posts.map(({ path }) => path.toLowerCase())).toEqual(['/v2/manage/user', '/v2/manage/company'])
  },
)

test(
  'after a crash while waiting, the list settles it at the next start, and its file is confirmed',
  { tag: '@deep' },
  async ({ program, service }) => {
    const first = await program.start()
    await connect(first.window, service)
    await shortenDeadlines(first.window)
    await service.control({ conditions: { authorization: 'pending' } })
    const begun = await provisionDesktop(first.window)
    await expect(begun.getByText('Company requested')).toBeVisible()
    await program.kill()
    await service.control({ conditions: { authorization: 'granted' } })

    const { window } = await program.start()
    await companyRow(window, /Waiting for authorization|Is this the right file/).dblclick()
    const wizard = window.getByRole('dialog', { name: 'Add company' })
    // The list is checked as soon as the deadline of the request has passed.
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(await provisionings(service)).toBe(1)
  },
)

test(
  'several companies can be added in a row, with no user preselected, and one that existed before isn’t de-provisioned',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    const before = await companyRows(window).count()
    const wizard = await provisionDesktop(window)
    await wizard.getByLabel('Label').fill('First of the visit')
    await wizard.getByRole('button', { name: 'Keep it and add another' }).click()

    await expect(wizard.getByRole('heading', { name: 'Whose books are these?' })).toBeVisible()
    await expect(wizard.getByRole('radio', { checked: true })).toHaveCount(0)
    await expect(wizard.getByRole('region', { name: 'Added just now' })).toContainText('First of the visit')
    // The owner of the previous company is the first of the clients, and isn't preselected.
    await wizard.getByRole('radio', { name: 'Existing client' }).check()
    await expect(wizard.getByRole('radio').nth(2)).toHaveAccessibleName(/First of the visit/)
    await wizard.getByRole('radio').nth(2).check()
    await service.control({ openFile: 'Alder & Finch Builders' })
    await wizard.getByRole('button', { name: 'Continue' }).click()
    await wizard.getByRole('textbox', { name: 'File name' }).fill('Alder Finch.qbw')
    await wizard.getByRole('button', { name: 'Continue' }).click()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByText('This company already existed.')).toBeVisible()
    await wizard.getByRole('button', { name: 'No, wrong file…' }).click()
    await expect(wizard.getByText('What to do now')).toBeVisible()
    await expect(wizard.getByRole('button', { name: 'De-provision…' })).toHaveCount(0)
    await wizard.getByRole('button', { name: 'Close. Nothing was added' }).click()
    await expect(wizard).toHaveCount(0)
    await expect(companyRows(window)).toHaveCount(before + 1)
    const users = (await received(service))
      .filter(({ path }) => /manage\/company$/i.test(path))
      .map(({ body }) => (JSON.parse(body) as { readonly userId: string }).userId)
    expect(users).toHaveLength(2)
    expect(users[1]).toBe(users[0])
  },
)
