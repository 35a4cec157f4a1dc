/** The accounting applications by short code (specification, 1), and companies' IDs and names. */
import type { CompanyRef } from '../contract/parts.ts'
import { shownText } from '../format/text.ts'

/** The codes in the specification (1), in the order in which they are offered. */
export const APPLICATIONS = ['qbd', 'qbo'] as const

/** The name for a short code. An unknown code stands for itself. */
export function applicationName(code: string): string {
  switch (code.toLowerCase()) {
    case 'qbd':
      return 'Desktop'
    case 'qbo':
      return 'Online'
    default:
      return code === '' ? 'Unknown' : code
  }
}

/** Whether companies of this application have a file and an agent. */
export function isDesktop(code: string): boolean {
  return code.toLowerCase() !== 'qbo'
}

// IDs of companies. Services don't always spell them the same way, so case and surrounding spaces are ignored.

/** A key that is equal for all spellings of an ID. */
export function companyIdKey(endpointId: string): string {
  return endpointId.trim().toLowerCase()
}

export function isSameId(left: string, right: string): boolean {
  return companyIdKey(left) === companyIdKey(right)
}

/** Finds the item with this ID. An exact spelling takes precedence. */
export function byCompanyId<One>(
  all: readonly One[],
  endpointId: string,
  idOf: (one: One) => string,
): One | undefined {
  return all.find((one) => idOf(one) === endpointId) ?? all.find((one) => isSameId(idOf(one), endpointId))
}

/** A map key for a company, or for one of its lists, whatever the case of the list's name. */
export function companyKey({ connectionId, endpointId }: CompanyRef, list?: string): string {
  const company = [connectionId, endpointId]
  return JSON.stringify(list === undefined ? company : [...company, list.toLowerCase()])
}

// A company's name, the same in the window, the log, and files. Pure.

/** What a company's name depends on. */
interface NamedCompany {
  /** The user's name for it; may be empty. */
  readonly label: string
  /** The service's name; may be empty. */
  readonly companyName: string
  readonly fullPath: string
  readonly ref: CompanyRef
}

/** The label, or else the service's name, the file's path, or the ID. Never empty. */
export function displayName({ label, companyName, fullPath, ref }: NamedCompany): string {
  return [label, companyName, fullPath].map(shownText).find((name) => name.trim() !== '') ?? ref.endpointId
}
