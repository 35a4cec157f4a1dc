/** What a company is called: the same in the window, on requests, in the log, and in files. Pure. */
import type { CompanyRef } from './contract/parts.ts'
import { shownText } from './shown-text.ts'

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
