/**
 * The setup of one company as the wizard sees it: asked for, followed, looked for, decided about. It is the main
 * process's own and outlives the dialog; this only shows it and speaks for the person.
 */
import type { Company, Provisioning } from '../../../shared/contract/companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { companyName, isSameCompany } from '../../frame/session.svelte.ts'
import { normalizeForSearch, searchWords } from '../../ui/search.ts'
import { errorToShow } from '../../ui/notices/errors.ts'
import { type Choices, chosenUserId } from './steps.ts'

/** A user of one of the tries; `held`: it may have been made. */
interface MadeUser {
  readonly state: 'made' | 'held'
  /** Empty for one that is held. */
  readonly userId: string
  /** ISO moment at which it was asked for. */
  readonly at: string
}

export class Setup {
  #provisioning = $state.raw<Provisioning | null>(null)
  /** What the one above tries again, the nearest first; one of them stays when it turns out to have arrived. */
  #earlier = $state.raw<readonly Provisioning[]>([])
  #error = $state.raw<AppError | null>(null)
  #isBusy = $state(false)
  #isChecking = $state(false)
  readonly #api: Api

  /** @param before one that the person went back from: what is asked for next tries it again */
  constructor(api: Api, takenUp: Provisioning | null, before: Provisioning | null = null) {
    this.#api = api
    this.#provisioning = takenUp
    this.#earlier = before ? [before] : []
  }

  /** `null` as long as nothing was asked for. */
  get provisioning(): Provisioning | null {
    return this.#provisioning
  }

  /** The setup that what is asked for next tries again; `null` for a first try. */
  get again(): string | null {
    return this.#withCurrent()[0]?.provisioningId ?? null
  }

  /** The user that was made for these books, or may have been: nobody can look one up. */
  get madeUser(): MadeUser | null {
    const users = this.#withCurrent().flatMap(({ newUser, userId }): readonly MadeUser[] => {
      if (newUser?.state !== 'made' && newUser?.state !== 'held') return []
      return newUser.askedAt === null ? [] : [{ state: newUser.state, userId, at: newUser.askedAt }]
    })
    return users.find(({ state }) => state === 'made') ?? users[0] ?? null
  }

  /** Why the last thing asked for did not happen. */
  get error(): AppError | null {
    return this.#error
  }

  /** Something was asked of the main process and is not answered. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** **Check now** is under way. */
  get isChecking(): boolean {
    return this.#isChecking
  }

  /** Asks for the company; a setup that was there before is what it tries again. */
  async provision(what: CallInput<'companies.provision'>): Promise<Result<unknown>> {
    const earlier = this.#withCurrent()
    const { again } = this
    const begun = await this.#changed('companies.provision', {
      ...what,
      ...(again === null ? {} : { again }),
    })
    if (begun.ok) this.#earlier = earlier
    return begun
  }

  /** **Stop waiting**: the setup may still finish, and is watched. */
  stopWaiting(): Promise<boolean> {
    return this.#ofMine((provisioningId) => this.#changed('companies.stopWaiting', { provisioningId }))
  }

  /** **Check now**: the list of companies is read once more. */
  async check(): Promise<void> {
    if (this.#isBusy) return
    this.#isChecking = true
    await this.#ofMine((provisioningId) => this.#changed('companies.lookForProvisioned', { provisioningId }))
    this.#isChecking = false
  }

  /** The person's word on the file, or giving up what was not sent. */
  decide(decision: CallInput<'companies.decideProvisioning'>['decision']): Promise<boolean> {
    return this.#ofMine((provisioningId) =>
      this.#changed('companies.decideProvisioning', { provisioningId, decision }),
    )
  }

  /** Back to the choices: a later try is still a second one of this. */
  setAside(): void {
    this.#earlier = this.#withCurrent()
    this.#provisioning = null
    this.clearError()
  }

  clearError(): void {
    this.#error = null
  }

  /** Takes in what became of it, when the main process says that something changed. */
  follow(provisionings: readonly Provisioning[]): void {
    const find = (wanted: Provisioning | null): Provisioning | undefined =>
      provisionings.find(({ provisioningId }) => provisioningId === wanted?.provisioningId)
    const mine = find(this.#provisioning)
    const arrived = this.#earlier
      .map((earlier) => find(earlier))
      .find((earlier) => earlier?.state === 'arrived')
    // The look right before sending again found an earlier one: nothing was sent, and that one is shown.
    if (mine?.state === 'dropped' && arrived) this.#provisioning = arrived
    else if (mine) this.#provisioning = mine
  }

  /** One thing at a time: a second click while the first is under way does nothing. */
  async busy(ask: () => Promise<Result<unknown>>): Promise<boolean> {
    if (this.#isBusy) return false
    this.#isBusy = true
    this.#error = null
    const answer = await ask()
    this.#isBusy = false
    if (!answer.ok) this.#error = errorToShow(answer.error)
    return answer.ok
  }

  #withCurrent(): readonly Provisioning[] {
    return this.#provisioning ? [this.#provisioning, ...this.#earlier] : this.#earlier
  }

  async #changed<
    Name extends
      | 'companies.provision'
      | 'companies.stopWaiting'
      | 'companies.lookForProvisioned'
      | 'companies.decideProvisioning',
  >(name: Name, input: CallInput<Name>): Promise<Result<unknown>> {
    const changed = await this.#api.call(name, input)
    if (changed.ok) this.#provisioning = changed.value
    return changed
  }

  async #ofMine(ask: (provisioningId: string) => Promise<Result<unknown>>): Promise<boolean> {
    const provisioningId = this.#provisioning?.provisioningId
    return provisioningId === undefined ? false : this.busy(() => ask(provisioningId))
  }
}

