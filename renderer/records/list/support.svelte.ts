/**
 * Which fields of a list the company's application supports. The metadata is read when the list is opened, and
 * again when the list is read again, because the application may have been updated or reconfigured.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { FieldSupport } from '../../../shared/contract/records.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'

interface SupportPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Called when other fields can be changed. */
  readonly onchange: () => void
}

/** A response stays fresh this long, in ms, because opening a list and reading it usually go together. */
const FRESH_FOR = 60_000

export class ListSupport {
  readonly #ports: SupportPorts
  /** `null` while it is loading for the first time. */
  current = $state.raw<FieldSupport | null>(null)
  readonly #names = $derived(this.current?.supported ? new Set(this.current.supported) : null)
  #askedAt = Number.NEGATIVE_INFINITY
  /** Whether `current` comes from a saved copy, so that the metadata still has to be read. */
  #isKept = false

  constructor(ports: SupportPorts) {
    this.#ports = ports
  }

  /** The names of the supported fields; `null` while unknown. */
  get names(): ReadonlySet<string> | null {
    return this.#names
  }

  /** Reads the metadata unless it was already read in this run. Nothing can be changed until it is known. */
  async ask(): Promise<void> {
    if (this.current?.supported && !this.#isKept) return
    this.#askedAt = clock.elapsed()
    const asked = await this.#request(false)
    if (asked.supported === null && this.current?.supported) return
    this.#isKept = false
    this.#take(asked)
  }

  /** Uses the metadata that was saved with a copy of the list until it can be read. */
  restore(supported: readonly string[]): void {
    if (this.current?.supported) return
    this.#isKept = true
    this.#take({ supported, error: null })
  }

  /** Reads the metadata again after a read, in the background. If that fails, the known fields stay. */
  async askAfterRead(): Promise<void> {
    const isFresh = clock.elapsed() - this.#askedAt < FRESH_FOR
    this.#askedAt = Number.NEGATIVE_INFINITY
    if (isFresh) return
    const asked = await this.#request(true)
    if (asked.supported !== null || !this.current?.supported) this.#take(asked)
  }

  async #request(refresh: boolean): Promise<FieldSupport> {
    const { api, company, object } = this.#ports
    const asked = await api.call('records.support', { company, object, ...(refresh ? { refresh } : {}) })
    return asked.ok ? asked.value : { supported: null, error: asked.error }
  }

  #take(support: FieldSupport): void {
    if (JSON.stringify(support) === JSON.stringify(this.current)) return
    this.current = support
    this.#ports.onchange()
  }
}

// Fields that several applications have in common, for preparing data for all of them.

interface OverlapPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
}

export class CommonFields {
  readonly #ports: OverlapPorts
  /** Short codes of the applications to prepare data for; empty for only the company's own. */
  applications = $state.raw<readonly string[]>([])
  /** Paths of the fields that all of them support; `null` if nothing is chosen or while unknown. */
  fields = $state.raw<ReadonlySet<string> | null>(null)
  isAsking = $state(false)
  error = $state.raw<AppError | null>(null)

  constructor(ports: OverlapPorts) {
    this.#ports = ports
  }

  /** Reads the common fields from the metadata. The columns stay as they are until then. */
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
    // Another choice was made in the meantime.
    if (this.applications !== applications) return
    this.isAsking = false
    const supported = asked.ok ? asked.value.supported : null
    this.error = asked.ok ? asked.value.error : asked.error
    this.fields = supported === null ? null : new Set(supported)
  }
}
