/** The files that a run or a schedule makes. `OutputFields.svelte` draws the choice. */
import type { ReportFileKind } from '../../../shared/reports/runs.ts'

export class OutputChoice {
  fileKinds = $state.raw<ReadonlySet<ReportFileKind>>(new Set(['xlsx']))
  #combined = $state<boolean | null>(null)
  #pack = $state<boolean | null>(null)
  readonly #initial: () => { readonly combined: boolean; readonly pack: boolean }

  /** @param initial returns what holds until the user changes it */
  constructor(initial = () => ({ combined: false, pack: false })) {
    this.#initial = initial
  }

  /** One workbook of all reports. */
  get combined(): boolean {
    return this.#combined ?? this.#initial().combined
  }
  set combined(combined: boolean) {
    this.#combined = combined
  }

  /** A PDF pack with a cover for each company. */
  get pack(): boolean {
    return this.#pack ?? this.#initial().pack
  }
  set pack(pack: boolean) {
    this.#pack = pack
  }

  /** Why the choice is incomplete; `null` if it isn't. */
  get problem(): string | null {
    return this.fileKinds.size === 0 && !this.combined && !this.pack ? 'Choose what to save.' : null
  }

  choose(kind: ReportFileKind, isChosen: boolean): void {
    const next = new Set(this.fileKinds)
    if (isChosen) next.add(kind)
    else next.delete(kind)
    this.fileKinds = next
  }

  /** The choice as the calls expect it. */
  input(): { readonly fileKinds: ReportFileKind[]; readonly combined: boolean; readonly pack: boolean } {
    return { fileKinds: [...this.fileKinds], combined: this.combined, pack: this.pack }
  }
}
