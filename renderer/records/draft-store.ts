/** The drafts of one list on this computer's disk, as the main process keeps them. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import type { UnsavedDraft } from './draft-saver.ts'
import { fromStored, type RowDraft } from './row-draft.ts'

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
}

export class DraftStore {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  async load(): Promise<Result<readonly RowDraft[]>> {
    const { api, company, object } = this.#ports
    const stored = await api.call('records.drafts', { company, object })
    return stored.ok ? ok(stored.value.map(fromStored)) : stored
  }

  /** @returns those that were refused; the others are on disk */
  async save(drafts: readonly RowDraft[]): Promise<Result<readonly UnsavedDraft[]>> {
    const { api, company, object } = this.#ports
    const saved = await api.call('records.saveDrafts', {
      company,
      object,
      drafts: drafts.map(({ draftId, kind, recordId, before, edits }) => ({
        draftId,
        kind,
        recordId,
        before,
        edits: Object.values(edits),
      })),
    })
    return saved.ok ? ok(saved.value.refused) : saved
  }
}
