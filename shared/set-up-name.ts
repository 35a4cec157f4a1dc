/** What a company is called while it is being set up: by what the person named in step 3 of **Add company**. */
import { applicationName, isDesktop } from './applications.ts'
import type { Provisioning } from './contract/companies.ts'

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

/** What a set-up is called before there is a company. */
export function setUpName(setUp: NamedBooks): string {
  return namedBooks(setUp) || `New ${applicationName(setUp.application)} company`
}
