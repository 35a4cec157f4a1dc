/**
 * The table of faults: for each row, the tests that cause the fault on a real socket or file and check the program's
 * state afterward. Lists the tests with the test runners. Fails if a row's test is missing, renamed, or skipped.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isDeep } from '../../seeds.ts'
import { emptyFolder } from '../world/world.ts'

/** Words in titles of tests, by file in `test/`. */
type Shown = readonly (readonly [file: string, ...words: string[]])[]

const READING = 'reliability/faults/reading.test.ts'
const WRITING = 'reliability/faults/writing.test.ts'
const CLOCK = 'reliability/faults/clock-jumps.test.ts'
const DISK = 'reliability/faults/disk.test.ts'
const KILL = 'reliability/kills/kill.test.ts'
const BARE = 'reliability/faults/bare-errors.test.ts'
const PAGES = 'reliability/faults/pages.test.ts'

/** Each row with its two columns. Empty columns are left out. */
const TABLE: Readonly<Record<string, { readonly reading: Shown; readonly writing?: Shown }>> = {
  'refused connection, DNS, TLS': {
    reading: [
      [READING, 'a refused connection, an unknown host, no TLS', 'does not trust is reported with the host'],
    ],
    writing: [[WRITING, 'a refused connection, an unknown host, no TLS', 'does not trust: nothing is sent']],
  },
  'dropped before, during or after the answer; RST': {
    reading: [[READING, 'dropped before', 'dropped in the middle', 'dropped after', 'reset (RST) after']],
    writing: [
      [WRITING, 'dropped before', 'dropped in the middle', 'dropped after', 'reset (RST) after'],
      [WRITING, 'the connection is cut', 'a gateway gives up (504)'],
    ],
  },
  'hang; headers then silence; trickle': {
    reading: [[READING, 'a hang', 'headers, then silence', 'a trickle']],
    writing: [[WRITING, 'a hang after', 'headers, then silence', 'a trickle']],
  },
  'refused key': {
    reading: [[READING, 'a refused key: once, no retry']],
    writing: [[WRITING, 'a refused key refuses what was in the request']],
  },
  '429, 503 with and without Retry-After': {
    reading: [[READING, '429 without', '429 with R', '503 without', '503 with R', 'above five minutes']],
    writing: [[WRITING, '> 429', '429 with', '> 503', '503 with', '503 after the work']],
  },
  '500 with HTML, empty body, truncated JSON, no envelope, login page': {
    reading: [[READING, '500 with HTML', 'an empty body', 'truncated JSON', 'no envelope', 'login page']],
    writing: [[WRITING, '500 with HTML', 'an empty body', 'truncated JSON', 'no envelope', 'login page']],
  },
  'redirect, to the same or another host': {
    reading: [[READING, 'a redirect is refused, to the same or another host']],
    writing: [[WRITING, 'a redirect to the same host', 'a redirect after the work']],
  },
  'a body past the cap, deep nesting, duplicate keys, __proto__, lone surrogates, NUL': {
    reading: [[READING, 'past the cap', 'nesting deeper', 'duplicate keys, __proto__, lone surrogates']],
    writing: [
      [
        WRITING,
        'past the cap, of one insert',
        'past the cap, of one change',
        'nesting deeper',
        'a lone surrogate, NUL and __proto__',
      ],
    ],
  },
  'more, fewer, reordered, unknown content items': {
    reading: [[READING, 'more, fewer, reordered, and unknown items']],
    writing: [[WRITING, 'fewer: each', 'more: each', 'reordered: each', 'no two records with the same name']],
  },
  'item errors with HTTP 200; HasErrors without errors; errors without HasErrors': {
    reading: [
      [READING, 'an error on one record', 'HasErrors without any error', 'errors without HasErrors'],
      [BARE, 'alone on a later page', 'beside records: they are kept', 'and nothing else, under any status'],
    ],
    writing: [
      [WRITING, 'an item error with HTTP 200', 'HasErrors without', 'errors without', 'beside the record'],
    ],
  },
  'endless MoreData, a page that repeats': {
    reading: [
      [PAGES, 'endless, each page new', 'a page that repeats'],
      ['reliability/faults/companies-endless.test.ts', 'an endless list of companies, each page new'],
    ],
  },
  'machine sleeps and wakes, clock jumps': {
    reading: [
      [READING, 'the machine sleeps past the deadline'],
      [CLOCK, 'set back a day > while a list', 'set forward a day > while a list'],
    ],
    writing: [
      [WRITING, 'the machine sleeps past the deadline'],
      [CLOCK, 'set back a day > while a write', 'set forward a day > while a write'],
      ['unit/writing/rechecks/clock.test.ts', 'set back a day', 'set forward a day'],
      ['unit/service/scheduler.test.ts', 'the clock was set back in the meantime'],
    ],
  },
  'disk full, read-only folder, database locked or damaged': {
    reading: [[DISK, 'full from the first moment', 'a damaged file is set aside', 'locks the file']],
    writing: [[DISK, 'nothing is sent that is not written down', 'a folder that cannot be written to']],
  },
  'the window crashes or reloads; the program is killed at any point': {
    reading: [
      [READING, 'the window reloads while it reads'],
      ['e2e/faults/restart.spec.ts', 'the window reloads and crashes'],
    ],
    writing: [
      [KILL, 'killed without warning'],
      ['e2e/faults/kill.spec.ts', 'killed in the middle of a batch, with the window'],
      ['unit/writing/kill-points.test.ts', 'killed at any step'],
    ],
  },
  'settings damaged': {
    reading: [
      ['unit/shell/settings.test.ts', 'lose only invalid values'],
      ['unit/shell/settings.test.ts', 'are set aside; defaults are used'],
    ],
  },
}

