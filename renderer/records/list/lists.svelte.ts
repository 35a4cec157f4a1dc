/** The lists that were opened in this window, so that one opened before stands there at once, with its drafts. */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch } from '../../../shared/contract/records.ts'
import type { Api } from '../../api.ts'
import { RecordsList } from './records-list.svelte.ts'
import { RecordsView } from '../screen/records-view.svelte.ts'

/** Larger lists kept at a time than this are given back, the one used longest ago first. */
const MOST_LISTS = 6

declare module '../../frame/session.svelte.ts' {
  interface ScreenState {
    records: Lists
  }
}

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
        this.#views.get(companyKey(event.company, event.object.toLowerCase()))?.list.outcomes.report(event)
      }),
      this.#api.on('records.progress', (event) => {
        this.#views.get(companyKey(event.company, event.object.toLowerCase()))?.list.reader.report(event)
      }),
    ]
  }

  /** Gives every list back. */
  close(): void {
    for (const stop of this.#stops) stop()
    for (const { list } of this.#views.values()) list.dispose()
    this.#views.clear()
  }

  /** The view of a list, made when it is first asked for. Gives nothing back: it is asked for where state is derived. */
  view(company: CompanyRef, object: string): RecordsView {
    const key = companyKey(company, object.toLowerCase())
    const known = this.#views.get(key)
    if (known) {
      this.#views.delete(key)
      this.#views.set(key, known)
      return known
    }
    const made = this.#make(company, object)
    this.#views.set(key, made)
    return made
  }

  /**
   * Gives back what was used longest ago of more lists than are kept; called in an effect. One that is shown or at
   * work stays, and so does one with something typed that is not on disk yet. The newest is about to be shown.
   */
  giveBackOldest(): void {
    for (const [key, { list }] of [...this.#views].slice(0, -1)) {
      if (this.#views.size <= MOST_LISTS) return
      if (isNeeded(list)) continue
      list.dispose()
      this.#views.delete(key)
    }
  }

  /**
   * In a root of its own, because what a list derives must not end with the screen that asked for it first. The root has
   * no effects and is never ended: a screen that is leaving may read a list that was given back.
   */
  #make(company: CompanyRef, object: string): RecordsView {
    let view: RecordsView | undefined
    $effect.root(() => {
      const list = new RecordsList(this.#api, company, object, (batch) => this.#onend(made, batch))
      const made = new RecordsView(list)
      view = made
    })
    if (!view) throw new Error('A root runs at once.')
    return view
  }
}

function isNeeded({ reader, sending, editing, drafts, rows }: RecordsList): boolean {
  return reader.isBusy || sending.isAtWork || editing.isAtWork || drafts.hasUnsaved || rows.grid !== null
}
