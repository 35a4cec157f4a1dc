/** Typing continues in the same field, whatever arrives meanwhile: a response, an event, or a redraw. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { companyRow, connect, provisionDesktop } from '../companies/steps.ts'
import { openCompany } from '../faults/kill-steps.ts'
import { expect, type Service, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import { LoopbackServer } from '../support/loopback-server.ts'
import { cell, getRecords, openBooks, refresh, requestByOther, rowIdAt } from './steps.ts'

test(
  'late answers and events don’t change the focus or the text while a user types',
  { tag: '@deep' },
  async ({ window, service }) => {
    await test.step('a rejected key is reported while a name is typed', async () => {
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
      answer.end(
        JSON.stringify({ Contents: null, HasErrors: true, Errors: [{ Message: 'Unknown API key' }] }),
      )
      await expect(window.getByLabel('API key')).toHaveAttribute('aria-invalid', 'true')
      await window.keyboard.type('office')
      await expect(name).toHaveValue('Main office')
      await held.close()
    })

    await test.step('a setup is updated while its label is typed', async () => {
      await connect(window, service)
      const other = await openCompany(window)
      const wizard = await provisionDesktop(window)
      await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeFocused()
      const label = wizard.getByLabel('Label')
      await label.focus()
      await window.keyboard.type('The ')
      // When a company has changed, all setups are read again and are new objects.
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
      await expect(window.getByText(/^Responded in/)).toBeVisible()
      await expect(window.getByLabel('Name')).toHaveValue('Main ')
      await expect(window.getByLabel('API key')).toHaveValue('another-key')
      await held.close()
    })
  },
)

/** Forwards a request to the service, and its response back. */
async function forwardRequest(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '', headers } = request
  const body = await text(request)
  const answer = await fetch(`${service.url}${url}`, {
    method,
    headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' },
    ...(body === '' ? {} : { body }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(await answer.text())
}

/** The service behind a server that can hold requests. */
async function holdableService(service: Service) {
  let held: { readonly onAsked: () => void; readonly released: Promise<undefined> } | null = null
  const server = new LoopbackServer((request, response) => {
    if (held === null) return void forwardRequest(service, request, response)
    held.onAsked()
    void held.released.then(() => forwardRequest(service, request, response))
  })
  await server.listen()
  return {
    service: { ...service, url: server.url },
    /** Holds requests from now on. `asked` resolves once one is held. */
    hold: () => {
      const asked = Promise.withResolvers<undefined>()
      const released = Promise.withResolvers<undefined>()
      held = { onAsked: () => asked.resolve(undefined), released: released.promise }
      const release = (): void => {
        held = null
        released.resolve(undefined)
      }
      return { asked: asked.promise, release }
    },
    close: () => server.close(),
  }
}

test(
  'rows that are refreshed or moved don’t change what the user types into',
  { tag: '@deep' },
  async ({ window, service }) => {
    const way = await holdableService(service)
    await openBooks(window, way.service)
    await getRecords(window)

    await test.step('rows that are refreshed while a cell is edited don’t change its editor and text', async () => {
      const phone = cell(window, await rowIdAt(window, 0), 'Phone')
      const { asked, release } = way.hold()
      await refresh(window, 'Get again')
      await asked
      await phone.click()
      await window.keyboard.type('(415) 55')
      release()
      await expect(window.getByRole('button', { name: 'Refresh' })).toBeVisible()
      await expect(window.getByRole('main').getByRole('button', { name: 'Stop' })).toHaveCount(0)
      await window.keyboard.type('5-0199')
      await window.keyboard.press('Enter')
      await expect(phone).toHaveText('(415) 555-0199')
    })

    await test.step('a key right after rows moved changes the record that has the focus', async () => {
      const [above, rowId, below] = [
        await rowIdAt(window, 0),
        await rowIdAt(window, 1),
        await rowIdAt(window, 2),
      ]
      const [phone, phoneAbove] = [cell(window, rowId, 'Phone'), cell(window, above, 'Phone')]
      const before = await phoneAbove.textContent()
      await requestByOther(service, 'PATCH', { ID: below, Name: 'AAA First in line' })
      const { asked, release } = way.hold()
      await refresh(window, 'Get again')
      await asked
      await phone.click()
      await expect(phone).toBeFocused()
      // As by a fast typist: the key comes after the task that moves the rows, before any other task.
      await phone.evaluate((element) => {
        const row = element.closest('[row-index]')
        if (!row) throw new Error('The cell is in no row.')
        new MutationObserver((_, observer) => {
          observer.disconnect()
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { bubbles: true, cancelable: true, composed: true, key: 'Delete' }),
          )
        }).observe(row, { attributeFilter: ['row-index'] })
      })
      release()
      await expect.poll(() => rowIdAt(window, 2)).toBe(rowId)
      await expect(phone).toHaveText('')
      await expect(phone).toBeFocused()
      await expect(phoneAbove).toHaveText(before ?? '')
    })
    await way.close()
  },
)
