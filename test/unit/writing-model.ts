/**
 * A model of the write protocol: two records, a service that does or does not do the work, somebody else who changes a
 * record once, a program that ends at any moment, a person who decides. Every decision is the program's own pure one; only the order of events is the model's.
 */
import { appError } from '../../shared/result.ts'
import type { RecordData } from '../../shared/changes.ts'
import type { OperationState } from '../../shared/contract/records.ts'
import type { EnvelopeItem, ServiceError, WriteAnswer } from '../../electron/service/wire.ts'
import type { JournalOperation, NewRequest, OperationMove } from '../../electron/store/journal.ts'
import { digestAnswer } from '../../electron/writing/answer.ts'
import { nextArray } from '../../electron/writing/batching.ts'
import { stillMeant } from '../../electron/writing/checking.ts'
import { draftAfterChoice } from '../../electron/writing/conflict-choice.ts'
import { moveBy } from '../../electron/writing/context.ts'
import { guard } from '../../electron/writing/guard.ts'
import { moveAfterLook, settleById } from '../../electron/writing/looking.ts'
import { SENT_AGAIN, leaving } from '../../electron/writing/new-sending.ts'
import { lookDueAt, nextStep, type QueueStep } from '../../electron/writing/schedule.ts'
import { settleInserts, settleKnownInsert, type Settlement } from '../../electron/writing/settle.ts'
import { canDrop } from '../../electron/writing/states.ts'

type Kind = 'insert' | 'change'

/** What the journal knows of an operation, as far as it decides anything. Ages count pauses between looks. */
interface Known {
  readonly state: OperationState
  readonly isClosed: boolean
  readonly sendAgain: boolean
  /** The person goes on beside it, although it is unknown. */
  readonly isPassed: boolean
  readonly recordId: string
  readonly looks: number
  readonly firstLook: number | null
  readonly lastLook: number | null
  /** What a change's record said when it was edited, and when it was found in conflict. */
  readonly base: Phone
  readonly seen: Phone | null
}

/** What the record of a change says: as it was, as somebody else has it, as it was sent. */
type Phone = 'old' | 'theirs' | 'new'

export interface ModelState {
  readonly known: readonly Known[]
  /** The batch goes on by itself; else it waits for the person. */
  readonly isOpen: boolean
  /** Those whose records are being read once more before they leave, and whether their batch went on by itself then. */
  readonly checking: { readonly indices: readonly number[]; readonly wasOpen: boolean } | null
  /** Those that are on their way right now. */
  readonly wire: readonly number[] | null
  readonly restarts: number
  /** The truth: how often each was done, sent, and how often the person said so. */
  readonly done: readonly number[]
  readonly sent: readonly number[]
  readonly words: readonly number[]
  /** What the record of each change says at the service, and whether somebody else has changed it. */
  readonly phones: readonly Phone[]
  readonly isTouched: boolean
}

export interface ModelWorld {
  readonly kinds: readonly [Kind, Kind]
  /** Marks come back with records. */
  readonly hasMarks: boolean
  /** How many records travel in one array. */
  readonly arraySize: number
  /** How often the program may end and start again. */
  readonly restarts: number
  /** A name may be there twice: nothing but the protocol keeps an insert from being done twice. */
  readonly hasNamesTwice: boolean
}

export interface Step {
  readonly what: string
  readonly to: ModelState
}

/** As the person sends it. */
const FRESH: Known = {
  state: 'queued',
  isClosed: false,
  sendAgain: false,
  isPassed: false,
  recordId: '',
  looks: 0,
  firstLook: null,
  lastLook: null,
  base: 'old',
  seen: null,
}

export function startOf({ restarts }: ModelWorld): ModelState {
  return {
    known: [FRESH, FRESH],
    isOpen: true,
    checking: null,
    wire: null,
    restarts,
    done: [0, 0],
    sent: [0, 0],
    words: [1, 1],
    phones: ['old', 'old'],
    isTouched: false,
  }
}

