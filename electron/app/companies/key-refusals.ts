/**
 * Finds out whether a key that one company refused is refused for all. Runs over several companies and **Read them now**
 * use it.
 */
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import { failsForAll } from './company-tests.ts'

export type TestCompany = (company: CompanyRef) => Promise<Result<TestOutcome>>

export interface KeyRefusal {
  readonly endpointId: string
  /** A key may be accepted for tests and for nothing else. */
  readonly of: 'test' | 'item'
  readonly error: AppError
}

export class KeyRefusals {
  readonly #endpointIds = new Set<string>()
  #pending: AppError | null = null
  /** Whether a company refused the key for an item for the first time, and none has accepted it for one since. */
  #isItemRefused = false

  /** A refused key that no company has accepted since. The queue is paused until one does. */
  get pending(): AppError | null {
    return this.#pending
  }

  /** The companies that refused it. */
  get endpointIds(): ReadonlySet<string> {
    return this.#endpointIds
  }

  /** Adds companies that refused it in an earlier try. They prove nothing about the others. */
  addEarlier(endpointIds: Iterable<string>): void {
    for (const endpointId of endpointIds) this.#endpointIds.add(endpointId)
  }

  /** Call with the result of each test. */
  onTested(tested: Result<TestOutcome>): void {
    if (tested.ok && tested.value.outcome === 'answered') this.#pending = null
  }

  /** Call when a company has accepted the key for an item. */
  onItemAccepted(): void {
    this.#isItemRefused = false
  }

  /**
   * Returns why work ends after a refusal; `null` if the company is only set aside. Companies that answered before are
   * tested until one answers again. If there are none, the test of the next company decides.
   */
  async add(
    { endpointId, of, error }: KeyRefusal,
    answered: readonly CompanyRef[],
    test: TestCompany,
  ): Promise<AppError | null> {
    const isNew = !this.#endpointIds.has(endpointId)
    this.#endpointIds.add(endpointId)
    const isInRow = this.#pending !== null || (of === 'item' && isNew && this.#isItemRefused)
    if (of === 'item' && isNew) this.#isItemRefused = true
    this.#pending = error
    if (isInRow) return error
    for (const other of answered) {
      const tested = await test(other)
      this.onTested(tested)
      if (!tested.ok) return tested.error
      if (tested.value.outcome === 'answered') return null
      if (failsForAll(tested.value.error)) return tested.value.error
    }
    return null
  }
}
