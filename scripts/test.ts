// `npm test` and its relatives: sets the computer up, builds if needed, and runs the tests with a temporary keyring.
//   npm test                unit and contract tests, then the end-to-end specs (about 6 minutes on 2 idle cores)
//   npm run test:e2e        only the end-to-end specs
//   npm run test:deep       all of it with larger numbers, and the specs tagged @deep (BOOKBRIDGE_DEEP=1)
//   npm run test:package    lays out a package, and runs the first-hour spec from it
//   npm run test:electron   the end-to-end specs in real Electron; exit code 3 if its runtime isn't available
// Arguments after `--` filter by file name: `npm test -- csv`.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter'
import type { JsonTestResults } from 'vitest/node'
import { CHROMIUM_VARIABLE, headlessShellPath } from '../test/chromium-host/launch.ts'
import { buildIfNeeded } from './parts/build.ts'
import { openDesktopServices } from './parts/desktop-services.ts'
import { installedElectron, obtainElectron } from './parts/electron-runtime.ts'
import {
  cacheFolder,
  exitCode,
  onTerminationRequest,
  printLine,
  projectFolder,
  spawnWithParent,
  stop,
} from './parts/process.ts'
import { setUp } from './setup.ts'

const modes = ['all', 'e2e', 'deep', 'package', 'electron'] as const
type Mode = (typeof modes)[number]

type Counts = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The title of each test that failed, with the first lines of its message. */
  readonly failures: readonly string[]
}

/** A test runner: its arguments to write a report into `file`, and how to read that report. */
type TestRunner = {
  readonly name: string
  readonly bin: string
  readonly args: (file: string, filtered: boolean) => readonly string[]
  readonly counts: (report: string) => Counts
}

const unit: TestRunner = {
  name: 'unit and contract',
  bin: 'vitest/vitest.mjs',
  args: (file, filtered) => [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...(filtered ? ['--passWithNoTests'] : []),
  ],
  counts: (report) => {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      report,
    ) as JsonTestResults
    return {
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numPendingTests,
      failures: testResults.flatMap(({ name, message, assertionResults }) => [
        // A file that can't be loaded has a message, but no tests.
        ...(message ? [failure(name, message)] : []),
        ...assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => failure(fullName, failureMessages?.[0] ?? '')),
      ]),
    }
  },
}

const endToEnd: TestRunner = {
  name: 'end to end',
  bin: '@playwright/test/cli.js',
  args: (_file, filtered) => ['test', '--reporter=list,json', ...(filtered ? ['--pass-with-no-tests'] : [])],
  counts: (report) => {
    const { stats, suites } = JSON.parse(report) as JSONReport
    const { expected, flaky, unexpected, skipped } = stats
    // A flaky spec counts as failed.
    return { passed: expected, failed: unexpected + flaky, skipped, failures: suites.flatMap(failedSpecs) }
  },
}

const RUNNERS: Readonly<Record<Mode, readonly TestRunner[]>> = {
  all: [unit, endToEnd],
  deep: [unit, endToEnd],
  e2e: [endToEnd],
  package: [endToEnd, endToEnd],
  electron: [endToEnd],
}

/** The files that a mode runs with each of its runners; all of them if omitted. */
const FILTERS: Partial<Record<Mode, readonly string[]>> = { package: ['package.spec', 'first-hour.spec'] }

const modeArgument = modes.find((mode) => mode === process.argv[2])
process.exitCode = await test(modeArgument ?? 'all', process.argv.slice(modeArgument === undefined ? 2 : 3))

