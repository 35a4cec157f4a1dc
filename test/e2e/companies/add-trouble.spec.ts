/** Provisioning that fails: each condition of the agent with its message, lost responses, and refusals. */
import { expect, type Service, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { companyRow, connect, provisionDesktop, provisionings, received, shortenDeadlines } from './steps.ts'

/** A condition of the computer, and part of the message. */
const CONDITIONS = [
  [{ machine: 'off' }, /agent|machine/i],
  [{ session: 'logged-out' }, /agent|logged in/i],
  [{ agent: 'stopped' }, /agent/i],
  [{ token: 'missing' }, /token/i],
  [{ openFile: 'another' }, /another company file/i],
  [{ openFile: 'none' }, /no company file|open/i],
  [{ dialog: 'open' }, /dialog/i],
  [{ mode: 'other' }, /mode/i],
  [{ authorization: 'denied' }, /denied|authoriz/i],
] as const

const ALL_WELL = {
  machine: 'on',
  session: 'logged-in',
  agent: 'running',
  token: 'entered',
  openFile: 'target',
  dialog: 'none',
  mode: 'expected',
  authorization: 'granted',
}

/** The service gives up without provisioning. That proves nothing, but its queue soon opens again. */
const GIVEN_UP = { kind: 'status', status: 500, body: 'envelope', when: 'before' } as const

test(
  'each condition of the agent has a message with what to check. Once it is fixed, Try again continues with the file',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    const wizard = window.getByRole('dialog', { name: 'Add company' })
    const tryAgain = wizard.getByRole('button', { name: 'Try again…' })
    for (const [index, [condition, words]] of CONDITIONS.entries()) {
      await service.control({ conditions: { ...ALL_WELL, ...condition } })
      if (index === 0) await provisionDesktop(window)
      else await tryAgain.click()
      await expect.poll(() => provisionings(service)).toBe(index + 1)
      await expect(
        wizard.getByRole('heading', { name: 'The service couldn’t add the company' }),
      ).toBeVisible()
      await expect(wizard.getByRole('alert').first(), JSON.stringify(condition)).toContainText(words)
      await expect(wizard.getByText('What to check')).toBeVisible()
    }
    await service.control({ conditions: ALL_WELL })
    // Enter never sends a second request.
    await tryAgain.press('Enter')
    expect(await provisionings(service)).toBe(CONDITIONS.length)
    await tryAgain.press('Space')
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(await provisionings(service)).toBe(CONDITIONS.length + 1)
  },
)

test(
  'an answer that was lost after the work is settled by the list, and the request is sent once',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({ faults: [fault({ kind: 'drop', when: 'after' })] })
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(await provisionings(service)).toBe(1)
  },
)

test(
  'a setup that finished late is found by the check before another attempt, so nothing is sent twice',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({ faults: [fault(GIVEN_UP)] })
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByText(/It may have been added anyway/)).toBeVisible()
    await expect(wizard.getByText('Not in the company list yet. It may still appear.')).toBeVisible()
    // Someone answers the question now: the company is added without a response to this program.
    const [sent] = (await received(service)).filter(({ path }) => /manage\/company$/i.test(path))
    await provisionElsewhere(service, sent?.body ?? '')

    await wizard.getByRole('button', { name: 'Try again…' }).click()
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    // This program's request, and someone else's.
    expect(await provisionings(service)).toBe(2)
    await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
    await expect(companyRow(window, 'Waiting for authorization')).toHaveCount(0)
  },
)

