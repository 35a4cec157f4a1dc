/** The office's proxy: used as the system says, with a clear message if it can't be used. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseRoutes } from '../../../electron/service/transport/tunnel.ts'
import { connectProxy, errorOf, networkClient, silentPort, socksProxy, tlsService } from './network.ts'

const SERVICE = 'https://service.test'

describe('the system’s answer', () => {
  test.each([
    ['DIRECT', [null]],
    ['', [null]],
    ['PROXY proxy.test:3128', ['http proxy.test:3128']],
    ['proxy proxy.test:80', ['http proxy.test:80']],
    ['PROXY proxy.test', ['http proxy.test:80']],
    ['HTTPS proxy.test', ['https proxy.test:443']],
    ['HTTPS proxy.test:80', ['https proxy.test:80']],
    ['SOCKS proxy.test', ['socks4 proxy.test:1080']],
    ['SOCKS5 [::1]:1081', ['socks5 ::1:1081']],
    [' PROXY a:1 ; SOCKS4 b:2;DIRECT; ', ['http a:1', 'socks4 b:2', null]],
    ['QUIC a:1; PROXY b:2', ['http b:2']],
    ['QUIC a:1', []],
  ])('%s', (answer, routes) => {
    const told = parseRoutes(answer).map(({ proxy }) =>
      proxy === null ? null : `${proxy.kind} ${proxy.hostname}:${String(proxy.port)}`,
    )
    expect(told).toEqual(routes)
  })
})

describe('a proxy', () => {
  test('gets the service’s name, never the key, and each request once', async () => {
    const service = await tlsService(onTestFinished)
    const proxy = await connectProxy(onTestFinished, service.port)
    const client = networkClient(onTestFinished, SERVICE, { proxy: `PROXY 127.0.0.1:${proxy.port}` })
    expect(await client.read()).toMatchObject({ ok: true, value: { requestId: 'r-1' } })
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'answered' } })
    expect(proxy.asked).toEqual(['service.test:443', 'service.test:443'])
    expect(service.seen).toEqual(['GET /v2/Manage/endpoint', 'POST /v2/data/e/customer'])
    expect(proxy.heads.join('\n')).not.toMatch(/x-api-key|canary/i)
    expect(client.resolved).toEqual([`${SERVICE}/`, `${SERVICE}/`])
  })

  test('with TLS is checked like the service, and used', async () => {
    const service = await tlsService(onTestFinished)
    const proxy = await connectProxy(onTestFinished, service.port, { what: 'let-through' }, 'service')
    const client = networkClient(onTestFinished, SERVICE, { proxy: `HTTPS 127.0.0.1:${proxy.port}` })
    expect((await client.read()).ok).toBe(true)
    expect(service.seen).toHaveLength(1)
  })

  test('whose certificate isn’t trusted is named, and distinguished from the service', async () => {
    const service = await tlsService(onTestFinished)
    const proxy = await connectProxy(onTestFinished, service.port, { what: 'let-through' }, 'self-signed')
    const client = networkClient(onTestFinished, SERVICE, { proxy: `HTTPS 127.0.0.1:${proxy.port}` })
    const error = errorOf(await client.read())
    expect(error.kind).toBe('untrusted-certificate')
    expect(error.message).toContain(`127.0.0.1:${proxy.port}`)
    expect(client.waits).toEqual([])
  })

  test.each([4, 5] as const)('with SOCKS %i is used, with the service’s name', async (version) => {
    const service = await tlsService(onTestFinished)
    const proxy = await socksProxy(onTestFinished, service.port, version)
    const client = networkClient(onTestFinished, SERVICE, {
      proxy: `SOCKS${version} 127.0.0.1:${proxy.port}`,
    })
    expect((await client.read()).ok).toBe(true)
    expect((await client.insert()).ok).toBe(true)
    expect(proxy.asked).toEqual(['service.test', 'service.test'])
    expect(service.seen).toHaveLength(2)
  })

  test.each([4, 5] as const)('with SOCKS %i that refuses is tried once', async (version) => {
    const service = await tlsService(onTestFinished)
    const proxy = await socksProxy(onTestFinished, service.port, version, version === 4 ? 0x5b : 2)
    const client = networkClient(onTestFinished, SERVICE, {
      proxy: `SOCKS${version} 127.0.0.1:${proxy.port}`,
    })
    expect(errorOf(await client.read())).toMatchObject({ kind: 'proxy-refused' })
    expect(proxy.asked).toHaveLength(1)
  })

  test.each([
    [
      'NTLM',
      ['proxy-authenticate: Negotiate', 'proxy-authenticate: NTLM'],
      'Windows sign-in (NTLM or Negotiate)',
    ],
    ['a password', ['proxy-authenticate: Basic realm="office"'], 'name and password'],
    ['a sign-in that it does not name', [], 'name and password'],
  ])(
    'that asks for %s is tried once, and the message says what can be done',
    async (_what, headers, words) => {
      const service = await tlsService(onTestFinished)
      const proxy = await connectProxy(onTestFinished, service.port, { what: 'answer', status: 407, headers })
      const client = networkClient(onTestFinished, SERVICE, { proxy: `PROXY 127.0.0.1:${proxy.port}` })
      const error = errorOf(await client.read())
      expect(error.kind).toBe('proxy-refused')
      expect(error.message).toContain(words)
      expect(error.advice).toContain('allow service.test without a sign-in')
      expect(error.details).toMatchObject({ status: 407, code: 'HTTP 407' })
      expect(proxy.asked).toHaveLength(1)
      expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'not-sent' } })
      expect(service.seen).toEqual([])
    },
  )

  test('that forbids the address is tried once', async () => {
    const proxy = await connectProxy(onTestFinished, 1, { what: 'answer', status: 403 })
    const client = networkClient(onTestFinished, SERVICE, { proxy: `PROXY 127.0.0.1:${proxy.port}` })
    const error = errorOf(await client.read())
    expect(error.kind).toBe('proxy-refused')
    expect(error.message).toContain('blocks access to service.test')
    expect(proxy.asked).toHaveLength(1)
  })

  test('that can’t reach the service is tried again, and a write through it wasn’t sent', async () => {
    const proxy = await connectProxy(onTestFinished, 1, { what: 'answer', status: 502 })
    const client = networkClient(onTestFinished, SERVICE, { proxy: `PROXY 127.0.0.1:${proxy.port}` })
    expect(errorOf(await client.read())).toMatchObject({ kind: 'unreachable' })
    expect(proxy.asked).toHaveLength(3)
    expect(await client.insert()).toMatchObject({
      ok: true,
      value: { outcome: 'not-sent', error: { kind: 'unreachable' } },
    })
  })

  test('that is down is named, and nothing was sent', async () => {
    const port = await silentPort()
    const client = networkClient(onTestFinished, SERVICE, { proxy: `PROXY 127.0.0.1:${port}` })
    const error = errorOf(await client.read())
    expect(error).toMatchObject({ kind: 'unreachable', details: { code: 'ECONNREFUSED' } })
    expect(error.message).toContain(`proxy 127.0.0.1:${port} couldn’t be reached`)
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'not-sent' } })
  })

  test('that is down or hangs up is followed by the next one in the list, and is tried last from then on', async () => {
    const service = await tlsService(onTestFinished)
    const hangsUp = await connectProxy(onTestFinished, service.port, { what: 'hang-up' })
    const works = await connectProxy(onTestFinished, service.port)
    const list = [await silentPort(), hangsUp.port, works.port].map((port) => `PROXY 127.0.0.1:${port}`)
    const client = networkClient(onTestFinished, SERVICE, { proxy: list.join('; ') })
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'answered' } })
    expect(await client.insert()).toMatchObject({ ok: true, value: { outcome: 'answered' } })
    expect(hangsUp.asked).toHaveLength(1)
    expect(works.asked).toHaveLength(2)
    expect(service.seen).toHaveLength(2)
  })

  test('of an unusable kind is an error with the system’s own words', async () => {
    const client = networkClient(onTestFinished, SERVICE, { proxy: 'QUIC proxy.test:443' })
    expect(errorOf(await client.read())).toMatchObject({
      kind: 'proxy-refused',
      details: { raw: 'QUIC proxy.test:443' },
    })
  })

  test('is never used for an address on this computer', async () => {
    const service = await tlsService(onTestFinished)
    const proxy = await connectProxy(onTestFinished, service.port)
    for (const host of ['localhost', '127.0.0.1']) {
      const client = networkClient(onTestFinished, `https://${host}:${service.port}`, {
        proxy: `PROXY 127.0.0.1:${proxy.port}`,
      })
      expect((await client.read()).ok).toBe(true)
      expect(client.resolved).toEqual([])
    }
    expect(proxy.asked).toEqual([])
  })
})
