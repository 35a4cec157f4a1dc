/** The lists that were opened in this window, so that one opened before stands there at once, with its drafts. */
import type { Batch, CompanyRef } from '../../shared/contract.ts'
import type { Api } from '../api.ts'
import { RecordsList } from './records-list.svelte.ts'
import { RecordsView } from './records-view.svelte.ts'

/** Larger lists kept at a time than this are given back, the one used longest ago first. */
const MOST_LISTS = 6

export class Lists {
  readonly #api: Api
  readonly #views = new Map<string, RecordsView>()
  #stops: readonly (() => void)[] = []
  readonly #onend: (view: RecordsView, batch: Batch) => void

  /** @param onend called when a batch has come to its end, whichever screen is shown */
  constructor(api: Api, onend: (view: RecordsView, batch: Batch) => void) {
    this.#api = api
    this.#onend = onend
  }

  /** Follows the main process until it is closed. */
  listen(): void {
    this.#stops = [
      this.#api.on('records.changed', (event) => {
        this.#views.get(keyOf(event.company, event.object))?.list.report(event)
      }),
      this.#api.on('records.progress', (event) => {
        this.#views.get(keyOf(event.company, event.object))?.list.reader.report(event)
      }),
    ]
  }

  /** Gives every list back. */
  close(): void {
    for (const stop of this.#stops) stop()
    for (const { list } of this.#views.values()) list.dispose()
    this.#views.clear()
  }

  /** The view of a list, made when it is first asked for. */
  view(company: CompanyRef, object: string): RecordsView {
    const key = keyOf(company, object)
    const known = this.#views.get(key)
    if (known) {
      this.#views.delete(key)
      this.#views.set(key, known)
      return known
    }
    const list = new RecordsList(this.#api, company, object, (batch) => this.#onend(made, batch))
    const made = new RecordsView(list)
    this.#views.set(key, made)
    this.#giveBackOldest()
    return made
  }

  #giveBackOldest(): void {
    for (const [key, { list }] of this.#views) {
      if (this.#views.size <= MOST_LISTS) return
      if (list.reader.isBusy || list.sending.isAtWork || list.grid) continue
      list.dispose()
      this.#views.delete(key)
    }
  }
}

function keyOf(company: CompanyRef, object: string): string {
  return JSON.stringify([company.connectionId, company.endpointId, object.toLowerCase()])
}
