/** **Tidy up**: the proposals for the kept lists of all companies, the checked ones, and the drafts made from them. */
import type { ListPosition, ShownChange } from '../../../shared/contract/all-companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { ListToTidy, ShownProposal } from '../../../shared/contract/tidy.ts'
import { type Format, formatSentence, type Sentence } from '../../../shared/format/format.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { TIDY_KIND_IDS, type TIDY_KINDS, type TidyKind } from '../../../shared/records/tidy.ts'
import { fieldValueText } from '../../../shared/records/value-text.ts'
import { MAX_CHANGED } from '../../../shared/runs.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'
import { KeptListsModel } from '../kept-lists.svelte.ts'

/** `open`: undecided. `dismissed`: not a problem, says the user. `drafts`: drafted, and perhaps sent. */
export type TidyView = 'open' | 'dismissed' | 'drafts'

type ListedRecord = ShownProposal['records'][number]
type PickedEdit = CallInput<'tidy.draft'>['picks'][number]['records'][number]['edits'][number]

/** A record of a proposal, as a row. */
export interface TidyRow {
  readonly id: string
  readonly list: ListToTidy
  readonly proposal: ShownProposal
  readonly record: ListedRecord
  /** Of duplicates: the one that stays. */
  readonly kept: ListedRecord | null
  readonly isKept: boolean
}

export class TidyModel extends KeptListsModel {
  lists = $state.raw<readonly ListToTidy[]>([])
  isLooking = $state(true)
  isDrafting = $state(false)
  view = $state<TidyView>('open')
  /** An endpoint ID; empty for all companies. */
  company = $state('')
  /** Empty for all lists. */
  object = $state('')
  kind = $state<TidyKind | null>(null)
  selectedId = $state<string | null>(null)
  /** Checked rows, by ID. */
  checked = $state.raw<ReadonlySet<string>>(new Set())
  /** The duplicate to keep, by the proposal's key, if the user chose another one. */
  #kept = $state.raw<ReadonlyMap<string, string>>(new Map())
  /** Counts scans, so that an earlier one ends when a later one begins. */
  #look = 0

