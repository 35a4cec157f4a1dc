// `npm test` and its kin: sets the machine up, builds if need be, and runs the tests around a keyring that is
// thrown away afterwards.
//   npm test                unit and contract tests, then the end-to-end specs (at most 12 minutes on 2 cores)
//   npm run test:e2e        the end-to-end specs alone
//   npm run test:deep       all of it with larger numbers (BOOKBRIDGE_DEEP=1)
//   npm run test:electron   the end-to-end specs in real Electron; exit code 3 when its runtime can't be had
// What follows `--` is passed on as a filter: `npm test -- csv`.
import { join } from 'node:path'
import { buildIfNeeded } from './parts/build.ts'
import { installedElectron, obtainElectron } from './parts/electron-runtime.ts'
import { exitCode, projectFolder, say, spawnTied, stop } from './parts/process.ts'
import { openSurroundings } from './parts/surroundings.ts'
import { setUp } from './setup.ts'

const modes = ['all', 'e2e', 'deep', 'electron'] as const
type Mode = (typeof modes)[number]

type Part = { readonly name: string; readonly bin: string; readonly args: readonly string[] }

const unit: Part = { name: 'unit and contract', bin: 'vitest/vitest.mjs', args: ['run', '--passWithNoTests'] }
const endToEnd: Part = { name: 'end to end', bin: '@playwright/test/cli.js', args: ['test'] }

const partsOf: Readonly<Record<Mode, readonly Part[]>> = {
  all: [unit, endToEnd],
  deep: [unit, endToEnd],
  e2e: [endToEnd],
  electron: [endToEnd],
}

const named = modes.find((mode) => mode === process.argv[2])
process.exitCode = await test(named ?? 'all', process.argv.slice(named === undefined ? 2 : 3))

/** Runs all parts of a mode, also after one failed. 0 when all passed, else the first failure's exit code. */
async function test(mode: Mode, filter: readonly string[]): Promise<number> {
  const electron = mode === 'electron' ? await obtainElectron(true) : await installedElectron()
  if (mode === 'electron' && electron === undefined) {
    say("These specs were NOT run: Electron's runtime is not installed and could not be fetched.")
    return 3
  }
  await setUp({ electron, ownKeyring: true, virtualScreen: electron !== undefined })
  await buildIfNeeded()

  const around = await openSurroundings({ keys: 'temporary', screen: electron !== undefined })
  const env = {
    ...around.env,
    ...(mode === 'deep' && { BOOKBRIDGE_DEEP: '1' }),
  }
  const results: { name: string; code: number; seconds: number }[] = []
  try {
    for (const part of partsOf[mode]) {
      const startedAt = Date.now()
      const code = await runPart(part, filter, env)
      results.push({ name: part.name, code, seconds: (Date.now() - startedAt) / 1000 })
      if (code > 128) break
    }
  } finally {
    await around.close()
  }
  say('')
  for (const { name, code, seconds } of results) {
    say(`${code === 0 ? 'passed' : 'FAILED'}  ${name.padEnd(18)} ${seconds.toFixed(1).padStart(7)} s`)
  }
  return results.find((result) => result.code !== 0)?.code ?? 0
}

async function runPart(part: Part, filter: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const lenient = filter.length > 0 && part === endToEnd ? ['--pass-with-no-tests'] : []
  const child = spawnTied(
    process.execPath,
    [join(projectFolder, 'node_modules', part.bin), ...part.args, ...lenient, ...filter],
    { cwd: projectFolder, stdio: 'inherit', env },
  )
  const end = (): void => void stop(child, 15_000)
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  const code = await exitCode(child)
  process.off('SIGTERM', end)
  process.off('SIGINT', end)
  return code
}
