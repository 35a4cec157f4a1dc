/**
 * Runs a command while every core is busy, to show that it doesn't depend on the speed of the computer:
 *
 * node test/busy.ts -- npm test
 * node test/busy.ts --load=32 -- npx vitest run test/unit/files/csv.test.ts
 *
 * The load is eight busy threads per core, or as many as `--load` says. They are threads of this process, so they
 * always end with it. Exits with the command's exit code.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { exitCode, onTerminationRequest, printLine, spawnWithParent, stop } from '../scripts/parts/process.ts'

const { values, positionals } = parseArgs({
  options: { load: { type: 'string', default: String(8 * availableParallelism()) } },
  allowPositionals: true,
})
const threads = Number(values.load)
const [command, ...args] = positionals
if (command === undefined || !Number.isInteger(threads) || threads < 1) {
  printLine('Usage: node test/busy.ts [--load=THREADS] -- COMMAND [ARGUMENT…]')
  process.exit(2)
}

printLine(`${threads} busy threads run beside the command.`)
for (let started = 0; started < threads; started += 1) new Worker('for (;;);', { eval: true })
const child = spawnWithParent(command, args, { stdio: 'inherit' })
onTerminationRequest(() => void stop(child, 15_000))
process.exit(await exitCode(child))