const ROWS = Object.entries(TABLE).flatMap(([row, { reading, writing }]) => [
  { row, column: 'reading', shown: reading },
  ...(writing === undefined ? [] : [{ row, column: 'writing', shown: writing }]),
])

/** The full titles that the test runners find in each file, without skipped ones. */
async function titles(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = [...new Set(ROWS.flatMap(({ shown }) => shown.map(([file]) => file)))]
  const specs = files.filter((file) => file.endsWith('.spec.ts'))
  const tests = files.filter((file) => !specs.includes(file))
  const list = join(folder, 'tests.json')
  const [, reported] = await Promise.all([
    runner('vitest/vitest.mjs', 'list', `--json=${list}`, ...tests.map((file) => join('test', file))),
    runner('@playwright/test/cli.js', 'test', '--list', '--reporter=json', ...specs),
  ])
  const found = new Map<string, string[]>(files.map((file) => [file, []]))
  for (const { name, file } of LISTED.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    found.get(relative(TESTS, file).replaceAll('\\', '/'))?.push(name)
  }
  for (const { title, file } of specsOf(REPORTED.parse(JSON.parse(reported)))) {
    found.get(file.replace(/^test\//, ''))?.push(title)
  }
  return found
}

const TESTS = join(import.meta.dirname, '../..')

/** Runs one of the project's tools, and returns its output. */
async function runner(tool: string, ...words: readonly string[]): Promise<string> {
  // This run's own variables, such as where its report goes, don't apply to a runner that only lists.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|PLAYWRIGHT_)/.test(name)),
  )
  const options = { cwd: join(TESTS, '..'), env, maxBuffer: 16 * 1024 * 1024 }
  const path = join(TESTS, '..', 'node_modules', tool)
  return (await promisify(execFile)(process.execPath, [path, ...words], options)).stdout
}

const LISTED = z.array(z.object({ name: z.string(), file: z.string() }))

const SPEC = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(z.object({ expectedStatus: z.string() })),
})
/** Suites are nested. */
const SUITE = z.object({
  title: z.string(),
  specs: z.array(SPEC),
  get suites() {
    return z.array(SUITE).optional()
  },
})
const REPORTED = z.object({ suites: z.array(SUITE) })

interface Titled {
  readonly title: string
  readonly file: string
}

function specsOf({
  suites = [],
}: {
  readonly suites?: readonly z.infer<typeof SUITE>[] | undefined
}): readonly Titled[] {
  return suites.flatMap((suite) => [
    ...suite.specs
      .filter(({ tests }) => tests.some(({ expectedStatus }) => expectedStatus !== 'skipped'))
      .map(({ title, file }) => ({ title: `${suite.title} > ${title}`, file })),
    ...specsOf(suite),
  ])
}

// The runners load every file to list its tests, which takes long.
test.runIf(isDeep)('each row has tests that exist and run', async ({ onTestFinished }) => {
  const found = await titles(emptyFolder(onTestFinished))
  const gone = ROWS.flatMap(({ row, column, shown }) =>
    shown.flatMap(([file, ...words]) =>
      words
        .filter((each) => !(found.get(file) ?? []).some((title) => title.includes(each)))
        .map((each) => `${row}, ${column}: “${each}” of ${file}`),
    ),
  )
  expect(gone).toEqual([])
})