const MOST_WORDS = 2
const NOW = Date.parse('2026-03-01T09:00:00Z')
const PAUSE = 60_000
const NOW_ISO = new Date(NOW).toISOString()
/** The times of looks, by how many pauses they are ago: none is told apart beyond the second. */
const ISO_AGO = [0, 1, 2, 3].map((age) => new Date(NOW - age * PAUSE).toISOString())
const COMPANY = { connectionId: 'c', endpointId: 'e' }
const BATCH = {
  batchId: 'b',
  company: COMPANY,
  object: 'customer',
  queuedAt: '',
  status: 'open',
  error: null,
} as const

const CONTEXT = {
  clock: {
    now: () => NOW,
    elapsed: () => NOW,
    after: () => () => undefined,
    during: <T>(work: Promise<T>) => work,
  },
  settings: () => ({ batchSize: 50, lookAgainSeconds: PAUSE / 1_000, markWithExternalId: true }),
  timestamp: () => NOW_ISO,
  translate: () => appError('service-error', 'As the service says it.'),
}

const SOME_ERROR: ServiceError = { code: '3100', message: 'No.', severity: 'Error', detail: '', raw: 'No.' }

/** Every event that can come next, whatever the order. */
export function stepsFrom(world: ModelWorld, state: ModelState): readonly Step[] {
  return [
    ...stepsByItself(world, state),
    ...killSteps(world, state),
    ...lateSteps(world, state),
    ...othersSteps(world, state),
    ...personSteps(world, state),
  ]
}

function stepsByItself(world: ModelWorld, state: ModelState): readonly Step[] {
  if (state.checking !== null) return checkedSteps(world, state, state.checking)
  return state.wire === null ? queueSteps(world, state) : answerSteps(world, state, state.wire)
}

function operationOf(world: ModelWorld, known: Known, index: number): JournalOperation {
  const isInsert = world.kinds[index] === 'insert'
  const name = `Record ${index}`
  const isoOf = (age: number | null): string | null =>
    age === null ? null : (ISO_AGO[age] ?? new Date(NOW - age * PAUSE).toISOString())
  return {
    operationId: `op${index}`,
    draftId: `d${index}`,
    batchId: BATCH.batchId,
    position: index,
    company: COMPANY,
    object: BATCH.object,
    kind: isInsert ? 'insert' : 'change',
    recordId: isInsert ? known.recordId : `C${index}`,
    recordName: name,
    fullName: name,
    namesakes: [],
    mark: isInsert && world.hasMarks ? `op${index}` : '',
    before: isInsert ? {} : recordOf(index, known.base),
    edits: [
      ...(isInsert ? [{ path: 'Name', was: null, now: name }] : []),
      { path: 'Phone', was: isInsert ? null : known.base, now: 'new' },
    ],
    state: known.state,
    isClosed: known.isClosed,
    sendAgain: known.sendAgain,
    queuedAt: '',
    settledAt: null,
    firstLookedAt: isoOf(known.firstLook),
    lastLookedAt: isoOf(known.lastLook),
    looks: known.looks,
    confirmedByReading: false,
    isKnownByName: false,
    notAsSent: [],
    conflicts:
      known.seen === null ? [] : [{ path: 'Phone', asRead: known.base, theirs: known.seen, yours: 'new' }],
    theirs: known.seen === null ? null : recordOf(index, known.seen),
    error: null,
    errorPath: '',
    requestId: '',
    after: null,
    fresh: null,
    elsewhere: '',
  }
}

function recordOf(index: number, phone: Phone): RecordData {
  const name = `Record ${index}`
  return { ID: `C${index}`, Name: name, FullName: name, Phone: phone }
}

function phoneOf(record: RecordData | null | undefined): Phone | null {
  const phone = record?.['Phone']
  return phone === 'old' || phone === 'theirs' || phone === 'new' ? phone : null
}

function operationsOf(world: ModelWorld, state: ModelState): readonly JournalOperation[] {
  return state.known.map((known, index) => operationOf(world, known, index))
}

const indexOf = ({ operationId }: { readonly operationId: string }): number => Number(operationId.slice(2))

function ageOf(iso: string | null | undefined, was: number | null): number | null {
  if (iso === undefined) return was
  return iso === null ? null : Math.round((NOW - Date.parse(iso)) / PAUSE)
}