// Whose books a company belongs to: the users that the service knows of, seen through their companies.

export interface KnownUser {
  readonly userId: string
  /** Active ones first, each by name. */
  readonly companies: readonly Company[]
  /** The companies' names in one line. */
  readonly names: string
}

/** As a person orders them: *Client 12* stands before *Client 102*. */
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Users with their companies, by the companies' names; companies that name no user are passed over. */
export function knownUsers(companies: readonly Company[]): readonly KnownUser[] {
  const byUser = Map.groupBy(
    companies.filter((company) => company.userId !== ''),
    (company) => company.userId,
  )
  return [...byUser]
    .map(([userId, owned]): KnownUser => {
      const sorted = owned.toSorted(
        (left, right) =>
          Number(right.isActive) - Number(left.isActive) ||
          byName.compare(companyName(left), companyName(right)),
      )
      return { userId, companies: sorted, names: namesLine(sorted) }
    })
    .toSorted((left, right) => byName.compare(left.names, right.names))
}

/** Those of whom every word is found: in the names and files of their companies, or in their id. */
export function foundUsers(users: readonly KnownUser[], search: string): readonly KnownUser[] {
  const words = searchWords(search)
  return users.filter(({ userId, companies }) => {
    const texts = companies.flatMap(({ label, companyName: name, fullPath }) => [label, name, fullPath])
    const text = normalizeForSearch([userId, ...texts].join('\n'))
    return words.every((word) => text.includes(word))
  })
}

/**
 * The user that was chosen: by the companies that they have, or by their id where they have none that is known.
 * @param added the company that is being added: it tells nothing about its own owner
 */
export function userInWords(
  choices: Choices,
  companies: readonly Company[],
  added: CompanyRef | null,
): string {
  const userId = chosenUserId(choices)
  if (userId === null) return choices.user === 'new' ? 'New client' : ''
  const others = companies.filter(({ ref }) => !isSameCompany(ref, added))
  return knownUsers(others).find((known) => known.userId === userId)?.names ?? `User ${userId}`
}

function namesLine(companies: readonly Company[]): string {
  return companies
    .map((company) => (company.isActive ? companyName(company) : `${companyName(company)} (inactive)`))
    .join(', ')
}

// A label that these books had here before, under an earlier record of the same path.

/** The label to offer again for a company that was provisioned anew; empty when there was none. */
export function formerLabel(company: Company, companies: readonly Company[]): string {
  const path = company.fullPath.trim().toLowerCase()
  if (path === '') return ''
  const before = companies
    .filter((other) => other.ref.endpointId !== company.ref.endpointId && other.label !== '')
    .filter((other) => other.fullPath.trim().toLowerCase() === path)
    .toSorted((left, right) => right.openedAt.localeCompare(left.openedAt))
  return before[0]?.label ?? ''
}
