/**
 * The setup of one company, for the wizard. The main process owns it, and it survives closing the dialog. This class
 * shows its state and passes on what the user decides.
 */
import { namedBooks } from '../../../shared/companies/companies.ts'
import type { Company, Provisioning } from '../../../shared/contract/companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { compareNaturally } from '../../../shared/format/text.ts'
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { companyName, isSameCompany } from '../../frame/session.svelte.ts'
import { errorToShow } from '../../ui/notices/errors.ts'
import { type Choices, chosenUserId } from './steps.ts'

/** A user of one of the attempts; `held`: it may have been created. */
interface MadeUser {
  readonly state: 'made' | 'held'
  /** Empty if held. */
  readonly userId: string
  /** When it was requested, ISO. */
  readonly at: string
}

export class Setup {
  #provisioning = $state.raw<Provisioning | null>(null)
  /** Earlier attempts, latest first. One of them is shown again if its company arrives after all. */
  #earlier = $state.raw<readonly Provisioning[]>([])
  #error = $state.raw<AppError | null>(null)
  #isBusy = $state(false)
  #isChecking = $state(false)
  readonly #api: Api

  /** @param before an attempt that the user went back from, which the next request repeats */
  constructor(api: Api, existing: Provisioning | null, before: Provisioning | null = null) {
    this.#api = api
    this.#provisioning = existing
    this.#earlier = before ? [before] : []
  }

  /** `null` until something is requested. */
  get provisioning(): Provisioning | null {
    return this.#provisioning
  }

  /** The ID of the setup that the next request repeats; `null` for a first attempt. */
  get again(): string | null {
    return this.#withCurrent()[0]?.provisioningId ?? null
  }

  /** The user that was created for these books, or may have been. The service can't list users. */
  get madeUser(): MadeUser | null {
    const users = this.#withCurrent().flatMap(({ newUser, userId }): readonly MadeUser[] => {
      if (newUser?.state !== 'made' && newUser?.state !== 'held') return []
      return newUser.askedAt === null ? [] : [{ state: newUser.state, userId, at: newUser.askedAt }]
    })
    return users.find(({ state }) => state === 'made') ?? users[0] ?? null
  }

  /** Why the last request failed. */
  get error(): AppError | null {
    return this.#error
  }

  /** A call to the main process is pending. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** **Check now** is under way. */
  get isChecking(): boolean {
    return this.#isChecking
  }

  /** Requests the company, as a repeat of an earlier setup if there is one. */
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

  /** **Stop waiting**: the setup may still finish, and Bookbridge keeps checking. */
  stopWaiting(): Promise<boolean> {
    return this.#ofMine((provisioningId) => this.#changed('companies.stopWaiting', { provisioningId }))
  }

  /** **Check now**: reads the list of companies again. */
  async check(): Promise<void> {
    if (this.#isBusy) return
    this.#isChecking = true
    await this.#ofMine((provisioningId) => this.#changed('companies.recheckProvisioning', { provisioningId }))
    this.#isChecking = false
  }

  /** Records the answer to step 5, or discards the setup. */
  decide(decision: CallInput<'companies.decideProvisioning'>['decision']): Promise<boolean> {
    return this.#ofMine((provisioningId) =>
      this.#changed('companies.decideProvisioning', { provisioningId, decision }),
    )
  }

  /** Returns to the choices. The next request still repeats this setup. */
  setAside(): void {
    this.#earlier = this.#withCurrent()
    this.#provisioning = null
    this.clearError()
  }

  clearError(): void {
    this.#error = null
  }

  /** Follows changes that the main process reports. */
  follow(provisionings: readonly Provisioning[]): void {
    const find = (wanted: Provisioning | null): Provisioning | undefined =>
      provisionings.find(({ provisioningId }) => provisioningId === wanted?.provisioningId)
    const mine = find(this.#provisioning)
    const arrived = this.#earlier
      .map((earlier) => find(earlier))
      .find((earlier) => earlier?.state === 'arrived')
    // The check before resending found the company of an earlier attempt. Nothing was sent, so that one is shown.
    if (mine?.state === 'dropped' && arrived) this.#provisioning = arrived
    else if (mine) this.#provisioning = mine
  }

  /** Runs one call at a time. A second click meanwhile does nothing. */
  async busy(ask: () => Promise<Result<unknown>>): Promise<boolean> {
    if (this.#isBusy) return false
    this.#isBusy = true
    this.#error = null
    const result = await ask()
    this.#isBusy = false
    if (!result.ok) this.#error = errorToShow(result.error)
    return result.ok
  }

  #withCurrent(): readonly Provisioning[] {
    return this.#provisioning ? [this.#provisioning, ...this.#earlier] : this.#earlier
  }

  async #changed<
    Name extends
      | 'companies.provision'
      | 'companies.stopWaiting'
      | 'companies.recheckProvisioning'
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

// The users that own companies. The service can't list users, so they come from the list of companies.

export interface KnownUser {
  readonly userId: string
  /** Active companies first, then by name. */
  readonly companies: readonly Company[]
  /** The companies' names in one line. */
  readonly names: string
}

/** Users with their companies, sorted by the companies' names. Skips companies without a user. */
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
          compareNaturally(companyName(left), companyName(right)),
      )
      return { userId, companies: sorted, names: namesLine(sorted) }
    })
    .toSorted((left, right) => compareNaturally(left.names, right.names))
}

/** Users that match every word, in their ID or in the names and files of their companies. */
export function foundUsers(users: readonly KnownUser[], search: string): readonly KnownUser[] {
  const terms = searchTerms(search)
  return users.filter(({ userId, companies }) => {
    const texts = companies.flatMap(({ label, companyName: name, fullPath }) => [label, name, fullPath])
    const text = normalizeForSearch([userId, ...texts].join('\n'))
    return terms.every((word) => text.includes(word))
  })
}

/**
 * The chosen user, named by their companies, or by their ID if none is known.
 * @param added the company being added, which doesn't identify its own owner
 */
export function formatUser(
  choices: Choices,
  companies: readonly Company[],
  added: CompanyRef | null,
): string {
  const userId = chosenUserId(choices)
  if (userId === null) return choices.user === 'new' ? newClient(choices) : ''
  const others = companies.filter(({ ref }) => !isSameCompany(ref, added))
  return knownUsers(others).find((known) => known.userId === userId)?.names ?? `User ${userId}`
}

/** *Juniper Ridge (new client)*: the company gives a new client its name. */
function newClient({ application, file }: Choices): string {
  const name = namedBooks({ application, expectedFile: file }).replace(/\.qb\w$/i, '')
  return name === '' ? 'New client' : `${name} (new client)`
}

function namesLine(companies: readonly Company[]): string {
  return companies
    .map((company) => (company.isActive ? companyName(company) : `${companyName(company)} (inactive)`))
    .join(', ')
}

// The label that these books had here earlier.

/** The label of an earlier company with the same path; empty if there is none. */
export function formerLabel(company: Company, companies: readonly Company[]): string {
  const path = company.fullPath.trim().toLowerCase()
  if (path === '') return ''
  const before = companies
    .filter((other) => other.ref.endpointId !== company.ref.endpointId && other.label !== '')
    .filter((other) => other.fullPath.trim().toLowerCase() === path)
    .toSorted((left, right) => right.openedAt.localeCompare(left.openedAt))
  return before[0]?.label ?? ''
}
