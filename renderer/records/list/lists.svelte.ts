/** The lists that were opened in this window. A list that was opened before reappears immediately, with its drafts. */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch } from '../../../shared/contract/records.ts'
import type { Api } from '../../api.ts'
import { RecordsView } from '../screen/records-view.svelte.ts'
import { RecordsList } from './records-list.svelte.ts'

/** Number of lists kept in memory. Beyond it, the least recently used ones are disposed of. */
const MAX_LISTS = 6

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

  /** @param onend called when a batch is done, whichever screen is shown */
  constructor(api: Api, onend: (view: RecordsView, batch: Batch) => void) {
    this.#api = api
    this.#onend = onend
  }

  /** Listens to the main process until `close`. */
  listen(): void {
    this.#stops = [
      this.#api.on('records.changed', (event) => {
        this.#views.get(companyKey(event.company, event.object))?.list.outcomes.report(event)
      }),
      this.#api.on('records.progress', (event) => {
        this.#views.get(companyKey(event.company, event.object))?.list.reader.report(event)
      }),
    ]
  }

  /** Disposes of all lists. */
  close(): void {
    for (const stop of this.#stops) stop()
    for (const { list } of this.#views.values()) list.dispose()
    this.#views.clear()
  }

  /** Returns the view of a list and creates it if needed. Disposes of nothing, because it is called in deriveds. */
  view(company: CompanyRef, object: string): RecordsView {
    const key = companyKey(company, object)
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
   * Disposes of the least recently used lists beyond the limit. Lists that are shown, busy, or have unsaved
   * edits stay, and so does the newest, which is about to be shown. Call it in an effect.
   */
  disposeOldest(): void {
    for (const [key, { list }] of [...this.#views].slice(0, -1)) {
      if (this.#views.size <= MAX_LISTS) return
      if (isNeeded(list)) continue
      list.dispose()
      this.#views.delete(key)
    }
  }

  /**
   * Creates a list in its own effect root, so that its deriveds outlive the screen that opened it first. The
   * root has no effects and is never destroyed, because a closing screen may still read a disposed list.
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
  return reader.isBusy || sending.isSending || editing.isBusy || drafts.hasUnsaved || rows.grid !== null
}