/** Runs all parts of a mode, even after a failure. Returns 0, or the first failure's exit code. */
async function test(mode: Mode, filter: readonly string[]): Promise<number> {
  const electron = mode === 'electron' ? await obtainElectron(true) : await installedElectron()
  if (mode === 'electron' && electron === undefined) {
    printLine("These specs were NOT run: Electron's runtime is not installed and could not be fetched.")
    return 3
  }
  const wallClock = mode === 'all' || mode === 'deep'
  const headless = !process.env['HEADED']
  await setUp({ electron, ownKeyring: true, virtualScreen: electron !== undefined, headless, wallClock })
  const chromium = process.env[CHROMIUM_VARIABLE] ?? (headless ? headlessShellPath() : undefined)
  await buildIfNeeded()

  const services = await openDesktopServices({ keys: 'temporary', screen: electron !== undefined })
  const program = await mkdtemp(join(tmpdir(), 'bookbridge-package-'))
  const env = {
    ...services.env,
    // Node caches compiled code here, which makes each start of the program a fifth faster.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(cacheFolder, 'compiled'),
    ...(chromium !== undefined && { [CHROMIUM_VARIABLE]: chromium }),
    ...((mode === 'deep' || mode === 'package') && { BOOKBRIDGE_DEEP: '1' }),
    ...(mode === 'package' && { BOOKBRIDGE_PROGRAM: program }),
  }
  const results: Result[] = []
  try {
    for (const [index, part] of RUNNERS[mode].entries()) {
      const modeFilter = FILTERS[mode]?.[index]
      const result = await runPart(part, modeFilter === undefined ? filter : [modeFilter], env)
      results.push(result)
      if (result.code > 128) break
    }
  } finally {
    await services.close()
    await rm(program, { recursive: true, force: true })
  }
  return summary(results)
}

type Result = Counts & { readonly name: string; readonly code: number; readonly seconds: number }

function failedSpecs(suite: JSONReportSuite): string[] {
  const own = suite.specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'unexpected' || status === 'flaky'))
    .map(({ title, tests }) => {
      const errors = tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? ''))
      return failure(`${suite.title} › ${title}`, errors.find(Boolean) ?? '')
    })
  return [...own, ...(suite.suites ?? []).flatMap(failedSpecs)]
}

function failure(title: string, message: string): string {
  const lines = stripVTControlCharacters(message).split('\n').filter(Boolean)
  return [title, ...lines.slice(0, 6).map((line) => `    ${line.slice(0, 200)}`)].join('\n')
}

/** Prints failures and counts at the end, where a truncated log still shows them. Build servers parse the last line. */
function summary(results: readonly Result[]): number {
  printLine('')
  for (const text of results.flatMap(({ failures }) => failures).slice(0, 20)) printLine(`FAILED ${text}`)
  for (const { name, code, seconds, passed, failed } of results) {
    const words = `${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s`
    printLine(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}: ${words}`)
  }
  const total = (count: 'passed' | 'failed' | 'skipped') =>
    results.reduce((sum, result) => sum + result[count], 0)
  const code = results.find((result) => result.code !== 0)?.code ?? 0
  const failed = code === 0 ? 0 : Math.max(1, total('failed'))
  printLine(`${total('passed')} passed, ${failed} failed, ${total('skipped')} skipped`)
  return code
}

async function runPart(part: TestRunner, filter: readonly string[], env: NodeJS.ProcessEnv): Promise<Result> {
  const startedAt = Date.now()
  const folder = await mkdtemp(join(tmpdir(), 'bookbridge-report-'))
  const report = join(folder, 'report.json')
  const child = spawnWithParent(
    process.execPath,
    [join(projectFolder, 'node_modules', part.bin), ...part.args(report, filter.length > 0), ...filter],
    { cwd: projectFolder, stdio: 'inherit', env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
  )
  const stopListening = onTerminationRequest(() => void stop(child, 15_000))
  const code = await exitCode(child)
  stopListening()
  const counts = await readFile(report, 'utf8').then(part.counts, () => ({
    passed: 0,
    failed: 0,
    skipped: 0,
    failures: [],
  }))
  await rm(folder, { recursive: true, force: true })
  return { name: part.name, code, seconds: (Date.now() - startedAt) / 1000, ...counts }
}
