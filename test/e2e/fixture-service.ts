/** A service on loopback for one spec: the sample server, in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

const root = resolve(import.meta.dirname, '../..')

interface ServiceAddresses {
  readonly url: string
  readonly key: string
  readonly legacyUrl: string
  readonly controlUrl: string
}

export interface Service extends ServiceAddresses {
  /** Sets conditions and faults, or asks; answers what the service answers. */
  readonly control: (body: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Starts the sample server on a free port; rejects with what it printed when it ends before it listens. */
export async function startService(flags: readonly string[] = []): Promise<Service> {
  const child = spawn(process.execPath, ['test/sample-server/main.ts', '--port=0', ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const addresses = await firstJsonLine(child)
  return {
    ...addresses,
    control: async (body) => {
      const response = await fetch(addresses.controlUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`The service refused ${JSON.stringify(body)}: ${text}`)
      return text ? (JSON.parse(text) as unknown) : undefined
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    },
  }
}

function firstJsonLine(child: ChildProcess): Promise<ServiceAddresses> {
  return new Promise((found, failed) => {
    const printed: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        printed.push(line)
        if (line.startsWith('{')) found(JSON.parse(line) as ServiceAddresses)
      })
    }
    child.once('error', failed)
    child.once('exit', () => failed(new Error(`The sample server ended:\n${printed.join('\n')}`)))
  })
}
