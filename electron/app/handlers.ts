/** A handler for each call of the contract: the compiler asks for the one that is missing. */
import type { CallAnswer, CallName, CheckedInput } from '../../shared/contract/contract.ts'
import type { Result } from '../../shared/result.ts'

/** What a use case answers to a call: the contract's answer, or an error in a bookkeeper's words. */
export type Handler<Name extends CallName> = (
  input: CheckedInput<Name>,
) => Promise<Result<CallAnswer<Name>>> | Result<CallAnswer<Name>>

export type Handlers = { readonly [Name in CallName]: Handler<Name> }

/** The handlers whose names begin with a noun; each use case makes those of its own noun. */
export type HandlersOf<Noun extends string> = {
  readonly [Name in Extract<CallName, `${Noun}.${string}`>]: Handler<Name>
}
