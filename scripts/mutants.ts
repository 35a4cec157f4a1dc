// `npm run test:mutants [-- word…]`: applies each defect in test/mutants to a copy of the sources, and runs the tests that
// must notice it. Exit code 1 if a mutant survives or its text is no longer in its file.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FOLDERS_VARIABLE, testFolders } from '../test/empty-store.ts'
import type { Mutant, Mutants } from '../test/mutants/mutant.ts'
import { exitCode, onTerminationRequest, printLine, projectFolder } from './parts/process.ts'

const PARALLEL_RUNS = 2
/**
 * The tests' time limit, as a multiple of their time without a mutant. Generous, because two runs share the computer.
 * Tests that exceed it wait for something that never happens, so the mutant counts as killed.
 */
const TIME_LIMIT_FACTOR = 8
const ONE_HOUR_MS = 3_600_000
const SOURCES = [
  'electron',
  'shared',
  'renderer',
  'scripts',
  'docs/review.md',
  'test',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

/** The tests that must notice a mutant, by a prefix of its file's path. */
const QUICK_TESTS: Readonly<Record<string, string>> = {
  'electron/app/records/kept-': 'test/unit/records/list/kept-lists.test.ts',
  'electron/app/review/': 'test/reliability/months/months.test.ts',
  'electron/review/': 'test/unit/review/{rules,other-reports}.test.ts',
  'electron/rows/records/kept-set': 'test/unit/records/list/kept-lists.test.ts',
  'electron/service/': 'test/{unit/service/*,reliability/connections/one-request-at-a-time}.test.ts',
  'electron/store/months': 'test/reliability/months/months.test.ts',
  'electron/store/': 'test/unit/{store/operations,store/history-journal,writing/**/*}.test.ts',
  'electron/writing/': 'test/unit/writing/**/*.test.ts',
}
const EXCLUDED_TESTS = /kill-points/

/** Slower tests of whole programs and services, for mutants that survive the quick ones. */
const SLOW_TESTS = [
  'test/unit/{store/history-journal,store/opening,records/drafts/unfinished-sending}.test.ts',
  'test/reliability/{faults/{guard,blocked-queues},histories/histories,connections/moved-address,world/virtual-time}.test.ts',
]
/** Seeds of the histories, the slowest tests. */
const SEEDS = process.env['BOOKBRIDGE_SEEDS'] ?? '1-60'

interface MutantOfFile extends Mutant {
  readonly file: string
}

const running = new Set<ChildProcess>()
const copies = Array.from({ length: PARALLEL_RUNS }, () => mkdtempSync(join(tmpdir(), 'bookbridge-mutants-')))
onTerminationRequest(() => {
  for (const child of running) killTree(child)
  removeCopies()
  process.exit(130)
})
try {
  process.exitCode = await testMutants(process.argv.slice(2))
} finally {
  removeCopies()
}

async function testMutants(words: readonly string[]): Promise<number> {
  const all = await loadMutants()
  const mutants = all.filter((mutant) => words.every((word) => matchesWord(mutant, word)))
  if (mutants.length === 0) {
    printLine(`No mutant has ${words.join(' and ')} in its file or its words.`)
    return 1
  }
  for (const copy of copies) copySources(copy)
  const [first = ''] = copies
  const quick = await measureTests(first, [...new Set(mutants.flatMap(({ file }) => testFiles(file)))])
  const slow = await measureTests(first, globSync(SLOW_TESTS, { cwd: projectFolder }))
  if (quick === null || slow === null) return 1

  const waiting = [...mutants]
  let passed = 0
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const { isPassed, words: outcome } = await testMutant(copy, mutant, quick.timeLimit, slow)
        if (isPassed) passed += 1
        printLine(`${isPassed ? ' ' : '!'} ${outcome}: ${mutant.file}: ${mutant.breaks}`)
      }
    }),
  )
  printLine(`${passed} passed, ${mutants.length - passed} failed`)
  return passed === mutants.length ? 0 : 1
}

interface MeasuredTests {
  readonly files: readonly string[]
  /** In milliseconds. */
  readonly timeLimit: number
}

