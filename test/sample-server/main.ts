// `npm run sample -- --port=N …`: only the sample service, on 127.0.0.1, until it is stopped.
import { parseArgs } from 'node:util'
import { type SampleServerOptions, startSampleServer } from './server.ts'

const FLAGS = {
  port: { type: 'string' },
  key: { type: 'string' },
  seed: { type: 'string' },
  today: { type: 'string' },
  customers: { type: 'string' },
  volume: { type: 'string' },
  latency: { type: 'string' },
  provision: { type: 'string' },
  'page-size': { type: 'string' },
} as const

function readFlags(): SampleServerOptions {
  const { values } = parseArgs({ options: FLAGS })
  const number = (name: keyof typeof values): number | undefined => {
    const text = values[name]
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value) || value < 0)
      throw new RangeError(`--${name} must be a number from 0, not "${text}"`)
    if (name !== 'volume' && !Number.isSafeInteger(value))
      throw new RangeError(`--${name} must be a whole number, not "${text}"`)
    return value
  }
  const options = {
    port: number('port'),
    key: values.key,
    seed: values.seed,
    today: values.today,
    customers: number('customers'),
    volume: number('volume'),
    latencyMs: number('latency'),
    provisionMs: number('provision'),
    pageSize: number('page-size'),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

try {
  const server = await startSampleServer(readFlags())
  const { url, key, legacyUrl, controlUrl } = server
  process.stdout.write(`${JSON.stringify({ url, key, legacyUrl, controlUrl })}\n`)
  const stop = (): void => {
    void server.close().then(() => process.exit(0))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
