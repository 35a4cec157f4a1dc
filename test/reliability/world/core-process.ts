/**
 * The core as a process without a window. It gets the window's calls as messages, and can be killed at any moment. Its only
 * argument is a `CorePlan` as JSON.
 */
import { runCall } from '../../../electron/app/calls.ts'
import type { Core } from '../../../electron/core.ts'
import { type CallName, CALLS } from '../../../shared/contract/contract.ts'
import { appError, err, type Result } from '../../../shared/result.ts'
import { type CorePlan, makeCore, type RunningCore } from './core-parts.ts'

/** A call of the contract, or `start`: what `main.ts` does once the window is available. */
export interface ProcessRequest {
  readonly id: number
  readonly call: string
  readonly input: unknown
}

export type ProcessAnswer =
  | { readonly id: number; readonly result: Result<unknown> }
  /** The first message: whether the store could be opened. Nothing was done yet. */
  | { readonly ready: Result<null> }

/** Answers a call by name. Throws if it violates the contract, as for the window. */
export async function callCore(core: Core, name: string, input: unknown): Promise<Result<unknown>> {
  if (!Object.hasOwn(CALLS, name)) throw new Error(`The contract has no call ${name}.`)
  const { result, refused, defect } = await runCall(core.handlers, name as CallName, input)
  if (refused !== null) throw new Error(`${name} was refused: ${refused}`)
  if (defect !== null) throw new Error(`${name} is a defect.`, { cause: defect })
  return result
}

function tell(answer: ProcessAnswer): void {
  process.send?.(answer)
}

async function answer({ core, defects }: RunningCore, request: ProcessRequest): Promise<Result<unknown>> {
  if (request.call === 'start') {
    core.start()
    return { ok: true, value: null }
  }
  if (request.call === 'close') {
    await core.close()
    return { ok: true, value: null }
  }
  if (request.call === 'defects') return { ok: true, value: defects }
  return callCore(core, request.call, request.input)
}

function serve(plan: CorePlan): void {
  const made = makeCore(plan)
  if (!made.ok) {
    tell({ ready: made })
    process.disconnect()
    return
  }
  const { report } = made.value
  process.on('message', (request: ProcessRequest) => {
    void answer(made.value, request)
      .catch((cause: unknown) => {
        report(request.call, cause)
        return err(appError('internal', `${request.call} failed.`, '', { raw: String(cause) }))
      })
      .then((result) => {
        tell({ id: request.id, result })
      })
  })
  // The process that started it is gone, so no one would end it.
  process.on('disconnect', () => process.exit(0))
  tell({ ready: { ok: true, value: null } })
}

const [, , plan] = process.argv
if (plan !== undefined && process.send !== undefined) serve(JSON.parse(plan) as CorePlan)
