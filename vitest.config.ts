// Unit tests (plain functions) and contract tests (the sample service, real SQLite, real files) run in Node. Tests that
// need a window are in test/e2e and run in Playwright.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { cacheFolder } from './scripts/parts/process.ts'

// Node caches compiled code here, which makes the worker of each core start four times as fast.
process.env['NODE_COMPILE_CACHE'] ??= join(cacheFolder, 'compiled')

const all = 'test/{unit,contract,reliability}/**/*.test.ts'
const texts = globSync(all, { cwd: import.meta.dirname }).map(
  (path) => [path, readFileSync(join(import.meta.dirname, path), 'utf8')] as const,
)
const containing = (pattern: RegExp): string[] =>
  texts.flatMap(([path, text]) => (pattern.test(text) ? [path] : []))
const replacing = containing(/^vi\.(mock|stubGlobal)\(/m)
const withRunes = containing(/\/(customers-list|runes)\.ts'/).filter((path) => !replacing.includes(path))

/** Starts the files of test/reliability first. They take the longest, and the last one would leave a core idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const LONG =
  /test\/reliability\/.*(multi-company|histories|kill|witness|kept-lists|clock-jumps|one-request)|kill-points|secrets|sealing|conformance-command/

const PATIENCE = process.env['BOOKBRIDGE_DEEP'] === '1' ? 3 * 3_600_000 : 600_000

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    // One more than cores, because tests of killed processes wait a lot.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // For tests that hang. A busy computer may take many times as long as an idle one, and larger numbers longer still.
    testTimeout: PATIENCE,
    hookTimeout: PATIENCE,
    expect: { poll: { timeout: PATIENCE, interval: 5 } },
    restoreMocks: true,
    // Lets a stand-in replace its `electron`. Outside of Electron, that package holds only a path.
    server: { deps: { inline: ['electron-store'] } },
    projects: [
      { extends: true, test: { name: 'isolated', include: replacing } },
      // Modules hold no state, so these files share processes. Starting one for each would take longer than most tests.
      // Those that stub Svelte's runes share none with the others, because the stubs are global.
      { extends: true, test: { name: 'runes', isolate: false, include: withRunes } },
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: [all], exclude: [...replacing, ...withRunes] },
      },
    ],
  },
})
