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
import {
  textOf,
  topField,
  pathType,
  sameValue,
  valueAt,
  type RecordData,
} from '../../../shared/records/changes.ts'
import type { Draft, Operation } from '../../../shared/contract/records.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { idNow, latest, type Books, type Effect, type SentItem, type WriteRequest } from './books.ts'

export const WRONGS = [
  'lost',
  'doubled',
  'wrongly reported',
  'wrong record changed',
  'two at once',
  'sent in doubt',
  'sent without a word',
  'not in the journal',
  'copy gone or mixed',
] as const
export type Wrong = (typeof WRONGS)[number]

/** What the user typed into a record. */
interface Meant {
  readonly draftId: string
  readonly name: string
  readonly isInsert: boolean
  /** For a change, the record that the user saw. */
  readonly target: number | null
  isSent: boolean
  isDropped: boolean
}

interface Told {
  readonly draftId: string
  view: Operation
  /** How often the user chose to send it. */
  words: number
  /** Records that were shown next to the draft when the user chose to send it again. */
  readonly shown: Set<number>
  /** Records that were reported as created by this insert. */
  readonly flagged: Set<number>
  isClaimed: boolean
}

export class Claims {
  readonly findings: { readonly wrong: Wrong; readonly words: string }[] = []
  /** Doubled by a first sending that took effect too late for anyone to know. */
  late = 0
  readonly #books: Books
  readonly #object: string
  readonly #say: (words: string) => void
  readonly #now: () => number
  readonly #meant = new Map<string, Meant>()
  readonly #told = new Map<string, Told>()
  readonly #judgedEffects = new Set<Effect>()
  readonly #once = new Set<string>()

  constructor(books: Books, object: string, now: () => number, say: (words: string) => void) {
    this.#books = books
    this.#object = object
    this.#now = now
    this.#say = say
  }

  get size(): number {
    return this.#meant.size
  }

