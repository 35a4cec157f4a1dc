/** What a company is called while it is being set up: by what the person named in step 3 of **Add company**. */
import type { Provisioning } from '../contract/companies.ts'
import { applicationName, isDesktop } from './companies.ts'

type NamedBooks = Pick<Provisioning, 'application' | 'expectedFile'>

/** The last part of a path of either system; the path itself when it has no parts. */
export function fileOf(path: string): string {
  const parts = path.trim().split(/[\\/]+/)
  return parts.findLast((part) => part !== '') ?? ''
}

/** Whether a text is a path from its drive, share, or root on, as stands for the name of books that have none. */
export function isWholePath(text: string): boolean {
  return /^\s*(?:[a-z]:[\\/]|\\\\|\/)/i.test(text)
}

/** What the person named in step 3: a desktop company's file without its folders, an online company's whole name. */
export function namedBooks({ application, expectedFile }: NamedBooks): string {
  return isDesktop(application) ? fileOf(expectedFile) : expectedFile.trim()
}

/** What a setup is called before there is a company. */
export function setupName(setup: NamedBooks): string {
  return namedBooks(setup) || `New ${applicationName(setup.application)} company`
}

// Compares the file that the service returned with the file that the person named.

/** `unnamed`: there is nothing to compare with; `no-path`: the service gave none, as for an online company. */
export type FileComparison = 'same' | 'same-name' | 'different' | 'unnamed' | 'no-path'

/** An extension as company files have it: a letter first, so that the `.10` of *Ridge v2.10* is part of its name. */
const EXTENSION = /\.[a-z][a-z0-9]{1,3}$/

/**
 * Compares a file as a person names it (a whole path, a name, a name without its extension) with a path as the
 * service writes it. Case, kinds of slashes, quotes and double blanks make no difference; `same` is the whole path,
 * `same-name` the file's name, where only a name was given.
 */
export function compareFile(named: string, returned: string): FileComparison {
  const left = plain(named)
  const right = plain(returned)
  if (left === '') return 'unnamed'
  if (right === '') return 'no-path'
  if (left === right) return 'same'
  // A whole path was named, and another one came back: the same name in another folder is another file.
  if (left.includes('/') && right.includes('/') && !right.endsWith(withoutDrive(left))) return 'different'
  return isSameName(fileOf(left), fileOf(right)) ? 'same-name' : 'different'
}

/** Compares the name of an online company as a person gives it with the one that the service returned. */
export function compareName(named: string, returned: string): FileComparison {
  const [left, right] = [plainName(named), plainName(returned)]
  if (left === '') return 'unnamed'
  if (right === '') return 'no-path'
  return left === right ? 'same' : 'different'
}

/** Whether books are those that were named: a desktop company by its file, an online one by its name. */
export function isNamed(
  { application, expectedFile }: { readonly application: string; readonly expectedFile: string },
  { fullPath, companyName }: { readonly fullPath: string; readonly companyName: string },
): boolean {
  const comparison = isDesktop(application)
    ? compareFile(expectedFile, fullPath)
    : compareName(expectedFile, companyName)
  return comparison === 'same' || comparison === 'same-name'
}

/** Either may be without its extension; two that both have one have to agree in it. */
function isSameName(left: string, right: string): boolean {
  return left === right || left === right.replace(EXTENSION, '') || left.replace(EXTENSION, '') === right
}

function plain(path: string): string {
  return plainName(path.trim().replace(/^["']+|["']+$/g, '')).replace(/[\\/]+/g, '/')
}

function plainName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()
}

/** The agent may see a drive under another letter or as a share, so a path is compared from its first folder on. */
function withoutDrive(path: string): string {
  return path.replace(/^[a-z]:/, '')
}
