/**
 * The fixtures of end-to-end specs: the program, its window, and a service. A spec fails on any violation of the
 * Content-Security-Policy and on any console error or uncaught error that it doesn't expect.
 */
import { expect, type Page, test as base } from '@playwright/test'
import type { RecordedMessage } from '../chromium-host/recorder.ts'
import type { SampleServerOptions } from '../sample-server/server.ts'
import { type Browser, engineName, Program, startBrowser } from './support/program.ts'
import { type Service, startService } from './support/service.ts'

export { canarySearch } from './support/canary.ts'
export { Program } from './support/program.ts'
export type { Service } from './support/service.ts'
export { expect }

const VIOLATION = /Content[- ]Security[- ]Policy/i

interface Fixtures {
  /** Permits matching console errors and uncaught errors. A violation of the policy is never permitted. */
  readonly allowConsoleErrors: (pattern: RegExp) => void
  /** The program with its own folders, not started yet. */
  readonly program: Program
  /** The program's window, started with an empty profile. */
  readonly window: Page
  /** Starts a service with other options, such as 10,000 customers. It ends with the spec. */
  readonly startService: (options?: SampleServerOptions) => Promise<Service>
  /** A service as the sample server starts it by default. */
  readonly service: Service
}

interface Internals {
  readonly allowed: RegExp[]
}

interface WorkerInternals {
  /**
   * The browser in which a worker's specs open their windows, one after another; none if the program starts its own.
   */
  readonly sharedBrowser: Browser | undefined
}

export const test = base.extend<Fixtures & Internals, WorkerInternals>({
  sharedBrowser: [
    async ({}, use) => {
      const browser = await startBrowser()
      await use(browser)
      await browser?.stop()
    },
    { scope: 'worker' },
  ],

  // Playwright reads a fixture's dependencies from the pattern of its first parameter, which is empty if there are
  // none.
  allowed: async ({}, use) => {
    await use([])
  },

  allowConsoleErrors: async ({ allowed }, use) => {
    await use((pattern) => void allowed.push(pattern))
  },

  program: async ({ allowed, sharedBrowser }, use, testInfo) => {
    testInfo.annotations.push({ type: 'runs on', description: engineName() })
    const program = new Program({ browser: sharedBrowser })
    try {
      await use(program)
      if (testInfo.status !== testInfo.expectedStatus) await attachScreens(program, testInfo)
      // In the host, every violation is printed, too, including those that the console doesn't report.
      const printedViolations = program.printed.filter((line) => VIOLATION.test(line))
      const unexpected = program.problems.filter(
        (problem) => VIOLATION.test(problem) || !allowed.some((pattern) => pattern.test(problem)),
      )
      expect([...unexpected, ...printedViolations], 'console errors and policy violations').toEqual([])
    } finally {
      await program.dispose()
    }
  },

  window: async ({ program }, use) => {
    const { window } = await program.start()
    await use(window)
  },

  startService: async ({}, use) => {
    const started: Service[] = []
    await use(async (options) => {
      const service = await startService(options)
      started.push(service)
      return service
    })
    await Promise.all(started.map((service) => service.stop()))
  },

  service: async ({ startService: start }, use) => {
    await use(await start())
  },
})

const MESSAGES_TOLD = 40
const LONGEST_TOLD = 300

/** Formats a message between the main process and the page in one line, truncated if it is long. */
function toldMessage({ kind, channel, values }: RecordedMessage): string {
  return `${kind} ${channel} ${JSON.stringify(values)}`.slice(0, LONGEST_TOLD)
}

/** The program's last output and actions, and pictures of the screen, if a spec failed. */
async function attachScreens(program: Program, testInfo: ReturnType<typeof test.info>): Promise<void> {
  await testInfo.attach('printed', { body: program.printed.join('\n'), contentType: 'text/plain' })
  // A build server keeps only the output of a failure.
  const last = program.messages().slice(-MESSAGES_TOLD).map(toldMessage)
  process.stdout.write(`Before “${testInfo.title}” failed:\n${last.join('\n')}\n`)
  for (const page of program.windows()) {
    const body = await page.screenshot({ timeout: 5_000 }).catch(() => undefined)
    if (body) await testInfo.attach('window', { body, contentType: 'image/png' })
  }
}
