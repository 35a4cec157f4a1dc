/** Which dialog of the history is open, if any: records that were sent, or changing some of them back. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { WhichSent as WhichToChangeBack } from '../../shared/contract/history.ts'
import type { Api } from '../api.ts'
import { ChangeBack } from './change-back.svelte.ts'
import { SentRecords, type WhichSent } from './sent-records.svelte.ts'

export class HistoryDesk {
  readonly #api: Api
  sent = $state.raw<SentRecords | null>(null)
  changeBack = $state.raw<ChangeBack | null>(null)

  constructor(api: Api) {
    this.#api = api
  }

  /** @param text only the records that it finds */
  showBatch(batchId: string, text = ''): void {
    this.#show({ of: 'batch', batchId }, text)
  }

  showRecord(company: CompanyRef, object: string, recordId: string): void {
    this.#show({ of: 'record', company, object, recordId }, '')
  }

  changeBackBatch(batchId: string): void {
    this.changeBackOf({ of: 'batch', batchId })
  }

  changeBackOf(which: WhichToChangeBack): void {
    this.sent = null
    this.changeBack = new ChangeBack(this.#api, which)
    void this.changeBack.read()
  }

  close(): void {
    this.sent = null
    this.changeBack = null
  }

  #show(which: WhichSent, text: string): void {
    this.changeBack = null
    this.sent = new SentRecords(this.#api, which, text)
    void this.sent.read()
  }
}
