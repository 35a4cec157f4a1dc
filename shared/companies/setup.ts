/** Names of setups, and comparing the file that the user named with the one that the service returned. */
import type { Provisioning } from '../contract/companies.ts'
import { applicationName, isDesktop } from './companies.ts'

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
