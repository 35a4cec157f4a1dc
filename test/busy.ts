/**
 * Runs a command while every core is kept busy, to show that it does not depend on the speed of the machine:
 *
 *   node test/busy.ts -- npm test
 *   node test/busy.ts --load=32 -- npx vitest run test/unit/csv.test.ts
 *
 * The load is eight busy threads for each core unless `--load` says otherwise, which is 16 on two cores. They are
 * threads of this process, so they end with it however it ends. The exit code is the command's.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { exitCode, onRequestToEnd, say, spawnTied, stop } from '../scripts/parts/process.ts'

const { values, positionals } = parseArgs({
  options: { load: { type: 'string', default: String(8 * availableParallelism()) } },
  allowPositionals: true,
})
const threads = Number(values.load)
const [command, ...args] = positionals
if (command === undefined || !Number.isInteger(threads) || threads < 1) {
  say('Usage: node test/busy.ts [--load=THREADS] -- COMMAND [ARGUMENT…]')
  process.exit(2)
}

say(`${threads} busy threads run beside the command.`)
for (let started = 0; started < threads; started += 1) new Worker('for (;;);', { eval: true })
const child = spawnTied(command, args, { stdio: 'inherit' })
onRequestToEnd(() => void stop(child, 15_000))
process.exit(await exitCode(child))
