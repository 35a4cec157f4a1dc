/** The core in its own process, controlled by messages, which can be killed without warning. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import { lazy } from '../../../shared/lazy.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type { CorePlan } from '../world/core-parts.ts'
import type { ProcessAnswer, ProcessRequest } from '../world/core-process.ts'
import type { Caller } from '../world/person.ts'

/** The error of a call after the process has ended. */
export class ProcessGone extends Error {}

/** How the process is started, and the command that starts it. */
export interface DesktopServices {
  readonly env?: Readonly<Record<string, string>>
  readonly through?: readonly string[]
}

/** One file starts in half the time of 200 modules, and each test process starts it many times. */
const bundle = lazy(async (): Promise<string> => {
  const { build } = await import('vite')
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { ssr: join(import.meta.dirname, '../world/core-process.ts'), write: false },
  })) as Rolldown.RolldownOutput
  // As deep in the project as its source, so that the addresses of its workers are right.
  const folder = join(import.meta.dirname, '../../../out/reliability/world')
  const path = join(folder, 'core-process.js')
  mkdirSync(folder, { recursive: true })
  // Another test process may be starting the same file.
  writeFileSync(`${path}.${String(process.pid)}`, built.output[0].code)
  renameSync(`${path}.${String(process.pid)}`, path)
  return path
})

export class KillableCore {
  readonly #child: ChildProcess
  readonly #gone: Promise<void>
  readonly #waiting = new Map<number, (result: Result<unknown>) => void>()
  readonly #failing = new Map<number, (cause: Error) => void>()
  #calls = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#gone = new Promise((gone) => child.once('exit', () => gone()))
    child.on('message', (answer: ProcessAnswer) => {
      if ('ready' in answer) return
      this.#waiting.get(answer.id)?.(answer.result)
      this.#forget(answer.id)
    })
    child.once('exit', () => {
      for (const fail of this.#failing.values()) fail(new ProcessGone('The process has ended.'))
      this.#failing.clear()
      this.#waiting.clear()
    })
    child.on('error', () => undefined)
  }

  /** @returns an error if the store can't be opened, as shown at the start */
  static async begin(
    plan: CorePlan,
    { env = {}, through = [] }: DesktopServices = {},
  ): Promise<Result<KillableCore>> {
    const [command, ...words] = [...through, process.execPath]
    const child = fork(await bundle(), [JSON.stringify(plan)], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execPath: command,
      execArgv: words,
      env: { ...process.env, ...env },
    })
    const ready = await new Promise<Result<null>>((answered, failed) => {
      child.once('message', (answer: ProcessAnswer) => {
        if ('ready' in answer) answered(answer.ready)
      })
      child.once('exit', () => failed(new ProcessGone('The process ended before it was ready.')))
      child.once('error', failed)
    })
    if (!ready.ok) return err(ready.error)
    return ok(new KillableCore(child))
  }

  readonly call: Caller = async <Name extends Parameters<Caller>[0]>(name: Name, input: unknown) =>
    (await this.#ask(name, input)) as Result<CallOutput<Name>>

  /** Resumes what an earlier run left. */
  async start(): Promise<void> {
    await this.#ask('start', null)
  }

  async defects(): Promise<readonly string[]> {
    const told = await this.#ask('defects', null)
    return told.ok ? (told.value as readonly string[]) : []
  }

  /** Ends as the program does when a user closes it. */
  async close(): Promise<void> {
    await this.#ask('close', null)
    this.#child.disconnect()
    await this.#gone
  }

  /** SIGKILL. When this resolves, nothing of it is running. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  #ask(call: string, input: unknown): Promise<Result<unknown>> {
    const id = (this.#calls += 1)
    return new Promise((answered, failed) => {
      if (!this.#child.connected) {
        failed(new ProcessGone('The process has ended.'))
        return
      }
      this.#waiting.set(id, answered)
      this.#failing.set(id, failed)
      const request: ProcessRequest = { id, call, input }
      // What couldn't be passed on ends with the process.
      this.#child.send(request, () => undefined)
    })
  }

  #forget(id: number): void {
    this.#waiting.delete(id)
    this.#failing.delete(id)
  }
}
