/**
 * A window whose JavaScript is an attacker's: no packet leaves, whatever it tries, and it can't read the clipboard.
 * Listeners on this computer count packets. The same attempts reach them from a page that isn't confined.
 */
import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'
import { chromium, type Page } from '@playwright/test'
import { chromiumPath } from '../../chromium-host/launch.ts'
import { expect, Program, test } from '../fixture.ts'
import type { Browser } from '../support/program.ts'

interface Listeners {
  readonly ports: { readonly tcp: number; readonly udp: number }
  /** Number of connections and datagrams so far. */
  readonly count: () => number
  readonly close: () => void
}

async function listen(): Promise<Listeners> {
  let count = 0
  const tcp = createServer((socket) => {
    count += 1
    socket.destroy()
  })
  const udp = createSocket('udp4')
  udp.on('message', () => (count += 1))
  await Promise.all([
    new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve)),
  ])
  const close = (): void => {
    tcp.close()
    udp.close()
  }
  const ports = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port }
  return { ports, count: () => count, close }
}

/** Tries each way out, and resolves once each has failed or ended. */
async function tryEverything(page: Page, ports: Listeners['ports']): Promise<void> {
  await page.evaluate(async ({ tcp, udp }) => {
    const http = `http://127.0.0.1:${String(tcp)}`
    const end = (name: string, make: (ended: () => void) => void): Promise<string> =>
      new Promise((resolve) => {
        try {
          make(() => resolve(name))
        } catch {
          resolve(name)
        }
      })
    const element = (tag: string, fields: Readonly<Record<string, string>>): Promise<string> =>
      end(`${tag} ${fields['rel'] ?? ''}`, (ended) => {
        const made = document.createElement(tag)
        made.addEventListener('error', ended)
        made.addEventListener('load', ended)
        for (const [name, value] of Object.entries(fields)) made.setAttribute(name, value)
        document.body.append(made)
        // Some report nothing when blocked. Their effect happens in a task that was queued before this one.
        requestIdleCallback(() => requestIdleCallback(ended))
      })
    const gathered = (urls: string, more: object = {}): Promise<string> =>
      end(urls, (ended) => {
        const peer = new RTCPeerConnection({ iceServers: [{ urls, ...more }] })
        peer.addEventListener('icegatheringstatechange', () => {
          if (peer.iceGatheringState === 'complete') ended()
        })
        peer.createDataChannel('out')
        void peer.createOffer().then((offer) => peer.setLocalDescription(offer))
      })
    const account = { username: 'a', credential: 'b' }
    await Promise.all([
      fetch(`${http}/fetch`, { mode: 'no-cors' }).catch(() => undefined),
      fetch(`${http}/keepalive`, { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' }).catch(
        () => 0,
      ),
      end('beacon', (ended) => {
        navigator.sendBeacon(`${http}/beacon`, 'x')
        ended()
      }),
      end('socket', (ended) => {
        const socket = new WebSocket(`ws://127.0.0.1:${String(tcp)}/`)
        socket.addEventListener('error', ended)
        socket.addEventListener('close', ended)
      }),
      end('events', (ended) => new EventSource(`${http}/events`).addEventListener('error', ended)),
      end('transport', (ended) => {
        const transport = new WebTransport(`https://127.0.0.1:${String(udp)}/`)
        transport.closed.then(ended, ended)
        transport.ready.catch(() => undefined)
      }),
      end('worker', (ended) => {
        const source = `fetch('${http}/worker', { mode: 'no-cors' }).finally(() => postMessage(''))`
        const worker = new Worker(URL.createObjectURL(new Blob([source])))
        worker.addEventListener('message', ended)
        worker.addEventListener('error', ended)
      }),
      element('img', { src: `${http}/img` }),
      element('iframe', { src: `${http}/frame` }),
      element('object', { data: `${http}/object` }),
      element('embed', { src: `${http}/embed` }),
      element('video', { src: `${http}/video` }),
      ...[
        'stylesheet',
        'preconnect',
        'dns-prefetch',
        'prefetch',
        'prerender',
        'modulepreload',
        'manifest',
        'icon',
      ].map((rel) => element('link', { rel, href: `${http}/${rel}` })),
      element('link', { rel: 'preload', as: 'font', crossorigin: '', href: `${http}/preload` }),
      end('font', (ended) => void new FontFace('out', `url(${http}/font)`).load().then(ended, ended)),
      end('form', (ended) => {
        const form = document.createElement('form')
        Object.assign(form, { action: `${http}/form`, method: 'post', target: 'elsewhere' })
        document.body.append(form)
        form.submit()
        ended()
      }),
      end('ping', (ended) => {
        const link = document.createElement('a')
        Object.assign(link, { href: '#ping', ping: `${http}/ping` })
        document.body.append(link)
        link.click()
        ended()
      }),
      end('window', (ended) => {
        window.open(`${http}/window`)
        ended()
      }),
      gathered(`stun:127.0.0.1:${String(udp)}`),
      gathered(`turn:127.0.0.1:${String(udp)}?transport=udp`, account),
      gathered(`turn:127.0.0.1:${String(tcp)}?transport=tcp`, account),
    ])
  }, ports)
}

/**
 * Starts a program, and resolves once its page has tried everything. Chromium itself can crash under so many attempts,
 * about once in fifteen times on a busy computer. Such a page has not tried everything, so a new one does.
 */
async function startCompromised(browser: Browser | undefined, ports: Listeners['ports']) {
  for (let crashes = 0; ; crashes += 1) {
    const program = new Program({ browser })
    try {
      const { window, electronApp } = await program.start()
      await tryEverything(window, ports)
      return { program, window, electronApp }
    } catch (error) {
      await program.dispose()
      if (crashes === 5 || !String(error).includes('Target crashed')) throw error
    }
  }
}

test('a compromised page sends no packet, and can’t read the clipboard', async ({ sharedBrowser }) => {
  const listeners = await listen()
  const { program, window, electronApp } = await startCompromised(sharedBrowser, listeners.ports)
  try {
    await window.evaluate((tcp) => {
      location.href = `http://127.0.0.1:${String(tcp)}/location`
    }, listeners.ports.tcp)
    await expect(window.getByRole('heading').first()).toBeVisible()
    expect(listeners.count()).toBe(0)

    const policies = await electronApp.evaluate(({ webContents }) =>
      webContents.getAllWebContents().map((contents) => contents.getWebRTCIPHandlingPolicy()),
    )
    expect(policies).toEqual(['disable_non_proxied_udp'])
    await electronApp.evaluate(({ clipboard }) => clipboard.writeText('a secret'))
    const read = await window.evaluate(async () => [
      await navigator.clipboard.readText().catch(() => 'refused'),
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the older way to the same
      document.execCommand('paste'),
    ])
    expect(read).toEqual(['refused', false])
  } finally {
    listeners.close()
    await program.dispose()
  }
})

test(
  'a window that is opened later, in its own session, can reach nothing and gets no permission',
  { tag: '@deep' },
  async ({ sharedBrowser }) => {
    const program = new Program({ browser: sharedBrowser })
    try {
      const { electronApp } = await program.start()
      const told = await electronApp.evaluate(async ({ BrowserWindow, session }) => {
        const later = session.fromPartition('later')
        const reached: string[] = []
        later.protocol.handle('http', ({ url }) => {
          reached.push(url)
          return new Response('')
        })
        const window = new BrowserWindow({ show: false, webPreferences: { session: later, sandbox: true } })
        const { webContents } = window
        const page = await window.loadURL('http://outside/page').then(
          () => 'loaded',
          () => 'refused',
        )
        const policy = webContents.getWebRTCIPHandlingPolicy()
        window.destroy()
        return { reached, page, policy }
      })
      expect(told).toEqual({ reached: [], page: 'refused', policy: 'disable_non_proxied_udp' })
    } finally {
      await program.dispose()
    }
  },
)

test('the same attempts do send packets from an unconfined page', { tag: '@deep' }, async () => {
  const listeners = await listen()
  const browser = await chromium.launch({ executablePath: chromiumPath() ?? '', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto('data:text/html,<body></body>')
    await tryEverything(page, listeners.ports)
    await expect.poll(() => listeners.count()).toBeGreaterThan(10)
  } finally {
    listeners.close()
    await browser.close()
  }
})
