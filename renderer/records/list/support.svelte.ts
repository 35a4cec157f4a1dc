/**
 * Which fields of a list the company's application takes: metadata is asked when the list is opened, and anew when it
 * is got again, because an application may have been updated, or set up otherwise, meanwhile.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { FieldSupport } from '../../../shared/contract/records.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

interface SupportPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Other fields can be changed now. */
  readonly onchange: () => void
}

/** An answer is not asked for again this soon, where no read lies between: opening a list and getting it go together. */
const STILL_NEW = 60_000

export class ListSupport {
  readonly #ports: SupportPorts
  /** `null` while it is asked for the first time. */
  current = $state.raw<FieldSupport | null>(null)
  readonly #names = $derived(this.current?.supported ? new Set(this.current.supported) : null)
  #askedAt = Number.NEGATIVE_INFINITY
  /** Whether `current` is from a copy, and metadata is still to be asked for. */
  #isKept = false

  constructor(ports: SupportPorts) {
    this.#ports = ports
  }

  /** The names of the fields; `null` while they are not known. */
  get names(): ReadonlySet<string> | null {
    return this.#names
  }

  /** Asks, unless it is known in this run. Until it answers, nothing can be changed. */
  async ask(): Promise<void> {
    if (this.current?.supported && !this.#isKept) return
    this.#askedAt = performance.now()
    const asked = await this.#asked(false)
    if (asked.supported === null && this.current?.supported) return
    this.#isKept = false
    this.#take(asked)
  }

  /** Takes what was known when a copy of the list was made, until metadata can be read. */
  restore(supported: readonly string[]): void {
    if (this.current?.supported) return
    this.#isKept = true
    this.#take({ supported, error: null })
  }

  /** After a read: asks anew, behind it. What was known stays where this can't be answered. */
  async askAfterRead(): Promise<void> {
    const isStillNew = performance.now() - this.#askedAt < STILL_NEW
    this.#askedAt = Number.NEGATIVE_INFINITY
    if (isStillNew) return
    const asked = await this.#asked(true)
    if (asked.supported !== null || !this.current?.supported) this.#take(asked)
  }

  async #asked(anew: boolean): Promise<FieldSupport> {
    const { api, company, object } = this.#ports
    const asked = await api.call('records.support', { company, object, ...(anew ? { anew } : {}) })
    return asked.ok ? asked.value : { supported: null, error: asked.error }
  }

  #take(support: FieldSupport): void {
    if (JSON.stringify(support) === JSON.stringify(this.current)) return
    this.current = support
    this.#ports.onchange()
  }
}

// Preparing data for several applications: a list shows only the fields that all of them take.

interface OverlapPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
}

export class Overlap {
  readonly #ports: OverlapPorts
  /** Short codes of the applications that are prepared for; empty for none but the company's own. */
  applications = $state.raw<readonly string[]>([])
  /** Paths of the fields that all of them take; `null` while nothing is chosen, or it is not known. */
  fields = $state.raw<ReadonlySet<string> | null>(null)
  isAsking = $state(false)
  error = $state.raw<AppError | null>(null)

  constructor(ports: OverlapPorts) {
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
