/** What a person types goes on into the same field, whatever arrives meanwhile: an answer, an event, a redraw. */
import type { ServerResponse } from 'node:http'
import { companyRow, connect, provisionDesktop } from './companies-steps.ts'
import { expect, test } from './fixture.ts'
import { call, openCompany } from './kill-steps.ts'
import { LoopbackServer } from './loopback-server.ts'

test('an answer and an event that come late leave the focus and the text where a person types', async ({
  window,
  service,
}) => {
  await test.step('a refused key, told while a name is typed', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    const held = new LoopbackServer((_request, response) => asked.resolve(response))
    await held.listen()
    const name = window.getByLabel('Name')
    await window.getByLabel('Address').fill(held.url)
    await window.getByLabel('API key').fill('not-the-key')
    await window.getByLabel('API key').press('Enter')
    const answer = await asked.promise
    await name.click()
    await window.keyboard.type('Main ')
    answer.writeHead(401, { 'content-type': 'application/json' })
    answer.end(JSON.stringify({ Contents: null, HasErrors: true, Errors: [{ Message: 'Unknown API key' }] }))
    await expect(window.getByLabel('API key')).toHaveAttribute('aria-invalid', 'true')
    await window.keyboard.type('office')
    await expect(name).toHaveValue('Main office')
    await held.close()
  })

  await test.step('a set-up is told again while its label is typed', async () => {
    await connect(window, service)
    const other = await openCompany(window)
    const wizard = await provisionDesktop(window)
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeFocused()
    const label = wizard.getByLabel('Label')
    await label.focus()
    await window.keyboard.type('The ')
    // All set-ups are read again when a company has changed, and are other objects then.
    await call(window, 'companies.annotate', { company: other, notes: { label: 'Changed meanwhile' } })
    await expect(companyRow(window, 'Changed meanwhile')).toHaveCount(1)
    await window.keyboard.type('new client')
    await expect(label).toHaveValue('The new client')
    await expect(label).toBeFocused()
    await window.keyboard.press('Escape')
  })

  await test.step('a changed connection is answered while its name is typed', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    const held = new LoopbackServer((_request, response) => asked.resolve(response))
    await held.listen()
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByLabel('Address').fill(held.url)
    await window.getByLabel('API key').fill('moved-key')
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    const answer = await asked.promise
    await window.getByLabel('Name').fill('Main ')
    await window.getByLabel('API key').fill('another-key')
    answer.writeHead(200, { 'content-type': 'application/json' })
    answer.end(JSON.stringify({ Contents: [], Errors: null, HasErrors: false, MoreData: false }))
    await expect(window.getByText(/^Answered in/)).toBeVisible()
    await expect(window.getByLabel('Name')).toHaveValue('Main ')
    await expect(window.getByLabel('API key')).toHaveValue('another-key')
    await held.close()
  })
})
