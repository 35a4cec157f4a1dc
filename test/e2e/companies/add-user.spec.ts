/**
 * Creating a user takes time: the wait is shown, leaving keeps a row, and nothing is requested twice or without the
 * user's knowledge.
 */
import { expect, type Service, test } from '../fixture.ts'
import { companyRow, companyRows, connect, provisionDesktop, received } from './steps.ts'

const posts = async (service: Service): Promise<readonly string[]> =>
  (await received(service)).filter(({ method }) => method === 'POST').map(({ path }) => path.toLowerCase())

async function slowUser(service: Service, milliseconds: number): Promise<void> {
  await service.control({
    faults: [{ match: { method: 'POST', path: 'manage/user' }, fault: { kind: 'slow', milliseconds } }],
  })
}

test(
  'if it is closed while the user is created, it has a row, and adding another company repeats nothing',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await slowUser(service, 6_000)
    const wizard = await provisionDesktop(window, 'Twice.qbw')
    await expect(wizard.getByRole('heading', { name: 'Creating the client' })).toBeVisible()
    await expect(wizard.getByRole('timer')).toBeVisible()
    await expect(wizard.getByText('Client requested')).toBeVisible()
    await expect(wizard.getByRole('button', { name: 'Provision company' })).toHaveCount(0)
    await window.keyboard.press('Escape')
    await expect(window.getByText('Setup continues in the background')).toBeVisible()
    await expect(companyRow(window, 'Twice')).toContainText('Creating the client')

    await window.getByRole('button', { name: 'Add company' }).first().click()
    await expect(wizard.getByRole('radio', { name: 'Desktop' })).not.toBeChecked()
    await expect(wizard.getByText('Picking up where you left off')).toHaveCount(0)
    await window.keyboard.press('Escape')
    await companyRow(window, 'Twice').dblclick()
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
    expect(await posts(service)).toEqual(['/v2/manage/user', '/v2/manage/company'])
  },
)

test(
  'if it is discarded while the user is created, no company is requested, and the row disappears',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await slowUser(service, 3_000)
    const wizard = await provisionDesktop(window, 'Left.qbw')
    await expect(wizard.getByRole('button', { name: 'Stop waiting' })).toBeVisible()
    await wizard.getByRole('button', { name: 'Don’t provision' }).click()
    await expect(
      window.getByText(/^No company will be requested\. The client record may still be created/),
    ).toBeVisible()
    await expect(companyRows(window).filter({ hasText: 'Left' })).toHaveCount(0)
    // Each of these waits for the running request. A company would have been requested before the second one.
    for (const _turn of [1, 2]) {
      await window.getByRole('button', { name: 'Refresh' }).click()
      await expect(window.getByRole('button', { name: 'Refresh' })).toBeEnabled()
    }
    expect(await posts(service)).toEqual(['/v2/manage/user'])
  },
)