test('a row in Companies has Check now, Try again and Continue', async ({ window, service, program }) => {
  await connect(window, service)
  // The response comes at once, so the shortest deadline can't be missed.
  await call(window, 'settings.set', { provisionSeconds: 5, graceSeconds: 0 })
  await service.control({ faults: [fault(GIVEN_UP)] })
  const wizard = await provisionDesktop(window)
  await expect(wizard.getByText('Not in the company list yet. It may still appear.')).toBeVisible()
  await wizard.getByRole('button', { name: 'Stop waiting' }).click()
  const row = companyRow(window, 'Waiting for authorization')
  await row.click()
  const asked = await program.answer('Cancel')
  await window.getByRole('button', { name: 'Try again…' }).press('Space')
  await expect.poll(asked).toEqual([expect.stringMatching(/may still finish.*• “Juniper\.qbw”/s)])
  await expect(window.getByRole('button', { name: 'Try again…' })).toBeFocused()
  await expect(window.getByText('You canceled.')).toHaveCount(0)
  const [sent] = (await received(service)).filter(({ path }) => /manage\/company$/i.test(path))
  await provisionElsewhere(service, sent?.body ?? '')

  await window.getByRole('button', { name: 'Check now' }).click()
  await expect(row).toHaveCount(0)
  await window.getByRole('button', { name: 'Continue' }).click()
  await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
  // This program's request, and someone else's.
  expect(await provisionings(service)).toBe(2)
})

test(
  'a certain refusal isn’t watched. What may still finish is discarded after a confirmation, or retried with another choice',
  { tag: '@deep' },
  async ({ window, service, program }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({
      faults: [fault({ kind: 'itemError', code: 'X1', message: 'No more companies in this plan.' })],
    })
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByRole('heading', { name: 'The company was not provisioned' })).toBeVisible()
    await expect(wizard.getByRole('alert').first()).toContainText('No more companies in this plan.')
    await expect(wizard.getByRole('button', { name: 'Check now' })).toHaveCount(0)
    await wizard.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(wizard).toHaveCount(0)

    await service.control({ clearFaults: true, faults: [fault(GIVEN_UP)] })
    await provisionDesktop(window)
    await wizard.getByRole('button', { name: 'Discard…' }).click()
    const question = window.getByRole('alertdialog', { name: 'Discard this setup' })
    await expect(question).toContainText('billed')
    expect(await seriousViolations(window)).toEqual([])
    await question.getByRole('button', { name: 'Discard' }).click()
    await expect(wizard).toHaveCount(0)
    await expect(companyRow(window, 'Waiting for authorization')).toHaveCount(0)

    await service.control({ clearFaults: true, faults: [fault(GIVEN_UP)] })
    await provisionDesktop(window)
    await expect(wizard.getByRole('heading', { name: 'The service couldn’t add the company' })).toBeVisible()
    await wizard.getByRole('button', { name: 'Back' }).click()
    await wizard.getByRole('button', { name: 'Back' }).click()
    await wizard.getByRole('radio', { name: 'Existing client' }).check()
    await wizard.getByRole('radio', { name: /Hollis & Vane/ }).check()
    await wizard.getByRole('button', { name: 'Continue' }).click()
    await wizard.getByRole('button', { name: 'Continue' }).click()
    const asked = await program.answer('Cancel')
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect.poll(asked).toEqual([expect.stringContaining('you may be billed twice')])
    expect(await provisionings(service)).toBe(3)
    await program.answer('Provision')
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(await provisionings(service)).toBe(4)
    await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
  },
)

test(
  'a user whose creation wasn’t answered isn’t created again without a confirmation',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({
      faults: [
        {
          match: { method: 'POST', path: 'manage/user' },
          times: 1,
          fault: { ...GIVEN_UP, when: 'after' },
        },
      ],
    })
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByText('A client record may already exist.')).toBeVisible()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    const users = async (): Promise<number> =>
      (await received(service)).filter(({ method, path }) => method === 'POST' && /manage\/user$/i.test(path))
        .length
    expect(await users()).toBe(1)
    await wizard.getByRole('button', { name: 'create another client record' }).click()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(await users()).toBe(2)
  },
)

function fault(what: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { match: { method: 'POST', path: 'manage/company' }, times: 1, fault: what }
}

/** The same company is provisioned by someone else, as by an agent that finishes late. */
async function provisionElsewhere(service: Service, body: string): Promise<void> {
  const answer = await fetch(`${service.url}/v2/manage/company`, {
    method: 'POST',
    headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
    body,
  })
  expect(answer.ok).toBe(true)
}
