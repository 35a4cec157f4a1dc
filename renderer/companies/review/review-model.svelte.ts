/** One client's month: its findings, the selected one, decisions, closing, and what has changed since. */
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { CompanyRef, SavedFile } from '../../../shared/contract/parts.ts'
import type { Review, ReviewedFinding, ReviewedRule } from '../../../shared/contract/review.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import { areReadEarly, nothingFound, type Severity, worstFirst } from '../../../shared/review/review.ts'
import type { RuleId } from '../../../shared/review/rules.ts'
import type { Api } from '../../api.ts'
import { errorToShow } from '../../ui/notices/errors.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'

/** Which findings are shown. */
export type FindingFilter = 'open' | 'decided' | 'all'

/** A rule with its visible findings, worst first. */
export interface FindingGroup {
  readonly rule: ReviewedRule
  readonly findings: readonly ReviewedFinding[]
}

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  wrong: 'Definitely wrong',
  likely: 'Probably wrong',
  check: 'There may be a reason',
}

export const SEVERITY_SIGNS: Readonly<Record<Severity, Outcome>> = {
  wrong: 'not-accepted',
  likely: 'caution',
  check: 'not-confirmed',
}

/** Rules with visible findings: worst first, otherwise in the order of the rules. */
function findingGroups(rules: readonly ReviewedRule[], filter: FindingFilter): readonly FindingGroup[] {
  const groups = rules.flatMap((rule): readonly FindingGroup[] => {
    const findings = rule.findings.filter(
      ({ decision }) => filter === 'all' || (decision === null) === (filter === 'open'),
    )
    return findings.length === 0 ? [] : [{ rule, findings }]
  })
  return worstFirst<ReviewedFinding, FindingGroup>(groups)
}

export class ReviewModel {
  readonly company: CompanyRef
  readonly month: string
  review = $state.raw<Review | null>(null)
  changes = $state.raw<CallOutput<'months.changes'> | null>(null)
  history = $state.raw<CallOutput<'months.history'> | null>(null)
  error = $state.raw<AppError | null>(null)
  filter = $state<FindingFilter>('open')
  /** Identifies the selected finding: its rule and key. */
  chosen = $state<string | null>(null)
  note = $state('')
  isBusy = $state(false)
  readonly #api: Api

