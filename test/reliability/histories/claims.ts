/**
 * Compares what the program reports with the truth in the books.
 *
 * The journal connects each operation with its effect, because it records *sending* before anything is sent. Whenever
 * the program reports an operation, and again at the end, when everything late has arrived and the service is honest:
 *
 * - *Saved* is true if this operation took effect on the record with the reported ID (any ID that the record has had
 * since) and, for a change, on the record that the user saw. *As sent* is true if the stored values are the sent ones.
 * A wrong claim about values is excused only while nothing that the program read could have shown it.
 * - *Saved* without an effect is excused if the response has a complete record with an ID and no earlier false response
 * of this service could have been detected. The first insert of a list is read back, so it is never excused.
 * - *Not accepted* and *not sent* are true if the operation never took effect.
 * - *Not there* and *still as before* are true if no read so far showed the effect and, for an insert, no response had
 * an ID for it. No one can know what is done or shown only later. An insert with a candidate next to it is not reported
 * as *not there*.
 * - *Was there before* is true if a record with that name is older than the first send.
 * - *There with other values* is true if the operation took effect.
 *
 * Lost: sent and not in the books, although nothing on screen says so. Doubled: one insert created two records, and a
 * read showed the first before the second was sent, but the user wasn't shown it next to the draft. Also doubled: the
 * first send took effect only after the second one (counted as `late`), the list has shown both, and the insert is
 * reported as saved without mentioning them.
 */
