// What a user waits for besides the service: the first record sent, a report, and the month end of thirty clients. The
// time of the service's requests is subtracted; the rest is the program's, including the steps that drive its window.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Page } from '@playwright/test'
import { RECORD_VARIABLE } from '../chromium-host/recorder.ts'
import { call } from '../e2e/support/bridge.ts'
import { LoopbackServer } from '../e2e/support/loopback-server.ts'
import { Program } from '../e2e/support/program.ts'
import { type Service, startService } from '../e2e/support/service.ts'
import { forwardRequest } from './support/books-server.ts'
import { median, milliseconds, noTurns, ratioRow, type Row, type Turns } from './support/measure.ts'

export const name = 'waits'

const TURNS = 5
const CLIENTS = 30
/** What a request takes at a real service, in milliseconds. */
const REAL_LATENCY = 200
/** Keeps the run with thirty clients short. The program's own time doesn't depend on it. */
const SHORT_LATENCY = 5
/** The run’s progress once nothing is left of it. */
const ALL_READY = new RegExp(`^${String(CLIENTS * 5)} of ${String(CLIENTS * 5)} ready$`)
const PHONE = '(415) 555-0199'

export async function run(): Promise<readonly Row[]> {
  return [await firstRecord(), await report(), await monthEnd()]
}

/** From the command with an empty profile until the first change of a sample's record is saved. */
async function firstRecord(): Promise<Row> {
  const turns = noTurns()
  for (let turn = 0; turn < TURNS; turn += 1) {
    await withProgram(async (program) => {
      const startedAt = performance.now()
      const page = await opened(program)
      await page.getByRole('button', { name: 'Explore the sample' }).click()
      await page.getByRole('grid', { name: 'Companies' }).getByText('Alder & Finch').first().dblclick()
      await page.getByRole('link', { name: 'Records' }).click()
      await page.getByRole('button', { name: 'Get records' }).click()
      await page.getByText('the whole list').first().waitFor()
      const phone = page.getByRole('grid', { name: 'Customers' }).locator('[row-index="0"] [col-id="Phone"]')
      await phone.click()
      await page.keyboard.type(PHONE)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('complementary', { name: 'Review' }).getByText('Nothing has been sent').waitFor()
      await page.keyboard.press('Control+Enter')
      await page.keyboard.press('Enter')
      await page.getByRole('status').filter({ hasText: '1 saved' }).first().waitFor()
      const whole = performance.now() - startedAt
      // The sample runs in the program, so its time is taken from Activity.
      const log = await call(page, 'activity.log', { connectionId: null, before: null, limit: 100 })
      const service = log.reduce((sum, entry) => sum + entry.milliseconds, 0)
      turns.ours.push(whole)
      turns.peer.push(service)
    })
  }
  return beyondRow({
    what: 'First start to the first record sent',
    why: 'From the command with an empty profile, on the sample: a company opened, its customers read, one changed, reviewed, and saved. No time to think.',
    turns,
    most: 4_000,
  })
}

/** From **Run** until the report is on screen. */
async function report(): Promise<Row> {
  const service = await Relay.start({ latencyMs: REAL_LATENCY })
  const turns = noTurns()
  try {
    await withProgram(async (program) => {
      const page = await connected(program, service)
      await page.getByRole('grid', { name: 'Companies' }).getByText('Alder & Finch').first().dblclick()
      await page.getByRole('link', { name: 'Reports' }).click()
      const runs = page.getByRole('button', { name: 'Run', exact: true })
      for (let turn = 0; turn <= TURNS; turn += 1) {
        await runs.waitFor()
        // By then, the screen has finished its work after the last report.
        await page.waitForTimeout(500)
        service.spent = 0
        const whole = await page.evaluate(async () => {
          const find = (words: string): HTMLButtonElement | undefined =>
            [...document.querySelectorAll('button')].find((each) => each.textContent.trim() === words)
          const startedAt = performance.now()
          find('Run')?.click()
          while (!find('Stop')) await new Promise((next) => setTimeout(next, 0))
          while (!find('Run') || !document.querySelector('[role="treegrid"] [role="row"]'))
            await new Promise((next) => setTimeout(next, 0))
          return performance.now() - startedAt
        })
        // The first one loads the screen's code.
        if (turn === 0) continue
        if (service.spent === 0) throw new Error('No report was asked for.')
        turns.ours.push(whole)
        turns.peer.push(service.spent)
      }
    })
  } finally {
    await service.close()
  }
  return ratioRow({
    what: 'Run a report',
    why: `From **Run** until its rows are on screen, with a service that takes ${String(REAL_LATENCY)} ms. The peer is the service’s own time.`,
    turns,
    against: 'the service',
    most: 1.5,
  })
}