function withMoves(state: ModelState, moves: readonly OperationMove[]): ModelState {
  const known = [...state.known]
  for (const move of moves) {
    const index = indexOf(move)
    const was = known[index]
    if (was?.state !== move.from)
      throw new Error(`A move from ${move.from} of what is ${String(was?.state)}.`)
    known[index] = {
      state: move.to,
      isClosed: was.isClosed || move.closes,
      sendAgain: move.facts.sendAgain ?? was.sendAgain,
      isPassed: was.isPassed && move.to === 'unknown',
      recordId: move.facts.recordId ?? was.recordId,
      looks: Math.min(2, move.facts.looks ?? was.looks),
      firstLook: ageOf(move.facts.firstLookedAt, was.firstLook),
      lastLook: ageOf(move.facts.lastLookedAt, was.lastLook),
      base: was.base,
      seen: move.to === 'conflict' ? phoneOf(move.facts.theirs) : null,
    }
  }
  return { ...state, known }
}

/** What the service holds of a record. */
function recordsOf(world: ModelWorld, state: ModelState, index: number): readonly RecordData[] {
  const name = `Record ${index}`
  const times = state.done[index] ?? 0
  if (world.kinds[index] === 'change') {
    return [recordOf(index, state.phones[index] ?? 'old')]
  }
  return Array.from({ length: times }, (_, nth) => ({
    ID: `N${index}-${nth}`,
    ...(world.hasMarks ? { ExternalID: `op${index}` } : {}),
    Name: name,
    FullName: name,
    Phone: 'new',
  }))
}

/** What a look is given: the whole list; a part that shows everything of ours all the same; or one that shows nothing. */
type Seen = 'whole' | 'part' | 'empty part'

const EVERY_LOOK: readonly Seen[] = ['whole', 'part', 'empty part']

/** One look at some of them. */
function look(
  world: ModelWorld,
  state: ModelState,
  operations: readonly JournalOperation[],
  seen: Seen,
): ModelState {
  const isWhole = seen === 'whole'
  const shown = (index: number): readonly RecordData[] =>
    seen === 'empty part' ? [] : recordsOf(world, state, index)
  const settled = new Map<string, Settlement>()
  for (const operation of operations.filter(({ recordId }) => recordId !== '')) {
    const record = shown(indexOf(operation)).find(({ ID }) => ID === operation.recordId) ?? null
    if (operation.kind === 'change') {
      settled.set(operation.operationId, settleById(operation, record, isWhole))
    } else if (record !== null) settled.set(operation.operationId, settleKnownInsert(operation, record))
  }
  const ours = new Set(operations.map(indexOf))
  const others = state.known.filter(({ recordId }, index) => recordId !== '' && !ours.has(index))
  const listed = [
    ...settleInserts(
      operations.filter(({ operationId }) => !settled.has(operationId)),
      {
        isWhole,
        candidates: [0, 1].flatMap(shown),
        areMarksTrusted: world.hasMarks,
        knownSince: new Map(others.map(({ recordId }) => [recordId, ''])),
        sentAt: new Map(),
      },
    ),
  ]
  for (const [operationId, settlement] of listed) settled.set(operationId, settlement)
  return withMoves(
    state,
    operations.map((operation) =>
      moveAfterLook(CONTEXT, operation, settled.get(operation.operationId) ?? { verdict: 'open' }),
    ),
  )
}

function nextOf(world: ModelWorld, state: ModelState): QueueStep {
  const open = operationsOf(world, state).filter(({ isClosed }) => !isClosed)
  return nextStep({
    now: NOW,
    pause: PAUSE,
    unknown: open.filter((operation) => operation.state === 'unknown'),
    sendAgain: open.filter((operation) => operation.state === 'held' && operation.sendAgain),
    asked: [],
    openBatches: state.isOpen && open.some((operation) => operation.state === 'queued') ? [BATCH] : [],
    passed: new Set(
      open
        .filter((each) => state.known[indexOf(each)]?.isPassed === true)
        .map(({ operationId }) => operationId),
    ),
    noLookBefore: 0,
  })
}

