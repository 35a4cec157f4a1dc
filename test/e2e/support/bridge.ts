/** Calls to the main process, typed by the contract. */
import type { Page } from '@playwright/test'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/contract.ts'
import type { Result } from '../../../shared/result.ts'

/**
 * Makes one call through the window's bridge.
 * @throws Error with the message of a refusal
 */
export async function call<Name extends CallName>(
  window: Page,
  name: Name,
  input: CallInput<Name>,
): Promise<CallOutput<Name>> {
  const result = await window.evaluate(
    ([called, given]) => globalThis.window.bookbridge.call(called, given),
    [name, input] as const,
  )
  const answer = result as Result<CallOutput<Name>>
  if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`)
  return answer.value
}