/** Runs tests without a mutant. @returns `null` if they fail, after a message */
async function measureTests(copy: string, files: readonly string[]): Promise<MeasuredTests | null> {
  printLine(`The ${files.length} test files without any mutant`)
  const startedAt = performance.now()
  const { code, output } = await runTests(copy, files, ONE_HOUR_MS)
  if (code === 0) return { files, timeLimit: TIME_LIMIT_FACTOR * (performance.now() - startedAt) }
  printLine(`${output}\nThe tests have to pass before they can tell anything about mutants.`)
  return null
}

async function loadMutants(): Promise<readonly MutantOfFile[]> {
  const paths = globSync('test/mutants/*-mutants.ts', { cwd: projectFolder }).toSorted()
  const lists = paths.map(
    (path) => import(pathToFileURL(join(projectFolder, path)).href) as Promise<{ mutants: Mutants }>,
  )
  return (await Promise.all(lists))
    .flatMap(({ mutants }) => Object.entries(mutants))
    .flatMap(([file, list]) => list.map((mutant) => ({ file, ...mutant })))
}

function matchesWord({ file, breaks }: MutantOfFile, word: string): boolean {
  return `${file} ${breaks}`.toLowerCase().includes(word.toLowerCase())
}

function testFiles(file: string): readonly string[] {
  const tests = Object.entries(QUICK_TESTS).find(([folder]) => file.startsWith(folder))?.[1]
  if (tests === undefined) throw new Error(`No tests are named for ${file}.`)
  return globSync(tests, { cwd: projectFolder }).filter((path) => !EXCLUDED_TESTS.test(path))
}

function copySources(copy: string): void {
  for (const name of SOURCES) cpSync(join(projectFolder, name), join(copy, name), { recursive: true })
  symlinkSync(join(projectFolder, 'node_modules'), join(copy, 'node_modules'), 'junction')
}

function removeCopies(): void {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
}

async function testMutant(
  copy: string,
  { file, text, instead, equivalent }: MutantOfFile,
  timeLimit: number,
  slow: MeasuredTests,
): Promise<{ readonly isPassed: boolean; readonly words: string }> {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const found = source.split(text).length - 1
  if (found !== 1) return { isPassed: false, words: `stale (its text is there ${found} times)` }
  writeFileSync(
    path,
    source.replace(text, () => instead),
  )
  const quick = await runTests(copy, testFiles(file), timeLimit)
  const { code, output } = quick.code === 0 ? await runTests(copy, slow.files, slow.timeLimit) : quick
  writeFileSync(path, source)
  if (code === 0) {
    return equivalent === undefined
      ? { isPassed: false, words: 'survived' }
      : { isPassed: true, words: `survived, as it must (${equivalent})` }
  }
  if (code === null) return { isPassed: equivalent === undefined, words: 'killed (its tests never end)' }
  const by = /FAIL.* (test\/\S+\.test\.ts > .*)/.exec(output)?.[1]
  // A mutant that doesn't load proves nothing.
  if (by === undefined) return { isPassed: false, words: `broken\n${output}\n` }
  return { isPassed: equivalent === undefined, words: `killed (${by})` }
}

/** @returns the exit code; `null` if the tests took more than `timeLimit` milliseconds */
async function runTests(
  copy: string,
  files: readonly string[],
  timeLimit: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--bail', '1', '--maxWorkers', '1', ...files]
  // Tests that are killed leave their folders in memory.
  const folders = mkdtempSync(join(testFolders(), 'bookbridge-mutants-'))
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      BOOKBRIDGE_SEEDS: SEEDS,
      [FOLDERS_VARIABLE]: folders,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  running.add(child)
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  child.stderr.on('data', (piece: Buffer) => pieces.push(piece))
  const ended = new AbortController()
  const limit = setTimeout(() => {
    ended.abort()
    killTree(child)
  }, timeLimit)
  const code = await exitCode(child)
  clearTimeout(limit)
  running.delete(child)
  rmSync(folders, { recursive: true, force: true })
  return { code: ended.signal.aborted ? null : code, output: Buffer.concat(pieces).toString() }
}

/** Kills a process and its children. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') child.kill('SIGKILL')
  else process.kill(-child.pid, 'SIGKILL')
}
