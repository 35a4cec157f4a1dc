/** A call held to the contract: its input before a use case sees it, its answer before the window does. */
import { serialize } from 'node:v8'
import { type CallAnswer, type CallName, type CheckedInput, CALLS } from '../../shared/contract/contract.ts'
import { type Result, ok } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import { resultOfAsync } from '../store/database.ts'

/** Larger inputs are refused; the largest honest one is a picture of a chart. */
const LARGEST_INPUT = 48 * 1024 * 1024

/** What became of a call; `refused` and `defect` are `null` unless it ended so, and its `result` means nothing then. */
interface CallOutcome {
  readonly result: Result<unknown>
  /** Why the input was refused, without its values. */
  readonly refused: string | null
  /** What a use case threw, or how its answer is not as agreed. */
  readonly defect: unknown
}

/** Checks input and answer against the contract around the use case. Never throws. */
export async function runCall(handlers: Handlers, name: CallName, input: unknown): Promise<CallOutcome> {
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
    const result = await resultOfAsync(async () => handle(parsed.data))
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

// A handler for each call of the contract: the compiler asks for the one that is missing.

/** What a use case answers to a call: the contract's answer, or an error in a bookkeeper's words. */
export type Handler<Name extends CallName> = (
  input: CheckedInput<Name>,
) => Promise<Result<CallAnswer<Name>>> | Result<CallAnswer<Name>>

export type Handlers = { readonly [Name in CallName]: Handler<Name> }

/** The handlers whose names begin with a noun; each use case makes those of its own noun. */
export type HandlersOf<Noun extends string> = {
  readonly [Name in Extract<CallName, `${Noun}.${string}`>]: Handler<Name>
}

// The lists and reports that the window's page has the rows worker hold, so that they can be let go of with it.

export interface WindowRows extends Rows {
  /** Closes all that was opened through here; others' sets, such as those of reading back, stay. */
  closeAll(): Promise<void>
}

export function createWindowRows(rows: Rows): WindowRows {
  const sets = new Set<string>()
  const reports = new Set<string>()
  /** Counts the pages, so that what one has begun to open is not held for the next. */
  let page = 0

  const closeSet = async (setId: string): Promise<void> => {
    sets.delete(setId)
    await rows.closeSet(setId)
  }
  const closeReport = async (reportId: string): Promise<void> => {
    reports.delete(reportId)
    await rows.closeReport(reportId)
  }
  /** Keeps what was opened by this page; what another one asked for is let go of at once. */
  const hold = async <T extends Result<{ readonly reportId: string }>>(
    openedBy: number,
    opened: T,
  ): Promise<T> => {
    if (!opened.ok) return opened
    reports.add(opened.value.reportId)
    if (openedBy !== page) await closeReport(opened.value.reportId)
    return opened
  }

  return {
    ...rows,
    async openSet() {
      const openedBy = page
      const setId = await rows.openSet()
      sets.add(setId)
      if (openedBy !== page) await closeSet(setId)
      return setId
    },
    closeSet,
    async openReport(name, raw) {
      const openedBy = page
      return hold(openedBy, await rows.openReport(name, raw))
    },
    async combineReports(making, name, parts) {
      const openedBy = page
      return hold(openedBy, await rows.combineReports(making, name, parts))
    },
    closeReport,
    async closeAll() {
      page += 1
      await Promise.all([...[...sets].map(closeSet), ...[...reports].map(closeReport)])
    },
  }
}

/** A change as the wire of IPC brings it: members that were not given may be there as `undefined`. */
type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/** The same change with only what was given. */
export function defined<T extends object>(change: Loose<T>): Partial<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>
}
