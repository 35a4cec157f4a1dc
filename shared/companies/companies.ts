/**
 * The accounting applications by their short codes (specification, 1). A code that we do not know stands for itself.
 */
import type { CompanyRef } from '../contract/parts.ts'
import { shownText } from '../format/text.ts'

/** The codes that the specification names (1), in the order in which they are offered. */
export const APPLICATIONS = ['qbd', 'qbo'] as const

/** The word for a short code. */
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

/** Only desktop companies have a file and an agent. */
export function isDesktop(code: string): boolean {
  return code.toLowerCase() !== 'qbo'
}

/*
 * Ids of companies. A service does not write one alike everywhere: they are told apart without case and outer blanks.
 */

/** What two spellings of one id have in common. */
export function companyIdKey(endpointId: string): string {
  return endpointId.trim().toLowerCase()
}

export function isSameId(left: string, right: string): boolean {
  return companyIdKey(left) === companyIdKey(right)
}

/** The one of them with this id: as it is written where there is one, else in another spelling. */
export function byCompanyId<One>(
  all: readonly One[],
  endpointId: string,
  idOf: (one: One) => string,
): One | undefined {
  return all.find((one) => idOf(one) === endpointId) ?? all.find((one) => isSameId(idOf(one), endpointId))
}

/** What tells companies apart in a map, or one company’s lists. */
export function companyKey({ connectionId, endpointId }: CompanyRef, list?: string): string {
  return JSON.stringify(list === undefined ? [connectionId, endpointId] : [connectionId, endpointId, list])
}

// What a company is called: the same in the window, on requests, in the log, and in files. Pure.

/** What of a company says its name. */
interface NamedCompany {
  /** The person's own name for it; may be empty. */
  readonly label: string
  /** The service's name; a service may give none. */
  readonly companyName: string
  readonly fullPath: string
  readonly ref: CompanyRef
}

/** Our label, else the service's name, else the path of its file, else its id: never empty, and as it is shown. */
export function displayName({ label, companyName, fullPath, ref }: NamedCompany): string {
  return [label, companyName, fullPath].map(shownText).find((name) => name.trim() !== '') ?? ref.endpointId
}
