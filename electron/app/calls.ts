/**
 * Checks each call against the contract: its input before the handler runs, and its output before the window gets it.
 */
import { serialize } from 'node:v8'
import { type CallName, type CallOutput, CALLS, type CheckedInput } from '../../shared/contract/contract.ts'
import { ok, type Result } from '../../shared/result.ts'
import { resultOfAsync } from '../store/database.ts'

/** Bytes. Larger inputs are refused; the largest legitimate one is a picture of a chart. */
const LARGEST_INPUT = 48 * 1024 * 1024

/** The outcome of a call. If `refused` or `defect` is not `null`, ignore `result`. */
interface CallOutcome {
  readonly result: Result<unknown>
  /** Why the input was refused, without its values. */
  readonly refused: string | null
  /** What the handler threw, or how its output violates the contract. */
  readonly defect: unknown
}

/** Runs a handler, checking its input and output. Never throws. */
export async function runCall(handlers: Handlers, name: CallName, input: unknown): Promise<CallOutcome> {
  const nothing = ok(undefined)
  if (sizeOf(input) > LARGEST_INPUT) return { result: nothing, refused: 'too large', defect: null }
  const call = CALLS[name]
  const parsed = call.input.safeParse(input)
  if (!parsed.success) {
    // Only the paths, never the values: one could be a key.
    const where = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ')
    return { result: nothing, refused: `invalid input: ${where}`, defect: null }
  }
  try {
    const handle = handlers[name] as (input: unknown) => Promise<Result<unknown>>
    const result = await resultOfAsync(async () => handle(parsed.data))
    if (!result.ok) return { result, refused: null, defect: null }
    const output = call.output.safeParse(result.value)
    if (output.success) return { result: ok(output.data), refused: null, defect: null }
    const where = output.error.issues.map((issue) => `${issue.path.join('.')} ${issue.code}`).join(', ')
    return { result: nothing, refused: null, defect: new Error(`invalid result: ${where}`) }
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

// Each call of the contract has a handler. The compiler reports a missing one.

/** Answers a call with what the contract says, or with an error written for the user. */
export type Handler<Name extends CallName> = (
  input: CheckedInput<Name>,
) => Promise<Result<CallOutput<Name>>> | Result<CallOutput<Name>>

export type Handlers = { readonly [Name in CallName]: Handler<Name> }

/** The handlers whose names begin with a noun. */
export type HandlersOf<Noun extends string> = {
  readonly [Name in Extract<CallName, `${Noun}.${string}`>]: Handler<Name>
}

/** A change as IPC delivers it: members that were left out may be present as `undefined`. */
type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/** Removes the members that are `undefined`. */
export function defined<T extends object>(change: Loose<T>): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>
}
