/** Who is trusted, and the message about a certificate that isn't: one for each reason, after one try, with nothing sent. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { readCertificateFile } from '../../../electron/service/transport/certificates.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { settingsCalls } from '../shell/settings-fixture.ts'
import {
  certificatePath,
  connectProxy,
  errorOf,
  networkClient,
  silentPort,
  tamperingTunnel,
  tlsService,
} from './network.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bookbridge-certificates-'))
  onTestFinished(() => {
    rmSync(path, { recursive: true })
  })
  return path
}

describe('a service’s certificate', () => {
  test('that the user’s own file vouches for is trusted', async () => {
    const service = await tlsService(onTestFinished)
    const client = networkClient(onTestFinished, `https://localhost:${service.port}`)
    expect((await client.read()).ok).toBe(true)
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'answered' } })
    expect(service.seen).toHaveLength(2)
  })

  test.each([
    [
      'nobody here knows who vouches for',
      'service',
      '',
      'doesn’t know who issued',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['is self-signed', 'self-signed', 'authority.pem', 'is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', 'expired', 'authority.pem', 'has expired', 'CERT_HAS_EXPIRED'],
    [
      'is another host’s',
      'elsewhere',
      'authority.pem',
      'is for a different address',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
  ])('that %s is refused with its own message, once', async (_what, certificate, file, words, code) => {
    const service = await tlsService(onTestFinished, certificate)
    const client = networkClient(onTestFinished, `https://localhost:${service.port}`, {
      certificateFile: file === '' ? '' : certificatePath(file),
    })
    const error = errorOf(await client.read())
    expect(error).toMatchObject({ kind: 'untrusted-certificate', details: { code } })
    expect(error.message).toContain(words)
    expect(error.message).toContain(`localhost:${service.port}`)
    expect(error.advice).toMatch(/^Nothing was sent\./)
    expect(client.waits).toEqual([])
    expect(await client.insert()).toMatchObject({
      ok: true,
      value: { outcome: 'not-sent', error: { kind: 'untrusted-certificate' } },
    })
    expect(service.seen).toEqual([])
  })

  test('that is self-signed is trusted if it is the file', async () => {
    const service = await tlsService(onTestFinished, 'self-signed')
    const client = networkClient(onTestFinished, `https://localhost:${service.port}`, {
      certificateFile: certificatePath('self-signed.pem'),
    })
    expect((await client.read()).ok).toBe(true)
  })
})

describe('the environment decides nothing about trust', () => {
  test.each([
    ['an unknown authority’s', 'service', '', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['an expired one', 'expired', 'authority.pem', 'CERT_HAS_EXPIRED'],
    ['another host’s', 'elsewhere', 'authority.pem', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('with checks switched off there, %s is still refused', async (_what, certificate, file, code) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const service = await tlsService(onTestFinished, certificate)
    const certificateFile = file === '' ? '' : certificatePath(file)
    const straight = networkClient(onTestFinished, `https://localhost:${service.port}`, { certificateFile })
    expect(errorOf(await straight.read())).toMatchObject({ kind: 'untrusted-certificate', details: { code } })
    const way = await connectProxy(onTestFinished, service.port, { what: 'let-through' }, certificate)
    const through = networkClient(onTestFinished, 'https://books.test', {
      proxy: `HTTPS localhost:${way.port}`,
      certificateFile,
    })
    expect((await through.read()).ok).toBe(false)
    expect(way.asked).toEqual([])
    expect(service.seen).toEqual([])
  })

  test('with an authority named there, that authority isn’t trusted', async () => {
    const service = await tlsService(onTestFinished)
    const script = `
      import { connect } from 'node:tls'
      import { createTrust } from ${JSON.stringify(new URL('../../../electron/service/transport/certificates.ts', import.meta.url).href)}
      const { value } = createTrust().context('')
      const socket = connect({ host: 'localhost', port: ${service.port}, secureContext: value })
      socket.on('secureConnect', () => { console.log('trusted'); socket.destroy() })
      socket.on('error', (cause) => console.log(cause.code))
    `
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', '--input-type=module', '--eval', script],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath('authority.pem') } },
    )
    expect(stdout.trim()).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })
})

describe('the file of further certificates', () => {
  test('is read for each request: once it is fixed, the next request succeeds', async () => {
    const file = join(folder(), 'office.pem')
    copyFileSync(certificatePath('elsewhere.pem'), file)
    const service = await tlsService(onTestFinished)
    const client = networkClient(onTestFinished, `https://localhost:${service.port}`, {
      certificateFile: file,
    })
    expect(errorOf(await client.read()).kind).toBe('untrusted-certificate')
    copyFileSync(certificatePath('authority.pem'), file)
    utimesSync(file, new Date(), new Date(Date.now() + 5_000))
    expect((await client.read()).ok).toBe(true)
  })

  test('that is missing is named in every error, and nothing is sent', async () => {
    const service = await tlsService(onTestFinished)
    const client = networkClient(onTestFinished, `https://localhost:${service.port}`, {
      certificateFile: join(folder(), 'office.pem'),
    })
    const error = errorOf(await client.read())
    expect(error.kind).toBe('file')
    expect(error.message).toContain('office.pem')
    expect(error.advice).toContain('Settings, Certificates')
    expect(client.waits).toEqual([])
    expect(await client.insert()).toMatchObject({
      ok: true,
      value: { outcome: 'not-sent', error: { kind: 'file' } },
    })
    expect(service.seen).toEqual([])
  })

  test('can have one or several certificates, with text in between', () => {
    const file = join(folder(), 'office.pem')
    const texts = ['authority.pem', 'service.pem'].map((name) => readFileSync(certificatePath(name), 'utf8'))
    writeFileSync(file, `The office’s own\r\n${texts.join('\r\nand another\r\n').replaceAll('\n', '\r\n')}`)
    const read = readCertificateFile(file)
    expect(read).toMatchObject({ ok: true, value: { length: 2 } })
  })

  test.each([
    ['words', 'this is no certificate'],
    ['a key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['a broken certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
    ['nothing', ''],
  ])('with %s in it is refused by name', (_what, text) => {
    const file = join(folder(), 'office.pem')
    writeFileSync(file, text)
    const read = readCertificateFile(file)
    expect(read).toMatchObject({ ok: false, error: { kind: 'file' } })
    if (!read.ok) expect(read.error.message).toContain('office.pem')
  })
})

describe('choosing a file in Settings', () => {
  function choosing(path: string | null): { choose: () => Promise<Result<Settings>>; kept: () => string } {
    const { handlers, kept } = settingsCalls(DEFAULT_SETTINGS, path)
    return {
      choose: () => Promise.resolve(handlers['settings.chooseCertificate']({})),
      kept: () => kept().certificateFile,
    }
  }

  test('saves one with a certificate', async () => {
    const { choose, kept } = choosing(certificatePath('authority.pem'))
    expect((await choose()).ok).toBe(true)
    expect(kept()).toBe(certificatePath('authority.pem'))
  })

  test('refuses one without a certificate, and keeps the previous one', async () => {
    const { choose, kept } = choosing(certificatePath('service.key'))
    const error = errorOf(await choose())
    expect(error).toMatchObject({ kind: 'file', message: 'service.key is not a certificate file.' })
    expect(kept()).toBe('')
  })

  test('that is canceled changes nothing', async () => {
    const { choose, kept } = choosing(null)
    expect(await choose()).toEqual(ok(DEFAULT_SETTINGS))
    expect(kept()).toBe('')
  })
})

describe('a secure connection that fails', () => {
  test('before the request was sent proves that a write was not sent', async () => {
    const client = networkClient(onTestFinished, `https://localhost:${await silentPort()}`)
    expect(await client.insert()).toMatchObject({
      ok: true,
      value: { outcome: 'not-sent', error: { kind: 'unreachable' } },
    })
  })

  test('after the request was sent proves nothing, whatever its code', async () => {
    // The complete request arrives. The response isn't TLS, which the system may report as a failed handshake.
    const service = await tlsService(onTestFinished, 'service', () => tamper())
    const front = await tamperingTunnel(onTestFinished, service.port)
    const tamper = front.tamper
    const client = networkClient(onTestFinished, `https://localhost:${front.port}`)
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'uncertain' } })
    expect(service.seen).toEqual(['POST /v2/data/e/customer'])
  })
})