  find(wrong: Wrong, words: string): void {
    const key = `${wrong}: ${words}`
    if (this.#once.has(key)) return
    this.#once.add(key)
    this.findings.push({ wrong, words })
    this.#say(`!!! ${key}`)
  }

  typed(draftId: string, name: string, target: number | null): void {
    const isInsert = target === null
    this.#meant.set(draftId, { draftId, name, isInsert, target, isSent: false, isDropped: false })
  }

  sent(draftIds: readonly string[]): void {
    for (const draftId of draftIds) {
      const meant = this.#meant.get(draftId)
      if (meant !== undefined) meant.isSent = true
    }
  }

  dropped(draftId: string): void {
    const meant = this.#meant.get(draftId)
    if (meant !== undefined) meant.isDropped = true
  }

  sentAgain(operation: Operation): void {
    const told = this.#told.get(operation.operationId)
    if (told === undefined) return
    told.words += 1
    for (const uid of this.#candidatesOf(operation)) told.shown.add(uid)
  }

  isSaidAgain(operationId: string): boolean {
    return (this.#told.get(operationId)?.words ?? 0) > 1
  }

  /** The user chooses the record. If that is wrong, it is the user's mistake. */
  claimed({ operationId, draftId }: Operation): void {
    const told = this.#told.get(operationId)
    if (told !== undefined) told.isClaimed = true
    this.dropped(draftId)
  }

  /** The records that are shown next to an operation. One may be shown only by an ID from a response. */
  #candidatesOf({ candidates, operationId }: Operation): readonly number[] {
    const ids = candidates.map((record) => textOf(record['ID']))
    const told = this.#effectsOf(operationId).filter(({ request }) =>
      ids.includes(itemOf(request, operationId)?.returnedId || 'none'),
    )
    return [...ids.flatMap((id) => this.#books.uidsSince(id, 0)), ...told.map(({ uid }) => uid)]
  }

  /** After the user has resolved a conflict, the rest is a change of the record that was found. */
  chosen({ draftId, kind }: Draft, uid: number | null): void {
    const meant = this.#meant.get(draftId)
    if (meant === undefined || kind !== 'change') return
    const effects = [...this.#told.values()]
      .filter((told) => told.draftId === draftId)
      .flatMap(({ view }) => this.#effectsOf(view.operationId))
    if (meant.isInsert && uid !== null && !effects.some((effect) => effect.uid === uid)) {
      this.find('wrongly reported', `“${meant.name}” becomes a change of another record (${uid})`)
    }
    if (!meant.isInsert && uid !== null && uid !== meant.target) {
      this.find(
        'wrongly reported',
        `what was to change record ${meant.target ?? 0} becomes a change of record ${uid}`,
      )
    }
    this.#meant.set(draftId, { ...meant, isInsert: false, target: uid, isSent: false })
  }

  /** Receives the operations that the window is told about. */
  heard(operations: readonly Operation[]): void {
    this.#judgeEffects()
    for (const view of operations) {
      const told = this.#told.get(view.operationId)
      if (told === undefined) {
        this.#told.set(view.operationId, {
          draftId: view.draftId,
          view,
          words: 1,
          shown: new Set(),
          flagged: new Set(),
          isClaimed: false,
        })
        this.#sayState(view)
        this.#judge(view)
        continue
      }
      if (view.state === 'acked') for (const uid of this.#candidatesOf(view)) told.flagged.add(uid)
      const isNews = told.view.state !== view.state || told.view.lastRecheckedAt !== view.lastRecheckedAt
      told.view = view
      if (!isNews) continue
      this.#sayState(view)
      this.#judge(view)
    }
  }

  #sayState(operation: Operation): void {
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
    this.#say(`  told: “${recordName}” ${state}${more.length > 0 ? ` (${more.join('; ')})` : ''}`)
  }

  /** Finds changes to a record that the user did not intend, and sends without permission. */
  #judgeEffects(): void {
    for (const effect of this.#books.effects) {
      if (this.#judgedEffects.has(effect)) continue
      this.#judgedEffects.add(effect)
      const sent = itemOf(effect.request, effect.operationId)
      if (sent?.draft.operation?.kind !== 'change') continue
      const target = this.#meant.get(sent.draft.draftId)?.target ?? null
      if (target === null || target === effect.uid) continue
      this.find(
        'wrong record changed',
        `“${sent.draft.operation.recordName}” was to be changed (record ${target}), and record ${effect.uid} was`,
      )
    }
    for (const { operationId, draftId, view, words } of [...this.#told.values()].map((told) => ({
      ...told,
      operationId: told.view.operationId,
    }))) {
      const times = this.#books.writes.filter(
        ({ items, fate }) =>
          fate.answer !== 'never connected' && items.some((each) => each.operationId === operationId),
      ).length
      if (times > words) {
        this.find(
          'sent without a word',
          `“${view.recordName}” (${draftId}) left ${times} times by ${words} words`,
        )
      }
    }
  }

