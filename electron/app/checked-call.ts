/** A call held to the contract: its input before a use case sees it, its answer before the window does. */
import { serialize } from 'node:v8'
import { CALLS, type CallName } from '../../shared/contract/contract.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Handlers } from './handlers.ts'

/** Larger inputs are refused; the largest honest one is a picture of a chart. */
const LARGEST_INPUT = 48 * 1024 * 1024

/** What became of a call; `refused` and `defect` are `null` unless it ended so, and its `result` means nothing then. */
interface Checked {
  readonly result: Result<unknown>
  /** Why the input was refused, without its values. */
  readonly refused: string | null
  /** What a use case threw, or how its answer is not as agreed. */
  readonly defect: unknown
}

/** Checks input and answer against the contract around the use case. Never throws. */
export async function checkedCall(handlers: Handlers, name: CallName, input: unknown): Promise<Checked> {
  const nothing = ok(undefined)
  if (sizeOf(input) > LARGEST_INPUT) return { result: nothing, refused: 'too large', defect: null }
  const call = CALLS[name]
  const parsed = call.input.safeParse(input)
  if (!parsed.success) {
    // The paths of what is wrong, never the values: they could be a key.
    const where = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ')
    return { result: nothing, refused: `not as agreed: ${where}`, defect: null }
  }
  try {
    const handle = handlers[name] as (input: unknown) => Promise<Result<unknown>>
    const result = await handle(parsed.data)
    if (!result.ok) return { result, refused: null, defect: null }
    const answer = call.answer.safeParse(result.value)
    if (answer.success) return { result: ok(answer.data), refused: null, defect: null }
    const where = answer.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ')
    return { result: nothing, refused: null, defect: new Error(`the answer is not as agreed: ${where}`) }
  } catch (cause) {
    return { result: nothing, refused: null, defect: cause ?? new Error('unknown') }
  }
}

function sizeOf(input: unknown): number {
  try {
    return serialize(input).byteLength
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
