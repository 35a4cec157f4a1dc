/** The lists that were opened in this window, so that one opened before stands there at once, with its drafts. */
import { companyKey } from '../../../shared/companies/companies.ts'
import { tick } from 'svelte'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch } from '../../../shared/contract/records.ts'
import type { Api } from '../../api.ts'
import { RecordsList } from './records-list.svelte.ts'
import { RecordsView } from '../screen/records-view.svelte.ts'

/** Larger lists kept at a time than this are given back, the one used longest ago first. */
const MOST_LISTS = 6

/** A view, and what ends all that it derives. */
interface Kept {
  readonly view: RecordsView
  readonly end: () => void
}

declare module '../../frame/session.svelte.ts' {
  interface ScreenState {
    records: Lists
  }
}

export class Lists {
  readonly #api: Api
  readonly #views = new Map<string, Kept>()
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
        this.#views
          .get(companyKey(event.company, event.object.toLowerCase()))
          ?.view.list.outcomes.report(event)
      }),
      this.#api.on('records.progress', (event) => {
        this.#views.get(companyKey(event.company, event.object.toLowerCase()))?.view.list.reader.report(event)
      }),
    ]
  }

  /** Gives every list back. */
  close(): void {
    for (const stop of this.#stops) stop()
    for (const kept of this.#views.values()) giveBack(kept)
    this.#views.clear()
  }

  /** The view of a list, made when it is first asked for. Gives nothing back: it is asked for where state is derived. */
  view(company: CompanyRef, object: string): RecordsView {
    const key = companyKey(company, object.toLowerCase())
    const known = this.#views.get(key)
    if (known) {
      this.#views.delete(key)
      this.#views.set(key, known)
      return known.view
    }
    const kept = this.#make(company, object)
    this.#views.set(key, kept)
    return kept.view
  }

  /**
   * Gives back what was used longest ago of more lists than are kept; called in an effect. One that is shown or at
   * work stays, and so does one with something typed that is not on disk yet. The newest is about to be shown.
   */
  giveBackOldest(): void {
    for (const [key, kept] of [...this.#views].slice(0, -1)) {
      if (this.#views.size <= MOST_LISTS) return
      if (isNeeded(kept.view.list)) continue
      giveBack(kept)
      this.#views.delete(key)
    }
  }

  /** In a root of its own: what a list derives must not end with the screen that asked for it first. */
  #make(company: CompanyRef, object: string): Kept {
    let view: RecordsView | undefined
    const end = $effect.root(() => {
      const list = new RecordsList(this.#api, company, object, (batch) => this.#onend(made, batch))
      const made = new RecordsView(list)
      view = made
    })
    if (!view) throw new Error('A root runs at once.')
    return { view, end }
  }
}

function isNeeded({ reader, sending, editing, book, grid }: RecordsList): boolean {
  return reader.isBusy || sending.isAtWork || editing.isAtWork || book.hasUnsaved || grid !== null
}

/** Ends what the list derives after the screen that still shows it is gone. */
function giveBack({ view, end }: Kept): void {
  view.list.dispose()
  void tick().then(end)
}