  /** Whether what changed since closing is shown instead of the findings. */
  readonly #rules = $derived(this.review?.rules.filter(({ rule }) => rule !== 'changed-after-close') ?? [])
  readonly isClosed = $derived((this.changes?.closed ?? null) !== null)
  /** A month is closed with every finding decided, so there is nothing to filter until its books bring another. */
  readonly hasFilter = $derived(!this.isClosed || this.count('open') > 0)
  readonly groups = $derived(findingGroups(this.#rules, this.hasFilter ? this.filter : 'all'))
  readonly shown = $derived(
    this.groups.flatMap(({ rule, findings }) => findings.map((finding) => ({ rule, finding }))),
  )
  /** The selected finding. If it isn't visible, the first one. In a closed month, there is nothing left to decide. */
  readonly selected = $derived(
    this.shown.find(({ finding }) => findingKey(finding) === this.chosen) ??
      (this.isClosed ? null : (this.shown[0] ?? null)),
  )
  readonly notChecked = $derived(
    this.#rules.filter(({ result, reasons }) => result !== 'off' && reasons.length > 0),
  )
  readonly off = $derived(this.#rules.filter(({ result }) => result === 'off'))
  readonly clean = $derived(this.#rules.filter(({ result }) => result === 'clean'))
  /** Whether the month was not over when its statements were read. */
  readonly isEarly = $derived(areReadEarly(this.review?.readings ?? []))
  /** What to say if there are no findings. */
  readonly nothingFound = $derived(nothingFound(this.#rules))

  constructor(api: Api, company: CompanyRef, month: string) {
    this.#api = api
    this.company = company
    this.month = month
  }

  get #of() {
    return { company: this.company, month: this.month }
  }

  count(filter: FindingFilter): number {
    const findings = this.#rules.flatMap((rule) => rule.findings)
    if (filter === 'all') return findings.length
    return findings.filter(({ decision }) => (decision === null) === (filter === 'open')).length
  }

  async load(): Promise<void> {
    const [review, changes, history] = await Promise.all([
      this.#api.call('review.findings', this.#of),
      this.#api.call('months.changes', this.#of),
      this.#api.call('months.history', this.#of),
    ])
    if (review.ok) this.review = review.value
    if (changes.ok) this.changes = changes.value
    if (history.ok) this.history = history.value
    const failed = [review, changes, history].find(({ ok }) => !ok)
    if (failed?.ok === false) this.error = errorToShow(failed.error)
  }

  /** Selects the finding a number of places further down. */
  move(by: number): void {
    const at = this.selected === null ? 0 : this.shown.indexOf(this.selected) + by
    const next = this.shown[Math.min(this.shown.length - 1, Math.max(0, at))]
    if (next) this.chosen = findingKey(next.finding)
  }

  /** Decides on a finding, usually the selected one, and selects the next. Returns whether it succeeded. */
  async decide(kind: 'accept' | 'never' | 'undo', chosen = this.selected): Promise<boolean> {
    if (chosen === null || this.isBusy) return false
    const isDecided = chosen.finding.decision !== null
    if (isDecided !== (kind === 'undo')) return false
    const { key, amount } = chosen.finding
    const at = this.shown.indexOf(chosen)
    const next = this.shown[at + 1] ?? this.shown[at - 1]
    const input = { ...this.#of, key, amount }
    const note = this.note.trim()
    this.isBusy = true
    const result = await (kind === 'undo'
      ? this.#api.call('review.undo', input)
      : kind === 'accept'
        ? this.#api.call('review.accept', { ...input, note })
        : this.#api.call('review.never', { ...input, note }))
    this.isBusy = false
    if (!this.#showError(result) || !result.ok) return false
    this.note = ''
    this.review = result.value
    // If it stays visible, the next one is selected all the same.
    if (next) this.chosen = findingKey(next.finding)
    void this.#loadHistory()
    return true
  }

  /** Opens a decided finding again and selects it. Returns whether it succeeded. */
  async undo(key: string): Promise<boolean> {
    for (const rule of this.#rules) {
      const finding = rule.findings.find((each) => findingKey(each) === key)
      if (finding === undefined || !(await this.decide('undo', { rule, finding }))) continue
      this.chosen = key
      return true
    }
    return false
  }

  async checkAgain(rule: RuleId): Promise<boolean> {
    return this.#showError(await this.#api.call('review.checkAgain', { ...this.#of, rule }))
  }

  async close(note: string): Promise<boolean> {
    return this.#after(await this.#api.call('months.close', { ...this.#of, note }))
  }

  async reopen(note: string): Promise<boolean> {
    return this.#after(await this.#api.call('months.reopen', { ...this.#of, note }))
  }

  async acceptChange(note: string): Promise<boolean> {
    return this.#after(await this.#api.call('months.acceptChange', { ...this.#of, note }))
  }

  async savePack(format: 'pdf' | 'xlsx'): Promise<SavedFile | null> {
    const saved = await this.#api.call('months.savePack', { ...this.#of, format })
    void this.#loadHistory()
    return this.#showError(saved) && saved.ok ? saved.value : null
  }

  async #after(result: Result<unknown>): Promise<boolean> {
    const isDone = this.#showError(result)
    if (!isDone) return false
    // The finding that was decided last has nothing to do with what comes now.
    this.chosen = null
    await this.load()
    return true
  }

  async #loadHistory(): Promise<void> {
    const history = await this.#api.call('months.history', this.#of)
    if (history.ok) this.history = history.value
  }

  #showError(result: Result<unknown>): boolean {
    this.error = result.ok ? null : errorToShow(result.error)
    return result.ok
  }
}

/** Returns a key for a finding on the page, because two rules may use the same one. */
export function findingKey({ rule, key }: ReviewedFinding): string {
  return `${rule} ${key}`
}
