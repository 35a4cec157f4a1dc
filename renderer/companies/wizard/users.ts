/** Whose books a company belongs to: the users that the service knows of, seen through their companies. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { companyName, isSameCompany } from '../../frame/session.svelte.ts'
import { chosenUserId, type Choices } from './steps.ts'
import { searched, searchedWords } from '../../ui/found.ts'

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
  const words = searchedWords(search)
  return users.filter(({ userId, companies }) => {
    const texts = companies.flatMap(({ label, companyName: name, fullPath }) => [label, name, fullPath])
    const text = searched([userId, ...texts].join('\n'))
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
  if (userId === null) return choices.user === 'new' ? 'A new user' : ''
  const others = companies.filter(({ ref }) => !isSameCompany(ref, added))
  return knownUsers(others).find((known) => known.userId === userId)?.names ?? `User ${userId}`
}

function namesLine(companies: readonly Company[]): string {
  return companies
    .map((company) => (company.isActive ? companyName(company) : `${companyName(company)} (inactive)`))
    .join(', ')
}
