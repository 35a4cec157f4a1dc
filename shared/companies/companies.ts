/** The accounting applications by short code (specification, 1), companies' IDs and names, and their files. */
import type { Provisioning } from '../contract/companies.ts'
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

// Files and setups: how they are named until there is a company.

type NamedBooks = Pick<Provisioning, 'application' | 'expectedFile'>

/** The last part of a Windows or Unix path. */
export function fileNameOf(path: string): string {
  const parts = path.trim().split(/[\\/]+/)
  return parts.findLast((part) => part !== '') ?? ''
}

/** Whether a text is a whole path, with its drive, share, or root. */
export function isWholePath(text: string): boolean {
  return /^\s*(?:[a-z]:[\\/]|\\\\|\/)/i.test(text)
}

/** The books that the user named in step 3: a desktop company's file without folders, or an online company's name. */
export function namedBooks({ application, expectedFile }: NamedBooks): string {
  return isDesktop(application) ? fileNameOf(expectedFile) : expectedFile.trim()
}

/** The name of a setup until there is a company. */
export function setupName(setup: NamedBooks): string {
  return namedBooks(setup) || `New ${applicationName(setup.application)} company`
}

// Compares the file that the service returned with the file that the user named.

/** `unnamed`: the user named none. `no-path`: the service returned none, for example for an online company. */
export type FileComparison = 'same' | 'same-name' | 'different' | 'unnamed' | 'no-path'

/** A company file's extension. It starts with a letter, so the `.10` in *Ridge v2.10* belongs to the name. */
const EXTENSION = /\.[a-z][a-z0-9]{1,3}$/

/**
 * Compares a file as a user names it (a whole path, a name, or a name without its extension) with the service's path.
 * Ignores case, the kind of slashes, quotes, and repeated spaces. `same` means the whole path, `same-name` only the name.
 */
export function compareFile(named: string, returned: string): FileComparison {
  const left = plain(named)
  const right = plain(returned)
  if (left === '') return 'unnamed'
  if (right === '') return 'no-path'
  if (left === right) return 'same'
  // A whole path was named, so the same name in another folder is another file.
  if (left.includes('/') && right.includes('/') && !right.endsWith(withoutDrive(left))) return 'different'
  return isSameName(fileNameOf(left), fileNameOf(right)) ? 'same-name' : 'different'
}

/** Compares an online company's name with the one that the service returned. */
export function compareName(named: string, returned: string): FileComparison {
  const [left, right] = [plainName(named), plainName(returned)]
  if (left === '') return 'unnamed'
  if (right === '') return 'no-path'
  return left === right ? 'same' : 'different'
}

/** Whether these are the named books: by file for a desktop company, by name for an online one. */
export function isNamed(
  { application, expectedFile }: { readonly application: string; readonly expectedFile: string },
  { fullPath, companyName }: { readonly fullPath: string; readonly companyName: string },
): boolean {
  const comparison = isDesktop(application)
    ? compareFile(expectedFile, fullPath)
    : compareName(expectedFile, companyName)
  return comparison === 'same' || comparison === 'same-name'
}

/** Either name may lack its extension. If both have one, they must match. */
function isSameName(left: string, right: string): boolean {
  return left === right || left === right.replace(EXTENSION, '') || left.replace(EXTENSION, '') === right
}

function plain(path: string): string {
  return plainName(path.trim().replace(/^["']+|["']+$/g, '')).replace(/[\\/]+/g, '/')
}

function plainName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** A path from its first folder, because the agent may see the drive under another letter or as a share. */
function withoutDrive(path: string): string {
  return path.replace(/^[a-z]:/, '')
}
