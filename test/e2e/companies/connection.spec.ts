// First start: both ways in, and a message for each thing that can be wrong with an address or a key.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { companyRows, received } from './steps.ts'

test('nothing is sent while a field is missing. Enter connects, and the connection survives a restart with its key', async ({
  service,
  program,
}) => {
  const { window } = await program.start()
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByLabel('Address')).toHaveAttribute('aria-invalid', 'true')
  await expect(window.getByLabel('API key')).toHaveAttribute('aria-invalid', 'true')
  await window.getByLabel('Address').fill(service.url)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByLabel('API key')).toBeFocused()
  expect(await received(service)).toEqual([])

  await window.getByLabel('Name').fill('Main office')
  await window.getByLabel('API key').fill(service.key)
  const asked = await program.answer('Cancel')
  await window.getByLabel('API key').press('Enter')
  await expect.poll(asked).toHaveLength(1)
  // Canceling isn't an error. Everything stays as typed.
  await expect(window.getByRole('button', { name: 'Connect', exact: true })).toBeEnabled()
  await expect(window.getByRole('alert')).toHaveCount(0)
  await expect(window.getByLabel('API key')).toBeFocused()
  expect(await received(service)).toEqual([])

  await program.answer('Connect')
  await window.getByLabel('API key').press('Enter')
  await expect(companyRows(window).first()).toBeVisible()
  await expect(window.getByText('Main office').first()).toBeVisible()
  const lists = (await received(service)).filter(({ path }) => /manage\/endpoint$/i.test(path))
  expect(lists.length).toBeGreaterThan(0)
  expect(lists.every(({ method }) => method === 'GET')).toBe(true)
  const withKey = program.messages().filter((message) => JSON.stringify(message).includes(service.key))
  expect(withKey.every((message) => JSON.stringify(message).includes('connection.setKey'))).toBe(true)
  await program.stop()

  const second = await program.start()
  await expect(companyRows(second.window).first()).toBeVisible()
  await second.window.getByRole('button', { name: 'Refresh' }).click()
  await expect(second.window.getByRole('alert')).toHaveCount(0)
})

test('a rejected key, an unreachable address, another site, and a redirect have different messages, and none is saved', async ({
  program,
  service,
}) => {
  const { window } = await program.start()
  const website = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
  })
  const redirecting = await listen((_request, response) => {
    response.writeHead(302, { location: service.url }).end()
  })
  const foreign = await listen((_request, response) => {
    const body = JSON.stringify({ errors: [{ message: 'Cannot GET /v2/Manage/endpoint' }] })
    response.writeHead(404, { 'content-type': 'application/json' }).end(body)
  })
  const gate = await listen((_request, response) => {
    response.writeHead(403, { 'content-type': 'text/html' }).end('<html><h1>403 Forbidden</h1></html>')
  })
  const nobody = await listen(() => undefined)
  await close(nobody.server)

  const said: string[] = []
  const attempts = [
    { address: service.url, key: 'not-the-key', wrongField: 'API key' },
    { address: nobody.url, key: service.key, wrongField: 'Address' },
    { address: website.url, key: service.key, wrongField: 'Address' },
    { address: redirecting.url, key: service.key, wrongField: 'Address' },
    { address: foreign.url, key: service.key, wrongField: 'Address' },
    { address: gate.url, key: service.key, wrongField: 'API key' },
  ]
  for (const { address, key, wrongField } of attempts) {
    await window.getByLabel('Address').fill(address)
    await window.getByLabel('API key').fill(key)
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    const alert = window.getByRole('alert')
    await expect(alert).toBeVisible()
    await expect(window.getByLabel(wrongField)).toHaveAttribute('aria-invalid', 'true')
    await expect(window.getByLabel(wrongField)).toBeFocused()
    said.push((await alert.innerText()).trim())
  }
  expect(new Set(said).size).toBe(attempts.length)
  expect(said[4]).toContain('The service isn’t at this address.')
  expect(said[5]).toContain('A web page answered instead of the service')
  expect(said[5]).not.toContain('The address is right')
  // Typing removes the error, because the value has changed.
  await window.getByLabel('Address').fill(service.url)
  await expect(window.getByRole('alert')).toHaveCount(0)
  await Promise.all([website, redirecting, foreign, gate].map(({ server }) => close(server)))
  await program.stop()
  const second = await program.start()
  await expect(second.window.getByRole('button', { name: 'Explore the sample' })).toBeVisible()

  await test.step('at 200 %, a failure and Connect are in sight, and the field at fault keeps the focus', async () => {
    await second.window.setViewportSize({ width: 683, height: 400 })
    await second.window.getByLabel('Address').fill('http://127.0.0.1:9')
    await second.window.getByLabel('API key').fill('nobodys-key-0001')
    const connect = second.window.getByRole('button', { name: 'Connect', exact: true })
    await connect.press('Enter')
    await expect(second.window.getByRole('alert')).toBeInViewport({ ratio: 1 })
    await expect(connect).toBeInViewport({ ratio: 1 })
    await expect(second.window.getByLabel('Address')).toBeFocused()
    await expect(second.window.getByLabel('Address')).toBeInViewport({ ratio: 1 })
  })
})

test('an untrusted certificate has a message, and its file can be chosen there. axe finds nothing serious before and after', async ({
  program,
  service,
}) => {
  const { window, electronApp } = await program.start()
  const certificate = (name: string): Buffer =>
    readFileSync(new URL(`../../fixtures/certificates/${name}`, import.meta.url))
  let asked = 0
  const secure = createSecureServer(
    { cert: certificate('self-signed.pem'), key: certificate('self-signed.key') },
    (_request, response) => {
      asked += 1
      response.end(JSON.stringify({ Contents: [], Errors: null, HasErrors: false, MoreData: false }))
    },
  )
  await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done))
  await expect(window.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
  expect(await seriousViolations(window), 'First start').toEqual([])
  await window.getByLabel('Address').fill(`https://localhost:${(secure.address() as AddressInfo).port}`)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  const alert = window.getByRole('alert')
  await expect(alert).toContainText('is self-signed')
  await expect(alert).toContainText('Nothing was sent.')
  await expect(window.getByLabel('Address')).toHaveAttribute('aria-invalid', 'true')
  await alert.getByRole('button', { name: 'Details' }).click()
  await expect(alert).toContainText('DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(await seriousViolations(window), 'an error at Connect').toEqual([])
  expect(asked, 'the key left with no request').toBe(0)
  // Settings can't be opened without a connection.
  const file = fileURLToPath(new URL('../../fixtures/certificates/self-signed.pem', import.meta.url))
  await electronApp.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, file)
  await alert.getByRole('button', { name: 'Choose a certificate file…' }).press('Enter')
  await expect(window.getByRole('link', { name: 'Companies' })).toBeVisible()
  expect(asked).toBeGreaterThan(0)
  secure.closeAllConnections()
  secure.close()
})

test('a first Connect to a silent host says what it is doing, and can be stopped', async ({
  window,
  service,
}) => {
  await service.control({ latencyMs: 60_000 })
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('status', { name: 'What the service is doing' })).toContainText('Connecting')
  await window.getByRole('main').getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(window.getByRole('button', { name: 'Connect', exact: true })).toBeEnabled()
  await expect(window.getByRole('alert')).toBeVisible()
})

interface Listening {
  readonly server: Server
  readonly url: string
}

async function listen(answer: Parameters<typeof createServer>[1]): Promise<Listening> {
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}` }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}
