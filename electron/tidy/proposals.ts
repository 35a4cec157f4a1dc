/** Collects the proposals for one list, up to a limit for each kind, and gives each a key. */
import { createHash } from 'node:crypto'
import { says, type Sentence } from '../../shared/format/format.ts'
import {
  dismissedBy,
  type Proposal,
  type ProposedEdit,
  type TidiedList,
  TIDY_KIND_IDS,
  type TidyKind,
} from '../../shared/records/tidy.ts'
import type { Card } from './duplicates.ts'
import type { ListFields } from './list-fields.ts'

/** How many proposals of one kind a list shows at a time. The rest follow once these are decided. */
const MAX_PROPOSALS = 1_000

/** Kinds of proposals that only change the form of a value. */
const FORM_KINDS: ReadonlySet<TidyKind> = new Set(['phone', 'zip', 'state', 'blanks', 'casing'])

export const UNKNOWN_FIELDS = says`Bookbridge doesn’t know which fields this application can change. Get the list again.`

export class Proposals {
  /** The name of the list in keys. */
  readonly list: string
  readonly #fields: ListFields
  readonly #isDismissed: ReturnType<typeof dismissedBy>
  /** IDs of records with drafts. */
  readonly #drafted: ReadonlySet<string>
  readonly #proposals = new Map<TidyKind, Proposal[]>()
  /** Counts of the proposals that are still undecided, and of those whose records have drafts. */
  readonly #undecided = new Map<TidyKind, number>()
  readonly #withDrafts = new Map<TidyKind, number>()
  readonly #notChecked: TidyKind[] = []

  constructor(
    list: string,
    fields: ListFields,
    { dismissed, drafted }: { readonly dismissed: readonly string[]; readonly drafted: readonly string[] },
  ) {
    this.list = list
    this.#fields = fields
    this.#isDismissed = dismissedBy(dismissed)
    this.#drafted = new Set(drafted)
  }

  /** Proposes edits of one record. */
  propose(
    kind: TidyKind,
    card: Card,
    reason: Sentence,
    edits: readonly ProposedEdit[],
    key = this.keyOf(kind, card, edits),
  ): void {
    const { areKnown } = this.#fields
    const possible = edits.filter(({ path }) => this.#fields.canEdit(path))
    // A value that only has another form and can't be changed isn't worth mentioning.
    if (FORM_KINDS.has(kind) && possible.length === 0 && areKnown) return
    if (!this.reserve(kind, key, [card.id])) return
    const blockedReason =
      possible.length > 0
        ? []
        : edits.length === 0
          ? says`Only you know what is right. Open the record.`
          : areKnown
            ? says`This application can’t change it from here.`
            : UNKNOWN_FIELDS
    this.add({
      kind,
      key,
      reason,
      records: [{ recordId: card.id, name: card.fullName, edits: possible, blockedReason, facts: [] }],
    })
  }

  /** Adds a proposal that has a reserved place. */
  add(proposal: Proposal): void {
    const proposals = this.#proposals.get(proposal.kind)
    if (proposals) proposals.push(proposal)
    else this.#proposals.set(proposal.kind, [proposal])
  }

  /** Counts a proposal. Returns whether there is a place for it. */
  reserve(kind: TidyKind, key: string, recordIds: readonly string[]): boolean {
    if (this.isDismissed(kind, key)) return true
    const counts = recordIds.some((id) => this.#drafted.has(id)) ? this.#withDrafts : this.#undecided
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= MAX_PROPOSALS
  }

  isDismissed(kind: TidyKind, key: string): boolean {
    return this.#isDismissed({ kind, key })
  }

  /** Dismissing another form of a value concerns that value, not what its field has later. */
  keyOf(kind: TidyKind, { id }: Card, edits: readonly ProposedEdit[]): string {
    const key = `tidy-${kind}|${this.list}|${id}`
    return FORM_KINDS.has(kind)
      ? keyWithFacts(
          key,
          edits.map(({ path, was }) => [path, was]),
        )
      : key
  }

  markNotChecked(...kinds: readonly TidyKind[]): void {
    this.#notChecked.push(...kinds)
  }

  /** @param sharedIds what was proposed before a second record with the same ID came is dropped */
  finish(sharedIds: ReadonlySet<string>): TidiedList {
    if (sharedIds.size > 0) this.#drop(sharedIds)
    const proposals = TIDY_KIND_IDS.flatMap((kind) => this.#proposals.get(kind) ?? [])
    const more = [...this.#undecided].flatMap(([kind, count]) =>
      count > MAX_PROPOSALS ? [{ kind, count: count - MAX_PROPOSALS }] : [],
    )
    return { proposals, more, notChecked: this.#notChecked }
  }

  #drop(sharedIds: ReadonlySet<string>): void {
    for (const [kind, all] of this.#proposals) {
      const left = all.filter(({ records }) => records.every(({ recordId }) => !sharedIds.has(recordId)))
      this.#proposals.set(kind, left)
      this.#undecided.set(kind, (this.#undecided.get(kind) ?? 0) - (all.length - left.length))
    }
  }
}

/** A key that changes with the values that its proposal is about. */
export function keyWithFacts(key: string, facts: unknown): string {
  return `${key}#${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)}`
}