import type { Draft, Operation } from '../../../shared/contract/records.ts'
import {
  pathType,
  type RecordData,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { type Books, type Effect, idNow, latest, type SentItem, type WriteRequest } from './books.ts'

export const VIOLATIONS = [
  'lost',
  'doubled',
  'wrongly reported',
  'wrong record changed',
  'two at once',
  'sent in doubt',
  'sent without permission',
  'not in the journal',
  'copy gone or mixed',
] as const
export type Violation = (typeof VIOLATIONS)[number]

/** What the user typed into a record. */
interface Intent {
  readonly draftId: string
  readonly name: string
  readonly isInsert: boolean
  /** For a change, the record that the user saw. */
  readonly target: number | null
  isSent: boolean
  isDiscarded: boolean
}

interface TrackedOperation {
  readonly draftId: string
  view: Operation
  /** How often the user chose to send it. */
  permissions: number
  /** Records that were shown next to the draft when the user chose to send it again. */
  readonly shown: Set<number>
  /** Records that were reported as created by this insert. */
  readonly flagged: Set<number>
  isClaimed: boolean
}

export class ClaimChecker {
  readonly findings: { readonly wrong: Violation; readonly words: string }[] = []
  /** Doubled by a first sending that took effect too late for anyone to know. */
  late = 0
  readonly #books: Books
  readonly #object: string
  readonly #log: (words: string) => void
  readonly #now: () => number
  readonly #intents = new Map<string, Intent>()
  readonly #tracked = new Map<string, TrackedOperation>()
  readonly #checkedEffects = new Set<Effect>()
  readonly #reported = new Set<string>()

  constructor(books: Books, object: string, now: () => number, log: (words: string) => void) {
    this.#books = books
    this.#object = object
    this.#now = now
    this.#log = log
  }

  get size(): number {
    return this.#intents.size
  }

  report(wrong: Violation, words: string): void {
    const key = `${wrong}: ${words}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.findings.push({ wrong, words })
    this.#log(`!!! ${key}`)
  }

  recordEdit(draftId: string, name: string, target: number | null): void {
    const isInsert = target === null
    this.#intents.set(draftId, { draftId, name, isInsert, target, isSent: false, isDiscarded: false })
  }

  recordSend(draftIds: readonly string[]): void {
    for (const draftId of draftIds) {
      const intent = this.#intents.get(draftId)
      if (intent !== undefined) intent.isSent = true
    }
  }

  recordDiscard(draftId: string): void {
    const intent = this.#intents.get(draftId)
    if (intent !== undefined) intent.isDiscarded = true
  }

  recordResend(operation: Operation): void {
    const tracked = this.#tracked.get(operation.operationId)
    if (tracked === undefined) return
    tracked.permissions += 1
    for (const uid of this.#candidatesOf(operation)) tracked.shown.add(uid)
  }

  isResendConfirmed(operationId: string): boolean {
    return (this.#tracked.get(operationId)?.permissions ?? 0) > 1
  }

  /** The user chooses the record. If that is wrong, it is the user's mistake. */
  recordClaim({ operationId, draftId }: Operation): void {
    const tracked = this.#tracked.get(operationId)
    if (tracked !== undefined) tracked.isClaimed = true
    this.recordDiscard(draftId)
  }

  /** The records that are shown next to an operation. One may be shown only by an ID from a response. */
  #candidatesOf({ candidates, operationId }: Operation): readonly number[] {
    const ids = candidates.map((record) => textOf(record['ID']))
    const tracked = this.#effectsOf(operationId).filter(({ request }) =>
      ids.includes(itemOf(request, operationId)?.returnedId || 'none'),
    )
    return [...ids.flatMap((id) => this.#books.uidsSince(id, 0)), ...tracked.map(({ uid }) => uid)]
  }

  /** After the user has resolved a conflict, the rest is a change of the record that was found. */
  recordChoice({ draftId, kind }: Draft, uid: number | null): void {
    const intent = this.#intents.get(draftId)
    if (intent === undefined || kind !== 'change') return
    const effects = [...this.#tracked.values()]
      .filter((tracked) => tracked.draftId === draftId)
      .flatMap(({ view }) => this.#effectsOf(view.operationId))
    if (intent.isInsert && uid !== null && !effects.some((effect) => effect.uid === uid)) {
      this.report('wrongly reported', `“${intent.name}” turned into a change of another record (${uid})`)
    }
    if (!intent.isInsert && uid !== null && uid !== intent.target) {
      this.report(
        'wrongly reported',
        `what was to change record ${intent.target ?? 0} becomes a change of record ${uid}`,
      )
    }
    this.#intents.set(draftId, { ...intent, isInsert: false, target: uid, isSent: false })
  }

  /** Receives the operations that the window is told about. */
  onOperations(operations: readonly Operation[]): void {
    this.#checkEffects()
    for (const view of operations) {
      const tracked = this.#tracked.get(view.operationId)
      if (tracked === undefined) {
        this.#tracked.set(view.operationId, {
          draftId: view.draftId,
          view,
          permissions: 1,
          shown: new Set(),
          flagged: new Set(),
          isClaimed: false,
        })
        this.#logState(view)
        this.#check(view)
        continue
      }
      if (view.state === 'acked') for (const uid of this.#candidatesOf(view)) tracked.flagged.add(uid)
      const isNews =
        tracked.view.state !== view.state || tracked.view.lastRecheckedAt !== view.lastRecheckedAt
      tracked.view = view
      if (!isNews) continue
      this.#logState(view)
      this.#check(view)
    }
  }

  #logState(operation: Operation): void {
    const { recordName, state, recordId, error, notAsSent, confirmedByReading, candidates } = operation
    const more = [
      recordId,
      error === null ? '' : error.message,
      notAsSent.length > 0 ? `not as sent: ${notAsSent.map(({ path }) => path).join(', ')}` : '',
      confirmedByReading ? 'by reading' : '',
      candidates.length > 0
        ? `perhaps ${candidates.map((record) => `“${textOf(record['Name'])}” ${textOf(record['ID'])}`).join(', ')}`
        : '',
    ].filter((words) => words !== '')
    this.#log(`  reported: “${recordName}” ${state}${more.length > 0 ? ` (${more.join('; ')})` : ''}`)
  }

  /** Finds changes to a record that the user did not intend, and sends without permission. */
  #checkEffects(): void {
    for (const effect of this.#books.effects) {
      if (this.#checkedEffects.has(effect)) continue
      this.#checkedEffects.add(effect)
      const sent = itemOf(effect.request, effect.operationId)
      if (sent?.draft.operation?.kind !== 'change') continue
      const target = this.#intents.get(sent.draft.draftId)?.target ?? null
      if (target === null || target === effect.uid) continue
      this.report(
        'wrong record changed',
        `“${sent.draft.operation.recordName}” should have been changed (record ${target}), and record ${effect.uid} was`,
      )
    }
    for (const { operationId, draftId, view, permissions } of [...this.#tracked.values()].map((tracked) => ({
      ...tracked,
      operationId: tracked.view.operationId,
    }))) {
      const times = this.#books.writes.filter(
        ({ items, fate }) =>
          fate.answer !== 'never connected' && items.some((each) => each.operationId === operationId),
      ).length
      if (times > permissions) {
        this.report(
          'sent without permission',
          `“${view.recordName}” (${draftId}) was sent ${times} times, allowed ${permissions} times`,
        )
      }
    }
  }

  #check(view: Operation): void {
    const wrong = this.#contradiction(view)
    if (wrong !== '') this.report('wrongly reported', `“${view.recordName}” (${view.kind}) ${wrong}`)
  }

  #effectsOf(operationId: string): readonly Effect[] {
    return this.#books.effects.filter((effect) => effect.operationId === operationId)
  }

  #isThere({ uid }: Effect, at: number): boolean {
    const deletedAt = this.#books.byUid(uid)?.deletedAt ?? null
    return deletedAt === null || deletedAt > at
  }

  #contradiction(view: Operation): string {
    const effects = this.#effectsOf(view.operationId)
    const lookedAt = view.lastRecheckedAt === null ? 0 : Date.parse(view.lastRecheckedAt)
    switch (view.state) {
      case 'acked':
        return this.#tracked.get(view.operationId)?.isClaimed === true
          ? ''
          : this.#savedContradiction(view, effects)
      case 'rejected':
        return effects.some((effect) => this.#isThere(effect, this.#now()))
          ? 'is reported as not accepted, but it is there'
          : ''
      case 'queued':
        return effects.length > 0 && (this.#tracked.get(view.operationId)?.permissions ?? 1) === 1
          ? 'is reported as not sent yet, but it is there'
          : ''
      case 'held':
        return view.kind === 'insert'
          ? this.#notThereContradiction(view, effects, lookedAt)
          : this.#asBeforeContradiction(view, effects, lookedAt)
      case 'conflict':
        if (this.#tracked.get(view.operationId)?.isClaimed === true) return ''
        return this.#conflictContradiction(view, effects, lookedAt)
      case 'unknown':
      case 'sending':
        return ''
    }
  }

  #savedContradiction(view: Operation, effects: readonly Effect[]): string {
    const target = this.#intents.get(view.draftId)?.target ?? null
    if (effects.length === 0) {
      // The record may have the sent values because of another send or someone else.
      if (target !== null && this.#hasValues(view, target)) return ''
      // Someone else's record with all the sent values, while nothing else is known about ours.
      if (view.kind === 'insert' && view.confirmedByReading && this.#existsByOthers(view)) return ''
      return this.#isUndetectable(view.operationId) && !view.confirmedByReading
        ? ''
        : 'is reported as saved, but it is not in the books'
    }
    const isRight = effects.some((effect) => {
      if (view.kind === 'change') return effect.uid === target
      const tracked = itemOf(effect.request, view.operationId)
      return (
        tracked?.returnedId === view.recordId ||
        this.#books.uidsSince(view.recordId, effect.at).includes(effect.uid)
      )
    })
    if (!isRight) return 'is reported as saved on another record'
    const last = effects.at(-1)
    if (view.notAsSent.length > 0 || last === undefined) return ''
    const stored: RecordData = asRecord(last.version.fields)
    const otherwise = view.edits.filter(
      ({ path, now }) => !sameValue(pathType(this.#object, path), valueAt(this.#object, stored, path), now),
    )
    if (otherwise.length === 0 || !this.#couldSeeValues(last)) return ''
    return `is reported as saved as sent, but ${otherwise.map(({ path }) => `${path} is “${textOf(valueAt(this.#object, stored, path))}”`).join(', ')}`
  }

  /** Whether the program could know the values that the books stored. */
  #couldSeeValues(effect: Effect): boolean {
    if (effect.shownAt !== null) return true
    const first = this.#books.writes.find(
      ({ items, respondedAt }) => respondedAt !== null && items.length > 0,
    )
    return effect.request === first
  }

  #existsByOthers(view: Operation): boolean {
    const ours = new Set(this.#books.effects.map(({ uid }) => uid))
    return this.#books.records.some(({ uid }) => !ours.has(uid) && this.#hasValues(view, uid))
  }

  #hasValues({ edits }: Operation, uid: number): boolean {
    const record = this.#books.byUid(uid)
    return (record?.versions ?? []).some(({ fields }) =>
      edits.every(({ path, now }) =>
        sameValue(pathType(this.#object, path), valueAt(this.#object, asRecord(fields), path), now),
      ),
    )
  }

  /**
   * A response with a complete record, without any earlier sign that this service reports writes that it doesn't do.
   */
  #isUndetectable(operationId: string): boolean {
    const lie = this.#books.writes.find((request) => itemOf(request, operationId)?.isPhantom === true)
    if (lie === undefined || lie.respondedAt === null) return false
    const inserts = this.#books.writes.filter(
      ({ method, respondedAt }) => method === lie.method && respondedAt !== null,
    )
    if (inserts[0] === lie) return false
    const earlier = inserts.find(
      ({ items, number, respondedAt }) =>
        number < lie.number &&
        items.some(({ isPhantom }) => isPhantom) &&
        this.#books.wholeReadsAt.some((at) => at > (respondedAt ?? 0) && at < lie.at),
    )
    return earlier === undefined
  }

  #notThereContradiction(view: Operation, effects: readonly Effect[], lookedAt: number): string {
    // A record that the user has dismissed is not shown again.
    const shown = new Set([
      ...this.#candidatesOf(view),
      ...(this.#tracked.get(view.operationId)?.shown ?? []),
    ])
    const there = effects.filter((effect) => this.#isThere(effect, lookedAt) && !shown.has(effect.uid))
    if (there.some(({ shownAt }) => shownAt !== null && shownAt <= lookedAt)) {
      return 'is reported as not there, but the list shows it'
    }
    const candidateIds = new Set(view.candidates.map(({ ID }) => textOf(ID)))
    const toldOf = there.some(({ request, operationId }) => {
      const returnedId = itemOf(request, operationId)?.returnedId ?? ''
      return request.respondedAt !== null && returnedId !== '' && !candidateIds.has(returnedId)
    })
    return toldOf ? 'is reported as not there, although a response had its ID' : ''
  }

  #asBeforeContradiction(view: Operation, effects: readonly Effect[], lookedAt: number): string {
    const last = effects.at(-1)
    const record = last === undefined ? undefined : this.#books.byUid(last.uid)
    if (last === undefined || record === undefined) return ''
    const shown = this.#books.visible(record, lookedAt)
    const isSeen = last.shownAt !== null && last.shownAt <= lookedAt
    const isStill =
      shown !== null &&
      view.edits.every(({ path, now }) =>
        sameValue(pathType(this.#object, path), valueAt(this.#object, asRecord(shown), path), now),
      )
    if (isSeen && isStill) return 'is reported as unchanged, but the list shows the change'
    return view.rechecks < 2 ? 'is reported as unchanged after one recheck, but it was made' : ''
  }

  #conflictContradiction(view: Operation, effects: readonly Effect[], lookedAt: number): string {
    const message = view.error?.message ?? ''
    const there = effects.filter((effect) => this.#isThere(effect, lookedAt))
    const firstSent = this.#books.writes.find(({ items }) =>
      items.some((each) => each.operationId === view.operationId),
    )
    if (/already had a record with this name/.test(message)) {
      const older = this.#books.records.some(
        (record) =>
          record.createdAt < (firstSent?.at ?? this.#now()) &&
          record.versions.some(({ fields }) => nameKey(textOf(fields['Name'])) === nameKey(view.recordName)),
      )
      if (!older) return 'is reported to have existed before, but no such record did'
    }
    if (/no longer there/.test(message) && view.kind === 'change') {
      const target = this.#intents.get(view.draftId)?.target ?? null
      const record = target === null ? undefined : this.#books.byUid(target)
      const isShown = record !== undefined && this.#books.visible(record, lookedAt) !== null
      if (isShown && idNow(record) === view.recordId && lookedAt > 0)
        return 'is reported as deleted, but it is there'
    }
    if (/more than once/.test(message)) {
      const named = this.#books.alive.filter(
        (record) => nameKey(textOf(latest(record).fields['Name'])) === nameKey(view.recordName),
      )
      if (there.length < 2 && named.length < 2) return 'is reported as duplicated, but it is not'
    }
    if (view.kind === 'insert' && view.conflicts.length > 0 && there.length === 0) {
      return 'is reported to exist with other values, but it does not exist'
    }
    return ''
  }

  /** Called when everything late has arrived and the user has checked everything that can be checked. */
  checkEnd(drafts: readonly Draft[]): void {
    this.#checkEffects()
    const left = new Set(drafts.map(({ draftId }) => draftId))
    for (const { operation } of drafts) {
      if (operation === null) continue
      this.#check(operation)
      if (operation.state === 'sending') {
        this.report('wrongly reported', `“${operation.recordName}” is reported as being sent forever`)
      }
    }
    for (const intent of this.#intents.values()) {
      const tracked = [...this.#tracked.values()].filter(({ draftId }) => draftId === intent.draftId)
      const effects = tracked.flatMap(({ view }) => this.#effectsOf(view.operationId))
      const isSaved = tracked.some(({ view }) => view.state === 'acked')
      const isLie = tracked.some(({ view }) => this.#isUndetectable(view.operationId))
      // Someone else's record with all the values was taken for it, and the program ended before it reported that.
      const isAnothers = tracked.some(({ view }) => view.kind === 'insert' && this.#existsByOthers(view))
      const isGone = !intent.isDiscarded && !left.has(intent.draftId)
      if (isGone && effects.length === 0 && !isSaved && !isLie && !isAnothers) {
        this.report('lost', `“${intent.name}” is neither in the books nor on screen`)
      }
      if (intent.isInsert) this.#checkDuplicates(intent, tracked, effects)
    }
  }

  /**
   * The list had all of them and was read completely afterward, and the insert is reported as saved without mentioning
   * them.
   */
  #shouldHaveFlagged(records: readonly Effect[], tracked: readonly TrackedOperation[]): boolean {
    const shown = Math.max(...records.map(({ shownAt }) => shownAt ?? Number.POSITIVE_INFINITY))
    const isRead = this.#books.wholeReadsAt.some((at) => at > shown)
    const areThere = records.every((effect) => this.#isThere(effect, this.#now()))
    const isFlagged = tracked.some(({ flagged }) => records.filter(({ uid }) => flagged.has(uid)).length > 1)
    return isRead && areThere && !isFlagged && tracked.some(({ view }) => view.state === 'acked')
  }

  #checkDuplicates({ name }: Intent, tracked: readonly TrackedOperation[], effects: readonly Effect[]): void {
    const inserts = effects.filter((effect) => effect.request.method === 'POST')
    for (const [index, second] of inserts.toSorted((a, b) => a.request.at - b.request.at).entries()) {
      if (index === 0) continue
      const before = inserts.filter(
        (effect) => effect.request.at < second.request.at && this.#isThere(effect, second.at),
      )
      const wasShown = before.some(({ uid }) => tracked.some(({ shown }) => shown.has(uid)))
      if (wasShown || before.length === 0) continue
      const wasVisible = before.some(({ shownAt }) => shownAt !== null && shownAt < second.request.at)
      if (wasVisible)
        this.report(
          'doubled',
          `“${name}” is there twice, by #${before[0]?.request.number ?? 0} and #${second.request.number}`,
        )
      else {
        this.late += 1
        if (this.#shouldHaveFlagged([...before, second], tracked)) {
          this.report('doubled', `“${name}” is there twice, the first of them late, without being reported`)
        }
      }
    }
  }
}

function itemOf({ items }: WriteRequest, operationId: string): SentItem | undefined {
  return items.find((each) => each.operationId === operationId)
}

/** Stored values as the service returns them, for comparison. */
function asRecord(fields: Readonly<Record<string, unknown>>): RecordData {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      topField(name),
      typeof value === 'boolean' ? String(value) : value,
    ]),
  )
}