function queueSteps(world: ModelWorld, state: ModelState): readonly Step[] {
  const step = nextOf(world, state)
  switch (step.step) {
    case 'look':
      return EVERY_LOOK.map((seen) => ({
        what: `look at the list: ${seen}`,
        to: look(world, state, step.operations, seen),
      }))
    case 'wait':
      return [{ what: 'the pause passes', to: older(state) }]
    case 'send-again':
      return EVERY_LOOK.map((seen) => {
        const looked = look(world, state, step.operations, seen)
        const ids = new Set(step.operations.map(indexOf))
        const meant = operationsOf(world, looked).filter(
          (operation) => ids.has(indexOf(operation)) && operation.state === 'held' && operation.sendAgain,
        )
        const again = nextArray(meant, world.arraySize)
        const changes = again.filter(({ kind }) => kind === 'change')
        const queued = withMoves(
          looked,
          changes.map((operation) => moveBy(operation, 'send-again', SENT_AGAIN)),
        )
        return {
          what: 'send again',
          to: again.length === 0 ? looked : guarded(world, queued, again.map(indexOf)),
        }
      })
    case 'send': {
      if (state.known.some((known) => known.state === 'unknown' && !known.isPassed)) {
        throw new Error('A later write leaves beside what is unknown, without the person’s word.')
      }
      const queued = operationsOf(world, state).filter(
        (operation) => operation.state === 'queued' && !operation.isClosed,
      )
      const indices = nextArray(queued, world.arraySize).map(indexOf)
      const hasChanges = indices.some((index) => world.kinds[index] === 'change')
      return hasChanges
        ? [{ what: 'check before sending', to: { ...state, checking: { indices, wasOpen: state.isOpen } } }]
        : [{ what: 'send', to: leave(world, state, indices) }]
    }
    case 'hold-back':
      return [{ what: 'waits for the person', to: { ...state, isOpen: false } }]
    case 'rest':
      return []
  }
}

function older(state: ModelState): ModelState {
  const one = (age: number | null): number | null => (age === null ? null : age + 1)
  const known = state.known.map((each) => ({
    ...each,
    firstLook: one(each.firstLook),
    lastLook: one(each.lastLook),
  }))
  return { ...state, known }
}

/** The records are there, or can't be had; what the person has said meanwhile holds. */
function checkedSteps(
  world: ModelWorld,
  state: ModelState,
  { indices, wasOpen }: NonNullable<ModelState['checking']>,
): readonly Step[] {
  const checked: ModelState = { ...state, checking: null }
  const operations = operationsOf(world, checked).filter((_, index) => indices.includes(index))
  const meant = stillMeant(operations, wasOpen, state.isOpen).map(indexOf)
  return [
    { what: 'checked', to: guarded(world, checked, meant) },
    { what: 'not to be checked', to: { ...checked, isOpen: false } },
  ]
}

/** The guard, then the wire: what somebody else changed meanwhile is a conflict, and does not leave. */
function guarded(world: ModelWorld, state: ModelState, indices: readonly number[]): ModelState {
  const conflicts = operationsOf(world, state).flatMap((operation, index) => {
    if (!indices.includes(index) || operation.kind !== 'change') return []
    const fresh = recordOf(index, state.phones[index] ?? 'old')
    const verdict = guard(operation.object, operation.before, fresh, operation.edits)
    if (verdict.verdict === 'proceed') return []
    return [moveBy(operation, 'guard-differs', { conflicts: verdict.differences, theirs: fresh })]
  })
  const gone = new Set(conflicts.map(indexOf))
  const left = indices.filter((index) => !gone.has(index))
  const checked = withMoves(state, conflicts)
  return left.length === 0 ? checked : leave(world, checked, left)
}

function leave(world: ModelWorld, state: ModelState, indices: readonly number[]): ModelState {
  const operations = operationsOf(world, state)
  const leavings = indices.flatMap((index) => {
    const operation = operations[index]
    return operation === undefined ? [] : [leaving(operation, null)]
  })
  const again = withMoves(
    state,
    leavings.flatMap((each) => each.again ?? []),
  )
  const moves = leavings.map(({ send }) => send)
  return { ...withMoves(again, moves), wire: indices, sent: added(state.sent, indices, 1) }
}

function added(counts: readonly number[], indices: readonly number[], by: number): readonly number[] {
  return counts.map((count, index) => (indices.includes(index) ? count + by : count))
}

