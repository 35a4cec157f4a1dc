/** Preparing data for several applications: a list shows only the fields that all of them take. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
}

export class Overlap {
  readonly #ports: Ports
  /** Short codes of the applications that are prepared for; empty for none but the company's own. */
  applications = $state.raw<readonly string[]>([])
  /** Paths of the fields that all of them take; `null` while nothing is chosen, or it is not known. */
  fields = $state.raw<ReadonlySet<string> | null>(null)
  isAsking = $state(false)
  error = $state.raw<AppError | null>(null)

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Asks metadata what all of these take; until it answers, the columns stay as they are. */
  async choose(applications: readonly string[]): Promise<void> {
    this.applications = applications
    this.error = null
    if (applications.length === 0) {
      this.fields = null
      return
    }
    const { api, company, object } = this.#ports
    this.isAsking = true
    const asked = await api.call('records.support', { company, object, applications: [...applications] })
    // Another choice was made meanwhile.
    if (this.applications !== applications) return
    this.isAsking = false
    const supported = asked.ok ? asked.value.supported : null
    this.error = asked.ok ? asked.value.error : asked.error
    this.fields = supported === null ? null : new Set(supported)
  }
}