  readonly #rows = $derived.by(() =>
    this.lists.filter((list) => this.#isShown(list)).flatMap((list) => this.#rowsOf(list)),
  )
  readonly #byKind = $derived(Map.groupBy(this.#rows, ({ proposal }) => proposal.kind))
  readonly #chosen = $derived(
    this.#rows.filter((row) => this.checked.has(row.id) && blockedReasonOf(row).length === 0),
  )

  /** Only lists that the data definition describes are checked. */
  protected override uses(object: string): boolean {
    return objectDefinition(object) !== undefined
  }

  /** Scans again, list by list. Earlier proposals of a list stay until its new ones arrive. */
  async load(): Promise<void> {
    const own = (this.#look += 1)
    this.isLooking = true
    await this.loadCoverage()
    const lists: ListToTidy[] = []
    let after: ListPosition | null = null
    do {
      const result: Awaited<ReturnType<typeof this.proposals>> = await this.proposals(after)
      if (own !== this.#look) return
      this.error = result.ok ? null : result.error
      if (!result.ok) break
      lists.push(...result.value.lists)
      after = result.value.next
      this.waiting = result.value.waiting
      const isLater = (list: ListToTidy): boolean => !lists.some((each) => placeOf(each) === placeOf(list))
      this.lists = after === null ? lists : [...lists, ...this.lists.filter(isLater)]
    } while (after !== null)
    this.records = this.lists.reduce((sum, { count }) => sum + count, 0)
    this.isLooking = false
  }

  proposals(after: ListPosition | null) {
    return this.api.call('tidy.proposals', { connectionId: this.connectionId, after })
  }

  /** The kinds of proposals found, most serious first. */
  get kinds(): readonly { readonly kind: TidyKind; readonly count: number; readonly checked: number }[] {
    return TIDY_KIND_IDS.flatMap((kind) => {
      const rows = this.#byKind.get(kind) ?? []
      if (rows.length === 0) return []
      const count = proposalsIn(rows) + this.#unlisted(kind)
      return [{ kind, count, checked: this.#chosen.filter(({ proposal }) => proposal.kind === kind).length }]
    })
  }

  /** How many proposals of the shown kind are listed; `null` if all are. */
  get part(): { readonly listed: number; readonly total: number } | null {
    const unlisted = this.shownKind === null ? 0 : this.#unlisted(this.shownKind)
    if (unlisted === 0) return null
    const listed = proposalsIn(this.rows)
    return { listed, total: listed + unlisted }
  }

  /** Number of proposals that follow once others of their kind and list are decided. */
  #unlisted(kind: TidyKind): number {
    if (this.view !== 'open') return 0
    return this.lists
      .filter((list) => this.#isShown(list))
      .flatMap(({ more }) => more.filter((each) => each.kind === kind))
      .reduce((sum, { count }) => sum + count, 0)
  }

  get found(): number {
    return this.kinds.reduce((sum, { count }) => sum + count, 0)
  }

  /** The chosen kind, or the first one. */
  get shownKind(): TidyKind | null {
    const kinds = this.kinds.map(({ kind }) => kind)
    return this.kind !== null && kinds.includes(this.kind) ? this.kind : (kinds[0] ?? null)
  }

  /** Also for the kind that is shown already: from then on, a more serious one that arrives doesn’t replace it. */
  chooseKind(kind: TidyKind): void {
    this.kind = kind
    this.selectedId = null
  }

  /** Once the user works on the shown kind, a more serious one that arrives doesn't replace it. */
  select(id: string | null): void {
    this.selectedId = id
    this.kind = this.shownKind
  }

  get rows(): readonly TidyRow[] {
    return this.shownKind === null ? [] : (this.#byKind.get(this.shownKind) ?? [])
  }

  get selected(): TidyRow | null {
    return this.rows.find(({ id }) => id === this.selectedId) ?? null
  }

  /** Checked rows of all kinds that the filter shows. */
  get chosen(): readonly TidyRow[] {
    return this.#chosen
  }

  /** Number of checked records. Several proposals for one record become one draft. */
  get chosenRecords(): ReadonlySet<string> {
    return new Set(this.#chosen.map(recordPlace))
  }

  get chosenCompanies(): number {
    return new Set(this.#chosen.map(({ list }) => list.company.endpointId)).size
  }

  /** Companies whose records can't be changed, with the reason. */
  get closed(): readonly ListToTidy[] {
    return [
      ...new Map(
        this.lists
          .filter(({ blockedReason }) => blockedReason !== '')
          .map((list) => [list.company.endpointId, list]),
      ).values(),
    ]
  }

  /** Lists without addresses, by the kind that could not be checked in them. */
  get notChecked(): ReadonlyMap<TidyKind, readonly ListToTidy[]> {
    const shown = this.lists.filter((list) => this.#isShown(list))
    return new Map(
      TIDY_KIND_IDS.map(
        (kind) => [kind, shown.filter(({ notChecked }) => notChecked.includes(kind))] as const,
      ).filter(([, lists]) => lists.length > 0),
    )
  }

  /** Number of proposals to decide. */
  get open(): number {
    return this.lists.reduce(
      (sum, { proposals, more }) =>
        sum +
        proposals.filter((each) => !each.isDismissed).length +
        more.reduce((rest, { count }) => rest + count, 0),
      0,
    )
  }

  get dismissed(): number {
    return this.lists.reduce(
      (sum, { proposals }) => sum + proposals.filter((each) => each.isDismissed).length,
      0,
    )
  }

  setChecked(rows: readonly TidyRow[], on: boolean): void {
    const next = new Set(this.checked)
    for (const row of rows) {
      if (on && blockedReasonOf(row).length === 0) next.add(row.id)
      else next.delete(row.id)
    }
    this.checked = next
  }

  /** Keeps another one of the duplicates. */
  keep({ list, proposal, record }: TidyRow): void {
    const place = placeOf(list, proposal)
    const ids = proposal.records.map(({ recordId }) => rowId(list, proposal, recordId))
    this.checked = new Set([...this.checked].filter((id) => !ids.includes(id)))
    this.#kept = new Map([...this.#kept, [place, record.recordId]])
  }

  /** Dismisses a proposal, or reverses that. */
  async dismiss(
    { list, proposal }: Pick<TidyRow, 'list' | 'proposal'>,
    isDismissed: boolean,
  ): Promise<boolean> {
    const { company } = list
    const done = await this.api.call('tidy.dismiss', { company, key: proposal.key, isDismissed })
    this.error = done.ok ? null : done.error
    if (!done.ok) return false
    const isIt = (each: ShownProposal): boolean => each.key === proposal.key
    this.lists = this.lists.map((each) =>
      each.company.endpointId === company.endpointId && each.proposals.some(isIt)
        ? { ...each, proposals: each.proposals.map((one) => (isIt(one) ? { ...one, isDismissed } : one)) }
        : each,
    )
    return true
  }

  /**
   * Creates a draft of each checked record, in changes of at most `MAX_CHANGED` records of one list. Records without a
   * draft stay checked. Returns the changes.
   */
  async draft(): Promise<readonly ShownChange[]> {
    if (this.isDrafting) return []
    this.isDrafting = true
    this.error = null
    const made: ShownChange[] = []
    for (const [object, rows] of Map.groupBy(this.#chosen, ({ list }) => list.object)) {
      // Proposals for the same record stay together.
      const records = [...Map.groupBy(rows, recordPlace).values()]
      for (let from = 0; from < records.length; from += MAX_CHANGED) {
        const some = records.slice(from, from + MAX_CHANGED).flat()
        const picks = picksOf(some)
        const result = await this.api.call('tidy.draft', { connectionId: this.connectionId, object, picks })
        if (!result.ok) {
          this.error = result.error
          break
        }
        made.push(result.value)
        this.setChecked(some, false)
      }
    }
    this.isDrafting = false
    void this.load()
    return made
  }

  #isShown({ company, object }: ListToTidy): boolean {
    return (
      (this.company === '' || company.endpointId === this.company) &&
      (this.object === '' || object === this.object)
    )
  }

  #rowsOf(list: ListToTidy): readonly TidyRow[] {
    const isDismissed = this.view === 'dismissed'
    return list.proposals
      .filter((proposal) => proposal.isDismissed === isDismissed)
      .flatMap((proposal) => {
        const chosen = this.#kept.get(placeOf(list, proposal))
        const [first = null] = proposal.records
        const kept =
          proposal.kind === 'duplicate'
            ? (proposal.records.find(({ recordId }) => recordId === chosen) ?? first)
            : null
        return proposal.records.map((record): TidyRow => ({
          id: rowId(list, proposal, record.recordId),
          list,
          proposal,
          record,
          kept,
          isKept: record === kept,
        }))
      })
  }
}

/** Duplicates are several rows of one proposal. */
function proposalsIn(rows: readonly TidyRow[]): number {
  return new Set(rows.map(({ list, proposal }) => placeOf(list, proposal))).size
}

function placeOf({ company, object }: ListToTidy, proposal?: ShownProposal): string {
  return JSON.stringify([company.endpointId, object, proposal?.key])
}

function recordPlace({ list, record }: TidyRow): string {
  return JSON.stringify([placeOf(list), record.recordId])
}

function rowId(list: ListToTidy, proposal: ShownProposal, recordId: string): string {
  return JSON.stringify([list.company.endpointId, list.object, proposal.key, recordId])
}

/**
 * Several proposals for one record become one draft. Of two for the same field, the more serious one counts.
 * @internal
 */
export function picksOf(rows: readonly TidyRow[]) {
  return [...Map.groupBy(rows, ({ list }) => list.company.endpointId)].map(([endpointId, own]) => ({
    endpointId,
    records: [...Map.groupBy(own, ({ record }) => record.recordId)].map(([recordId, those]) => ({
      recordId,
      edits: [
        ...new Map(
          those
            .toSorted((one, other) => gravity(other) - gravity(one))
            .flatMap(editsOf)
            .map((edit) => [edit.path, edit]),
        ).values(),
      ],
    })),
  }))
}

/** A duplicate becomes inactive only if the record that stays is still there when it is sent. */
function editsOf({ record, kept }: TidyRow): readonly PickedEdit[] {
  if (kept === null) return record.edits
  const keeps = { ID: kept.recordId, FullName: kept.name }
  return record.edits.map((edit) => (edit.path === 'IsActive' ? { ...edit, keeps } : edit))
}

/** The first kind is the most serious. */
function gravity({ proposal }: TidyRow): number {
  return TIDY_KIND_IDS.indexOf(proposal.kind)
}

// Formats rows. Pure functions.

/** Returns why a row has no checkbox; empty if it has one. */
export function blockedReasonOf({ list, proposal, record, isKept }: TidyRow): Sentence {
  if (isKept || proposal.isDismissed) return [' ']
  return list.blockedReason === '' ? record.blockedReason : [list.blockedReason]
}

export const WEIGHT_SIGNS: Readonly<Record<(typeof TIDY_KINDS)[TidyKind]['weight'], Outcome>> = {
  wrong: 'caution',
  check: 'not-confirmed',
  form: 'draft',
}

/** Formats the edits of a row: *415.555.0101 → (415) 555-0101 (Phone)*. */
export function formatTidyEdits({ list, proposal, record, isKept }: TidyRow, format: Format): string {
  if (isKept) return 'Stays as it is'
  // The panel shows the new name, which leaves room for the names of companies.
  if (proposal.kind === 'duplicate' && record.edits.some(({ path }) => path === 'Name'))
    return 'Inactive, renamed'
  return record.edits
    .map(({ path, was, now }) => {
      if (path === 'IsActive') return now === 'true' ? 'Becomes active' : 'Becomes inactive'
      const [before, after] = [was, now].map((value) => fieldValueText(list.object, path, value, format))
      return `${withDots(before ?? '')} → ${after ?? ''} (${pathHeading(list.object, path)})`
    })
    .join(' · ')
}

/** Shows extra spaces as dots. */
export function withDots(text: string): string {
  return text.replace(/^\s+|\s+$|\s{2,}|[^\S ]/g, (blanks) => '·'.repeat(blanks.length))
}

/** A field of two duplicates, side by side. */
export interface ComparedFact {
  readonly path: string
  readonly name: string
  /** Empty if it has none. */
  readonly kept: string
  readonly other: string
  readonly differs: boolean
}

/** Compares two duplicates field by field, those that differ first. */
export function compareFacts(
  { object }: ListToTidy,
  kept: ListedRecord,
  other: ListedRecord,
  format: Format,
): readonly ComparedFact[] {
  const textIn = ({ facts }: ListedRecord, path: string): string => {
    const fact = facts.find((each) => each.path === path)
    if (fact === undefined) return ''
    // Without its time: on which day a record was created is enough to tell records apart.
    return path === 'CreatedDate' ? format.day(fact.value) : fieldValueText(object, path, fact.value, format)
  }
  const paths = [...new Set([...kept.facts, ...other.facts].map(({ path }) => path))]
  const compared = [
    { path: 'Name', name: pathHeading(object, 'Name'), kept: kept.name, other: other.name },
    ...paths.map((path) => ({
      path,
      name: pathHeading(object, path),
      kept: textIn(kept, path),
      other: textIn(other, path),
    })),
    // Two records are never created at the same time, so this difference decides nothing.
  ].map((each) => ({ ...each, differs: each.path !== 'CreatedDate' && each.kept !== each.other }))
  return [...compared.filter(({ differs }) => differs), ...compared.filter(({ differs }) => !differs)]
}

/** Lists the facts of a duplicate, in two parts: what isn't the same in all of them, and what is. */
export function splitFacts(
  { list, proposal, record }: TidyRow,
  format: Format,
): { readonly own: string; readonly shared: string } {
  const isShared = ({ path, value }: ListedRecord['facts'][number]): boolean =>
    proposal.records.every(({ facts }) => facts.some((each) => each.path === path && each.value === value))
  const texts = (facts: ListedRecord['facts']): string =>
    facts
      .map(({ path, value }) => fieldValueText(list.object, path, value, format))
      .filter(Boolean)
      .join(' · ')
  return {
    own: texts(record.facts.filter((fact) => !isShared(fact))),
    shared: texts(record.facts.filter(isShared)),
  }
}

export function formatReason({ proposal }: TidyRow, format: Format): string {
  return formatSentence(proposal.reason, format)
}