/** The service has done the work on these. */
function workDone(state: ModelState, indices: readonly number[]): Pick<ModelState, 'done' | 'phones'> {
  const phones = state.phones.map((phone, index) => (indices.includes(index) ? 'new' : phone))
  return { done: added(state.done, indices, 1), phones }
}

function subsets(indices: readonly number[]): readonly (readonly number[])[] {
  return indices.reduce<readonly (readonly number[])[]>(
    (all, index) => [...all, ...all.map((subset) => [...subset, index])],
    [[]],
  )
}

/** On its way, and still to be done: a name is in use once the first sending of it has come through late. */
function able(world: ModelWorld, state: ModelState): readonly number[] {
  const isDone = (index: number): boolean => (state.done[index] ?? 0) > 0
  const isInUse = (index: number): boolean => !world.hasNamesTwice && isDone(index)
  return (state.wire ?? []).filter((index) => world.kinds[index] === 'change' || !isInUse(index))
}

/** Any part of the work is done, and then any answer comes that a service or the way there can give. */
function answerSteps(world: ModelWorld, state: ModelState, wire: readonly number[]): readonly Step[] {
  return subsets(able(world, state)).flatMap((worked) => {
    const after: ModelState = { ...state, wire: null, ...workDone(state, worked) }
    const item = (index: number, hasErrorToo: boolean): EnvelopeItem => {
      const record = worked.includes(index) ? (recordsOf(world, after, index).at(-1) ?? null) : null
      return { object: record, errors: record === null || hasErrorToo ? [SOME_ERROR] : [], kind: 'customer' }
    }
    const items = wire.map((index) => item(index, false))
    const answers: [what: string, answer: WriteAnswer][] = [
      ['lost', { outcome: 'in-doubt', error: appError('dropped', 'Dropped.') }],
      ['told', answered(items)],
      ['told backwards', answered(items.toReversed())],
      ['told but for the last', answered(items.slice(0, -1))],
      ['told with warnings', answered(wire.map((index) => item(index, true)))],
      ['told with an error of the whole', answered(items, [SOME_ERROR])],
    ]
    const steps = answers.flatMap(([what, answer]) =>
      [false, true].map((readsBack) => ({ what, to: digest(world, after, wire, answer, readsBack) })),
    )
    if (worked.length > 0) return steps
    const stopped: ModelState = { ...after, isOpen: false }
    const notSent: ModelState = { ...stopped, sent: added(stopped.sent, wire, -1) }
    const error = appError('unreachable', 'No.')
    return [
      ...steps,
      { what: 'nothing left', to: digest(world, notSent, wire, { outcome: 'not-sent', error }, false) },
      { what: 'key refused', to: digest(world, stopped, wire, { outcome: 'refused-key', error }, false) },
    ]
  })
}

function answered(items: readonly EnvelopeItem[], errors: readonly ServiceError[] = []): WriteAnswer {
  const hasErrors = errors.length > 0 || items.some((item) => item.errors.length > 0)
  return {
    outcome: 'answered',
    envelope: { status: 200, page: 1, moreData: null, hasErrors, requestId: 'r', items, errors },
    raw: { status: 200, contentType: '', blocks: [], length: 0 },
  }
}

function digest(
  world: ModelWorld,
  state: ModelState,
  wire: readonly number[],
  answer: WriteAnswer,
  readsBack: boolean,
): ModelState {
  const sending = operationsOf(world, state).filter((_, index) => wire.includes(index))
  const request: NewRequest = {
    requestKey: 'k',
    batchId: BATCH.batchId,
    kind: sending[0]?.kind ?? 'insert',
    ...COMPANY,
    object: BATCH.object,
    body: '',
    sentAt: '',
  }
  return withMoves(state, digestAnswer(CONTEXT, 'qbd', request, sending, answer, readsBack, new Set()).moves)
}

/** The program ends; any part of what was on its way may be done. The next start finds what is on disk. */
function killSteps(world: ModelWorld, state: ModelState): readonly Step[] {
  if (state.restarts === 0) return []
  return subsets(able(world, state)).map((worked) => ({
    what: 'killed and started again',
    to: {
      ...state,
      restarts: state.restarts - 1,
      checking: null,
      wire: null,
      ...workDone(state, worked),
      isOpen: state.isOpen && !state.known.some((known) => known.state === 'queued' && !known.isClosed),
      known: state.known.map((known) => ({
        ...known,
        sendAgain: false,
        isPassed: false,
        state: known.state === 'sending' ? 'unknown' : known.state,
      })),
    },
  }))
}

