/** The one run of de-provisioning that this window has. It outlives the screen, and whether its dialog is open. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { Api } from '../../api.ts'
import { companyName } from '../../frame/session.svelte.ts'
import { Deprovision } from './deprovision.svelte.ts'

export class DeprovisionDesk {
  /** What was asked for last; `null` before anything was. */
  current = $state.raw<Deprovision | null>(null)
  /** The dialog is open. */
  isShown = $state(false)
  readonly #api: Api
  readonly #settled: (summary: string) => void

  /** @param settled called with a sentence when there is a result and nobody looks at it */
  constructor(api: Api, settled: (summary: string) => void) {
    this.#api = api
    this.#settled = settled
  }

  /** What runs out of sight; `null` where nothing runs, or the dialog shows it. */
  get outOfSight(): Deprovision | null {
    return this.current?.isRunning && !this.isShown ? this.current : null
  }

  /** Those chosen, one call each, begun where nothing is to be chosen; a run that is still at work is shown instead. */
  ask(chosen: readonly Company[]): void {
    this.isShown = true
    if (this.current?.isRunning) return
    this.current = new Deprovision(this.#api, chosen)
    if (!this.current.hasChoice) void this.send()
  }

  /** Sends what is not sent yet. Where the person said no to the first, there is nothing to show. */
  async send(): Promise<void> {
    const { current } = this
    if (current === null) return
    await current.send()
    if (this.current !== current) return
    const isNothing = !current.isBegun && current.items.every(({ error }) => error === null)
    if (isNothing && !current.hasChoice) this.close()
    else if (!isNothing && !this.isShown)
      this.#settled(`De-provisioning ${subject(current)}: there is a result.`)
  }

  show(): void {
    this.isShown = this.current !== null
  }

  hide(): void {
    this.isShown = false
  }

  /** Sends no more; what is on its way can't be taken back. */
  close(): void {
    this.current?.stop()
    this.current = null
    this.isShown = false
  }
}

/** What is being de-provisioned: the company's name, or how many. */
export function subject({ items }: Deprovision): string {
  const [first, ...others] = items
  return first && others.length === 0 ? companyName(first.company) : `${items.length} companies`
}