  #judge(view: Operation): void {
    const wrong = this.#wrongWord(view)
    if (wrong !== '') this.find('wrongly reported', `“${view.recordName}” (${view.kind}) ${wrong}`)
  }

  #effectsOf(operationId: string): readonly Effect[] {
    return this.#books.effects.filter((effect) => effect.operationId === operationId)
  }

  #isThere({ uid }: Effect, at: number): boolean {
    const deletedAt = this.#books.byUid(uid)?.deletedAt ?? null
    return deletedAt === null || deletedAt > at
  }

  #wrongWord(view: Operation): string {
    const effects = this.#effectsOf(view.operationId)
    const lookedAt = view.lastRecheckedAt === null ? 0 : Date.parse(view.lastRecheckedAt)
    switch (view.state) {
      case 'acked':
        return this.#told.get(view.operationId)?.isClaimed === true ? '' : this.#wrongSaved(view, effects)
      case 'rejected':
        return effects.some((effect) => this.#isThere(effect, this.#now()))
          ? 'is told not accepted, and it is there'
          : ''
      case 'queued':
        return effects.length > 0 && (this.#told.get(view.operationId)?.words ?? 1) === 1
          ? 'is told not sent yet, and it is there'
          : ''
      case 'held':
        return view.kind === 'insert'
          ? this.#wrongNotThere(view, effects, lookedAt)
          : this.#wrongAsBefore(view, effects, lookedAt)
      case 'conflict':
        if (this.#told.get(view.operationId)?.isClaimed === true) return ''
        return this.#wrongConflict(view, effects, lookedAt)
      case 'unknown':
      case 'sending':
        return ''
    }
  }

  #wrongSaved(view: Operation, effects: readonly Effect[]): string {
    const target = this.#meant.get(view.draftId)?.target ?? null
    if (effects.length === 0) {
      // The record may have the sent values because of another send or someone else.
      if (target !== null && this.#saysSo(view, target)) return ''
      // Someone else's record with all the sent values, while nothing else is known about ours.
      if (view.kind === 'insert' && view.confirmedByReading && this.#isSaidByAnothers(view)) return ''
      return this.#isExcusedLie(view.operationId) && !view.confirmedByReading
        ? ''
        : 'is told saved, and it is not in the books'
    }
    const isRight = effects.some((effect) => {
      if (view.kind === 'change') return effect.uid === target
      const told = itemOf(effect.request, view.operationId)
      return (
        told?.returnedId === view.recordId ||
        this.#books.uidsSince(view.recordId, effect.at).includes(effect.uid)
      )
    })
    if (!isRight) return 'is told saved, on another record than it was'
    const last = effects.at(-1)
    if (view.notAsSent.length > 0 || last === undefined) return ''
    const stored: RecordData = asRecord(last.version.fields)
    const otherwise = view.edits.filter(
      ({ path, now }) => !sameValue(pathType(this.#object, path), valueAt(this.#object, stored, path), now),
    )
    if (otherwise.length === 0 || !this.#couldSeeValues(last)) return ''
    return `is told saved as sent, and ${otherwise.map(({ path }) => `${path} is “${textOf(valueAt(this.#object, stored, path))}”`).join(', ')}`
  }

  /** Whether the program could know the values that the books stored. */
  #couldSeeValues(effect: Effect): boolean {
    if (effect.shownAt !== null) return true
    const first = this.#books.writes.find(
      ({ items, respondedAt }) => respondedAt !== null && items.length > 0,
    )
    return effect.request === first
  }

  #isSaidByAnothers(view: Operation): boolean {
    const ours = new Set(this.#books.effects.map(({ uid }) => uid))
    return this.#books.records.some(({ uid }) => !ours.has(uid) && this.#saysSo(view, uid))
  }

  #saysSo({ edits }: Operation, uid: number): boolean {
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
  #isExcusedLie(operationId: string): boolean {
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

  #wrongNotThere(view: Operation, effects: readonly Effect[], lookedAt: number): string {
    // A record that the user has dismissed is not shown again.
    const shown = new Set([...this.#candidatesOf(view), ...(this.#told.get(view.operationId)?.shown ?? [])])
    const there = effects.filter((effect) => this.#isThere(effect, lookedAt) && !shown.has(effect.uid))
    if (there.some(({ shownAt }) => shownAt !== null && shownAt <= lookedAt)) {
      return 'is told not there, and the list shows it'
    }
    const candidateIds = new Set(view.candidates.map(({ ID }) => textOf(ID)))
    const toldOf = there.some(({ request, operationId }) => {
      const returnedId = itemOf(request, operationId)?.returnedId ?? ''
      return request.respondedAt !== null && returnedId !== '' && !candidateIds.has(returnedId)
    })
    return toldOf ? 'is told not there, although an answer told its ID' : ''
  }

  #wrongAsBefore(view: Operation, effects: readonly Effect[], lookedAt: number): string {
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
    if (isSeen && isStill) return 'is told to be as before, and the list shows the change'
    return view.rechecks < 2 ? 'is told to be as before after one look, and it is done' : ''
  }

  #wrongConflict(view: Operation, effects: readonly Effect[], lookedAt: number): string {
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
      if (!older) return 'is told to have been there before, and no such record was'
    }
    if (/no longer there/.test(message) && view.kind === 'change') {
      const target = this.#meant.get(view.draftId)?.target ?? null
      const record = target === null ? undefined : this.#books.byUid(target)
      const isShown = record !== undefined && this.#books.visible(record, lookedAt) !== null
      if (isShown && idNow(record) === view.recordId && lookedAt > 0)
        return 'is told to be gone, and it is there'
    }
    if (/more than once/.test(message)) {
      const named = this.#books.alive.filter(
        (record) => nameKey(textOf(latest(record).fields['Name'])) === nameKey(view.recordName),
      )
      if (there.length < 2 && named.length < 2) return 'is told to be there twice, and it is not'
    }
    if (view.kind === 'insert' && view.conflicts.length > 0 && there.length === 0) {
      return 'is told to be there with other values, and it is not there'
    }
    return ''
  }

  /** Called when everything late has arrived and the user has checked everything that can be checked. */
  atEnd(drafts: readonly Draft[]): void {
    this.#judgeEffects()
    const left = new Set(drafts.map(({ draftId }) => draftId))
    for (const { operation } of drafts) {
      if (operation === null) continue
      this.#judge(operation)
      if (operation.state === 'sending') {
        this.find('wrongly reported', `“${operation.recordName}” is told as being sent for ever`)
      }
    }
    for (const meant of this.#meant.values()) {
      const told = [...this.#told.values()].filter(({ draftId }) => draftId === meant.draftId)
      const effects = told.flatMap(({ view }) => this.#effectsOf(view.operationId))
      const isSaved = told.some(({ view }) => view.state === 'acked')
      const isLie = told.some(({ view }) => this.#isExcusedLie(view.operationId))
      // Someone else's record with all the values was taken for it, and the program ended before it reported that.
      const isAnothers = told.some(({ view }) => view.kind === 'insert' && this.#isSaidByAnothers(view))
      const isGone = !meant.isDropped && !left.has(meant.draftId)
      if (isGone && effects.length === 0 && !isSaved && !isLie && !isAnothers) {
        this.find('lost', `“${meant.name}” is neither in the books nor on screen`)
      }
      if (meant.isInsert) this.#judgeDoubles(meant, told, effects)
    }
  }

  /**
   * The list had all of them and was read completely afterward, and the insert is reported as saved without mentioning
   * them.
   */
  #couldBeFlagged(records: readonly Effect[], told: readonly Told[]): boolean {
    const shown = Math.max(...records.map(({ shownAt }) => shownAt ?? Number.POSITIVE_INFINITY))
    const isRead = this.#books.wholeReadsAt.some((at) => at > shown)
    const areThere = records.every((effect) => this.#isThere(effect, this.#now()))
    const isFlagged = told.some(({ flagged }) => records.filter(({ uid }) => flagged.has(uid)).length > 1)
    return isRead && areThere && !isFlagged && told.some(({ view }) => view.state === 'acked')
  }

  #judgeDoubles({ name }: Meant, told: readonly Told[], effects: readonly Effect[]): void {
    const inserts = effects.filter((effect) => effect.request.method === 'POST')
    for (const [index, second] of inserts.toSorted((a, b) => a.request.at - b.request.at).entries()) {
      if (index === 0) continue
      const before = inserts.filter(
        (effect) => effect.request.at < second.request.at && this.#isThere(effect, second.at),
      )
      const wasShown = before.some(({ uid }) => told.some(({ shown }) => shown.has(uid)))
      if (wasShown || before.length === 0) continue
      const wasVisible = before.some(({ shownAt }) => shownAt !== null && shownAt < second.request.at)
      if (wasVisible)
        this.find(
          'doubled',
          `“${name}” is there twice, by #${before[0]?.request.number ?? 0} and #${second.request.number}`,
        )
      else {
        this.late += 1
        if (this.#couldBeFlagged([...before, second], told)) {
          this.find('doubled', `“${name}” is there twice, the first of them late, and nobody was told`)
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