/**
 * The application was still at work when nobody waited any more; also on the first sending, when the second is refused.
 * Where names may be there twice, not between the last look and the second sending: that moment can't be closed.
 */
function lateSteps(world: ModelWorld, state: ModelState): readonly Step[] {
  return state.known.flatMap((known, index) => {
    const isOut = (state.sent[index] ?? 0) > (state.done[index] ?? 0) && (state.done[index] ?? 0) === 0
    const mayCome = ['unknown', 'held'].includes(known.state)
    const isSecondOut = !world.hasNamesTwice && (state.wire?.includes(index) ?? false)
    const isFirstOut = (known.state === 'rejected' || isSecondOut) && (state.sent[index] ?? 0) > 1
    const waitsAgain = known.state === 'queued'
    if (!isOut || (state.wire !== null && !isSecondOut) || !(mayCome || isFirstOut || waitsAgain)) return []
    return [{ what: 'done late', to: { ...state, ...workDone(state, [index]) } }]
  })
}

/** Somebody else changes the same field of a record, once, at any moment. */
function othersSteps(world: ModelWorld, state: ModelState): readonly Step[] {
  if (state.isTouched) return []
  return world.kinds.flatMap((kind, index) =>
    kind === 'insert'
      ? []
      : [
          {
            what: 'somebody else changes it',
            to: { ...state, isTouched: true, phones: state.phones.with(index, 'theirs') },
          },
        ],
  )
}

/** Also beside what is unknown, where no look by itself is left. */
function goOn(operations: readonly JournalOperation[], state: ModelState): ModelState {
  const known = state.known.map((each, index) => {
    const operation = operations[index]
    const isLookedFor = operation !== undefined && lookDueAt(operation, PAUSE) !== null
    return each.state === 'unknown' && !isLookedFor ? { ...each, isPassed: true } : each
  })
  return { ...state, isOpen: true, known }
}

function personSteps(world: ModelWorld, state: ModelState): readonly Step[] {
  const steps: Step[] = []
  const operations = operationsOf(world, state)
  if (state.isOpen && state.checking !== null) {
    steps.push({ what: 'stop the batch', to: { ...state, isOpen: false } })
  }
  if (!state.isOpen) steps.push({ what: 'go on with the batch', to: goOn(operations, state) })
  const looked = operations.filter((each) => !each.isClosed && ['unknown', 'held'].includes(each.state))
  if (looked.length > 0 && state.wire === null && state.checking === null) {
    steps.push({ what: 'check now', to: look(world, state, looked, 'whole') })
  }
  for (const [index, known] of state.known.entries()) {
    if (known.isClosed || state.wire?.includes(index)) continue
    const put = (change: Partial<Known>): readonly Known[] => state.known.with(index, { ...known, ...change })
    if (canDrop(known.state)) steps.push({ what: 'drop', to: { ...state, known: put({ isClosed: true }) } })
    if (known.state === 'conflict' && (state.words[index] ?? 0) < MOST_WORDS) {
      steps.push(...choiceSteps(state, index, operations[index]))
    }
    if (known.state === 'held' && !known.sendAgain && (state.words[index] ?? 0) < MOST_WORDS) {
      const words = added(state.words, [index], 1)
      steps.push({ what: 'say send again', to: { ...state, words, known: put({ sendAgain: true }) } })
    }
  }
  return steps
}

/** Of a conflict the person keeps theirs, or sends yours on top of what is there now: an operation of its own. */
function choiceSteps(
  state: ModelState,
  index: number,
  operation: JournalOperation | undefined,
): readonly Step[] {
  if (operation === undefined) return []
  const chosen = draftAfterChoice(operation, { Phone: 'yours' }, '')
  if (!chosen.ok || chosen.value === null) return []
  const base = phoneOf(chosen.value.before)
  if (base === null) return []
  const again: Known = { ...FRESH, base }
  const words = added(state.words, [index], 1)
  return [{ what: 'choose yours, and send', to: { ...state, words, known: state.known.with(index, again) } }]
}
