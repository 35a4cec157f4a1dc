/** Which lists of a connection are kept on this computer, and **Read them now**. */
import type { BackgroundReading, CoveredList } from '../../shared/contract/all-companies.ts'
import type { CallOutput } from '../../shared/contract/contract.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'

export abstract class KeptListsModel {
  coverage = $state.raw<CallOutput<'allCompanies.coverage'> | null>(null)
  error = $state.raw<AppError | null>(null)
  /** Number of records that were used. */
  records = $state(0)
  /** Number of lists that are still being opened. */
  waiting = $state(0)
  protected readonly api: Api
  protected readonly connectionId: string

  constructor(api: Api, connectionId: string) {
    this.api = api
    this.connectionId = connectionId
  }

  get reading(): BackgroundReading | null {
    return this.coverage?.reading ?? null
  }

  /** The lists that **Read them now** is reading. */
  get toRead(): readonly CoveredList[] {
    return this.coverage?.lists.filter(({ coverage }) => coverage === 'old' || coverage === 'not-kept') ?? []
  }

  /** Whether this screen searches a list. */
  protected uses(_object: string): boolean {
    return true
  }

  /** Loads what the screen shows about the lists. */
  abstract load(): Promise<void>

  /** Loads now and whenever the kept lists change. Returns a function that ends this. */
  listen(): () => void {
    void this.load()
    return this.api.on('allCompanies.changed', ({ connectionId }) => {
      if (connectionId === this.connectionId) void this.load()
    })
  }

  async loadCoverage(): Promise<void> {
    const coverage = await this.api.call('allCompanies.coverage', { connectionId: this.connectionId })
    if (coverage.ok) {
      const lists = coverage.value.lists.filter(({ object }) => this.uses(object))
      this.coverage = { ...coverage.value, lists }
    } else this.error = coverage.error
  }

  async readNow(): Promise<void> {
    const lists = this.toRead.map(({ company, object }) => ({ endpointId: company.endpointId, object }))
    const begun = await this.api.call('allCompanies.read', { connectionId: this.connectionId, lists })
    this.error = begun.ok ? null : begun.error
    await this.loadCoverage()
  }

  async stopReading(): Promise<void> {
    await this.api.call('allCompanies.stopReading', { connectionId: this.connectionId })
  }
}