/** From **Start** until the reports of every client are files. The clients are the repetition, so one run is enough. */
async function monthEnd(): Promise<Row> {
  const service = await Relay.start({ latencyMs: SHORT_LATENCY }, CLIENTS)
  try {
    let whole = 0
    await withProgram(async (program) => {
      const page = await connected(program, service)
      await page.getByRole('grid', { name: 'Companies' }).getByText('Alder & Finch').first().dblclick()
      await page.getByRole('link', { name: 'Reports' }).click()
      await page.getByRole('button', { name: 'For several companies…' }).click()
      service.spent = 0
      service.count = 0
      const startedAt = performance.now()
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByRole('progressbar', { name: ALL_READY }).waitFor({ timeout: 300_000 })
      whole = performance.now() - startedAt
    })
    const atService = service.count * REAL_LATENCY
    return beyondRow({
      what: `Month end of ${String(CLIENTS)} clients`,
      why: `From **Start** until each client was tested and its five reports are workbooks and a PDF pack: ${String(service.count)} requests, computed for a service that takes ${String(REAL_LATENCY)} ms for each. Measured once.`,
      turns: { ours: [atService + whole - service.spent], peer: [atService] },
      most: 20_000,
    })
  } finally {
    await service.close()
  }
}

async function withProgram(work: (program: Program) => Promise<void>): Promise<void> {
  const program = new Program()
  try {
    await work(program)
  } finally {
    await program.dispose()
  }
}

async function opened(program: Program): Promise<Page> {
  // Recording messages would cost more than the program spends for a user.
  const { window } = await program.start({ env: { [RECORD_VARIABLE]: undefined } })
  return window
}

async function connected(program: Program, service: Relay): Promise<Page> {
  const page = await opened(program)
  await page.getByLabel('Address').fill(service.url)
  await page.getByLabel('API key').fill(service.key)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('grid', { name: 'Companies' }).waitFor()
  return page
}

/** A row for the time in addition to the service's, which may be at most `most` ms. */
function beyondRow(measured: {
  readonly what: string
  readonly why: string
  readonly turns: Turns
  readonly most: number
}): Row {
  const { what, why, turns, most } = measured
  const beyond = turns.ours.map((whole, turn) => whole - (turns.peer[turn] ?? 0))
  const [least, highest] = [Math.min(...beyond), Math.max(...beyond)].map(milliseconds)
  return {
    what,
    why,
    ours: `${milliseconds(median(beyond))}${beyond.length > 1 ? ` (${String(least)} to ${String(highest)})` : ''} beyond the service`,
    against: `the service: ${milliseconds(median(turns.peer))}`,
    ratio: null,
    budget: `≤ ${milliseconds(most)}`,
    held: median(beyond) <= most,
  }
}

/**
 * A proxy in front of a sample service: adds up the service's time, and lists each company several times under other
 * names.
 */
class Relay {
  readonly key: string
  /** Total milliseconds from each request until its response was sent. */
  spent = 0
  count = 0
  readonly #sample: Service
  readonly #companies: number
  readonly #server = new LoopbackServer((incoming, outgoing) => {
    this.#pass(incoming, outgoing)
  })

  private constructor(sample: Service, companies: number) {
    this.#sample = sample
    this.#companies = companies
    this.key = sample.key
  }

  /** @param companies how many companies to list; 0 for the sample's own */
  static async start(options: Parameters<typeof startService>[0], companies = 0): Promise<Relay> {
    const relay = new Relay(await startService(options), companies)
    await relay.#server.listen()
    return relay
  }

  get url(): string {
    return this.#server.url
  }

  async close(): Promise<void> {
    await Promise.all([this.#server.close(), this.#sample.stop()])
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const startedAt = performance.now()
    outgoing.once('finish', () => {
      this.spent += performance.now() - startedAt
      this.count += 1
    })
    const path = incoming.url ?? '/'
    const url = new URL(path.replace(/~\d+(?=\/)/, ''), this.#sample.url)
    if (this.#companies > 0 && /^\/v2\/manage\/endpoint\b/i.test(path))
      forwardRequest(incoming, outgoing, url, (answer) => void this.#listMore(answer, outgoing))
    else forwardRequest(incoming, outgoing, url)
  }

  /** Lists the sample's companies repeatedly, each with its own ID and name. */
  async #listMore(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const listed = JSON.parse((await answer.toArray()).join('')) as {
      readonly Contents: readonly { readonly Object: { endpointId: string; companyName: string } }[]
    }
    const active = listed.Contents.filter(({ Object: { endpointId } }) => endpointId !== '')
    const Contents = Array.from({ length: this.#companies }, (_, at) => {
      const item = active[at % active.length]
      const number = String(at + 1).padStart(2, '0')
      return {
        ...item,
        Object: {
          ...item?.Object,
          id: `relayed-${number}`,
          endpointId: `${String(item?.Object.endpointId)}~${number}`,
          companyName: `${String(item?.Object.companyName)} ${number}`,
        },
      }
    })
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ ...listed, Contents }))
  }
}
