/** Accessibility of every step from Add company to De-provision, in both themes. */
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { companyRow, connect, provisionDesktop, shortenDeadlines } from './steps.ts'

test(
  'axe finds nothing serious in any step of Add company and De-provision',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await service.control({ conditions: { dialog: 'open' } })
    const wizard = window.getByRole('dialog', { name: 'Add company' })
    const pressContinue = (): Promise<void> => wizard.getByRole('button', { name: 'Continue' }).click()
    await window.getByRole('button', { name: 'Add company' }).first().click()
    await pressContinue()
    expect(await seriousViolations(window), 'step 1, with what is missing').toEqual([])
    await wizard.getByRole('radio', { name: 'Desktop' }).check()
    await pressContinue()
    await wizard.getByRole('radio', { name: 'Existing client' }).check()
    await wizard.getByRole('radio', { name: 'I have the client’s user ID' }).check()
    expect(await seriousViolations(window), 'step 2').toEqual([])
    await wizard.getByRole('radio', { name: 'New client' }).check()
    await pressContinue()
    await wizard.getByRole('textbox', { name: 'File name' }).fill('Juniper Ridge 2025.qbw')
    await wizard.getByRole('radio', { name: 'At the client’s office' }).check()
    await wizard.getByText('Preview').click()
    expect(await seriousViolations(window), 'step 3').toEqual([])
    await pressContinue()
    expect(await seriousViolations(window), 'step 4, before').toEqual([])

    await wizard.getByRole('button', { name: 'Provision company' }).click()
    await expect(wizard.getByText('What to check')).toBeVisible()
    expect(await seriousViolations(window), 'step 4, with what the service said').toEqual([])
    await service.control({ conditions: { dialog: 'none', authorization: 'pending' } })
    await wizard.getByRole('button', { name: 'Try again…' }).click()
    await expect(wizard.getByText('Company requested')).toBeVisible()
    expect(await seriousViolations(window), 'step 4, waiting').toEqual([])
    await service.control({ conditions: { authorization: 'granted' } })
    await expect(wizard.getByText('This is not the file you named.')).toBeVisible()
    expect(await seriousViolations(window), 'step 5').toEqual([])
    await wizard.getByRole('button', { name: 'No, wrong file…' }).click()
    expect(await seriousViolations(window), 'step 5, the wrong file').toEqual([])

    await wizard.getByRole('button', { name: 'De-provision…' }).click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await expect(dialog.getByRole('list', { name: 'Confirmations' })).toBeVisible()
    expect(await seriousViolations(window), 'De-provision, confirmed').toEqual([])
  },
)

test(
  'axe finds nothing serious in the details of a company, in a row that waits, and in Settings',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({ conditions: { dialog: 'open' } })
    await companyRow(window, 'Alder & Finch').click()
    await window.getByRole('button', { name: 'Test company' }).click()
    await expect(window.getByText('What to try')).toBeVisible()
    expect(await seriousViolations(window), 'the details, with a test that was refused').toEqual([])
    await service.control({
      conditions: { dialog: 'none' },
      faults: [
        {
          match: { method: 'POST', path: 'manage/company' },
          times: 1,
          fault: { kind: 'status', status: 500, body: 'envelope', when: 'before' },
        },
      ],
    })
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByText('Not in the company list yet. It may still appear.')).toBeVisible()
    await wizard.getByRole('button', { name: 'Stop waiting' }).click()
    await companyRow(window, 'Waiting for authorization').click()
    await expect(window.getByRole('button', { name: 'Check now' })).toBeVisible()
    expect(await seriousViolations(window), 'a row that waits, and its panel').toEqual([])

    await window.getByRole('link', { name: 'Settings' }).click()
    const sections = window.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    await expect(sections).not.toHaveCount(0)
    for (const name of await sections.allInnerTexts()) {
      await sections.filter({ hasText: name }).click()
      await expect(sections.filter({ hasText: name })).toHaveAttribute('aria-current', 'page')
      expect(await seriousViolations(window), `Settings, ${name}`).toEqual([])
    }
  },
)

test(
  'axe finds nothing serious in the dialogs and panels of the frame, of Settings, and of the sample',
  { tag: '@deep' },
  async ({ window, allowConsoleErrors }) => {
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await expect(companyRow(window, 'Alder & Finch')).toBeVisible()
    expect(await seriousViolations(window), 'Companies, with what to try first').toEqual([])
    await window.getByRole('button', { name: 'Switch connection' }).click()
    await expect(window.getByRole('menuitem', { name: 'Manage connections…' })).toBeVisible()
    expect(await seriousViolations(window), 'the connections').toEqual([])
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Sample service' }).click()
    await expect(window.getByText('Everything works.')).toBeVisible()
    expect(await seriousViolations(window), 'Sample desktop').toEqual([])
    await window.getByRole('button', { name: 'Close sample desktop' }).click()

    for (const [key, name] of [
      ['F1', 'Shortcuts'],
      ['Control+k', 'Find or go to…'],
    ] as const) {
      await window.keyboard.press(key)
      await expect(window.getByRole('dialog', { name })).toBeVisible()
      expect(await seriousViolations(window), name).toEqual([])
      await window.keyboard.press('Escape')
      await expect(window.getByRole('dialog', { name })).toHaveCount(0)
    }

    for (const [section, button, name] of [
      ['Backup', 'Save a backup…', 'Save a backup'],
      ['Storage and about', 'Licenses…', 'Licenses'],
    ] as const) {
      await window.getByRole('link', { name: 'Settings', exact: true }).click()
      await window.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section }).click()
      await window.getByRole('button', { name: button }).click()
      await expect(window.getByRole('dialog', { name })).toBeVisible()
      expect(await seriousViolations(window), name).toEqual([])
      await window.keyboard.press('Escape')
      await expect(window.getByRole('dialog', { name })).toHaveCount(0)
    }

    allowConsoleErrors(/a defect/)
    await window.evaluate(
      () =>
        void setTimeout(() => {
          throw new Error('a defect')
        }, 0),
    )
    await expect(window.getByRole('dialog', { name: 'Something went wrong' })).toBeVisible()
    expect(await seriousViolations(window), 'the notice of a defect').toEqual([])
  },
)
