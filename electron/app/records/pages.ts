/**
 * Reads a list page by page into a set of the rows worker: the loop guard, ids in as many requests as an address's
 * length asks for, and what is known about its being whole. Used by the screen's reads and by reading back.
 */
import { type AppError, type Result, appError, err, ok } from '../../../shared/result.ts'
import type { PageSummary, Rows } from '../../rows/rows.ts'
import { redact, redactErrors, secretsOf } from '../../service/errors/redact.ts'
import {
  isNothingMatched,
  isRefusedKey,
  saysGone,
  translateReadErrors,
} from '../../service/errors/service-errors.ts'
import type {
  Decoder,
  Numbered,
  OnBytes,
  RecordsQuery,
  ServiceError,
  Wire,
} from '../../service/protocol/wire.ts'

/** What is asked for; no ids means all. */
export interface PagesQuery {
  readonly ids: readonly string[]
  readonly modTimeStart: string | null
  readonly modTimeEnd: string | null
}

export interface PagesRead {
  /** The set that holds the records; whoever asked closes it. */
  readonly setId: string
  readonly pages: number
  readonly count: number
  /** Empty when everything that was asked for is held. */
  readonly partialBecause: string
  /** What is to be said of single records, and of why some are missing. */
  readonly problems: readonly AppError[]
  /** Errors that came beside records. */
  readonly recordErrors: PageSummary['recordErrors']
  /** Errors that came in the place of records. */
  readonly refused: readonly ServiceError[]
  /** Of a read by ids: errors which say that a record is gone. They make nothing partial. */
  readonly gone: readonly ServiceError[]
  readonly requestIds: readonly string[]
  /** A later page repeated records of an earlier one: the list moved while it was read, and others may be missing. */
  readonly hasMoved: boolean
}

/** What is held so far. */
export interface PagesProgress {
  readonly setId: string
  readonly pages: number
  readonly count: number
}

/** One request of the read; the screen's reads take a turn for each, reading back has one already. */
export type RequestPage = (operation: (wire: Wire) => Promise<Result<ReadPage>>) => Promise<Result<ReadPage>>

export interface PagesOptions {
  readonly rows: Rows
  readonly endpointId: string
  readonly object: string
  readonly application: string
  readonly query: PagesQuery
  /** All pages together may be as large as one answer: above it there is no end to be seen. */
  readonly mostMebibytes: number
  readonly ask: RequestPage
  readonly isStopped: () => boolean
  /**
   * Whether somebody looks on: then the records of the first page are told of while it is still coming, and stay
   * when it breaks off.
   */
  readonly tellsEarly: boolean
  /** A set that is another one than before begins anew: what was shown of the one before is void. */
  readonly onProgress: (wire: Wire, progress: PagesProgress) => void
}

/** Addresses longer than this are refused by servers and proxies here and there. */
const LONGEST_QUERY = 1_800
/** More problems than anybody reads. */
const MOST_PROBLEMS = 100
/** The service answered, and says why it gave no record. */
const TOLD: ReadonlySet<AppError['kind']> = new Set(['service-error', 'company-unavailable'])
const STOPPED_BY_PERSON = 'You stopped it.'

/**
 * Answers an error when nothing at all came; once there are records, a failure makes the list partial, with its
 * reason in words.
 */
export async function readPages(options: PagesOptions): Promise<Result<PagesRead>> {
  let pages = 0
  let count = 0
  let bytes = 0
  let missing = ''
  let moved = 0
  const problems: AppError[] = []
  const recordErrors: PageSummary['recordErrors'][number][] = []
  const refused: ServiceError[] = []
  const gone: ServiceError[] = []
  const requestIds: string[] = []
  const first = new FirstPage(options.rows, await options.rows.openSet())
  const done = (partialBecause: string): Result<PagesRead> => {
    const said = { partialBecause, problems, recordErrors, refused, gone, requestIds }
    if (moved > 0 && partialBecause === '')
      problems.push(appError('service-error', movedWords(moved), MOVED_ADVICE))
    return ok({ setId: first.setId, pages, count, ...said, hasMoved: moved > 0 })
  }
  /** Nothing is held, or what came of the first page turned out to be none. */
  const nothing = async (error: AppError): Promise<Result<PagesRead>> => {
    await options.rows.closeSet(first.setId)
    return err(error)
  }

  for (const ids of idGroups(options.query.ids)) {
    for (let page = 1; ; page += 1) {
      if (options.isStopped()) return pages === 0 ? nothing(stopped()) : done(STOPPED_BY_PERSON)
      const query: RecordsQuery = {
        ids,
        page,
        ...(options.query.modTimeStart === null ? {} : { modTimeStart: options.query.modTimeStart }),
        ...(options.query.modTimeEnd === null ? {} : { modTimeEnd: options.query.modTimeEnd }),
      }
      let tell: (progress: PagesProgress) => void = () => undefined
      const answer = await options.ask(async (taken) => {
        tell = (progress) => {
          options.onProgress(taken, progress)
        }
        const isFirst = pages === 0
        if (isFirst) await first.beginTry()
        const { setId } = first
        const onEarly = (early: number): void => {
          tell({ setId, pages, count: early })
        }
        const isById = ids.length > 0
        const decode = pageDecoder({ ...options, setId, isById }, secretsOf(taken.target), (length) => {
          bytes += length
        })
        const { endpointId, object, tellsEarly } = options
        const onBytes = isFirst && tellsEarly ? first.listener(onEarly) : undefined
        return taken.readRecords(endpointId, object, query, first.unlessOver(decode), onBytes)
      })
      if (!answer.ok) {
        const came = await first.end(answer.error)
        if (pages === 0 && came === 0) return nothing(answer.error)
        count = Math.max(count, came)
        if (TOLD.has(answer.error.kind)) problems.push(answer.error)
        return done(options.isStopped() ? STOPPED_BY_PERSON : answer.error.message)
      }
      const summary = answer.value
      pages += 1
      count += summary.added + summary.twins
      if (summary.requestId !== '') requestIds.push(summary.requestId)
      recordErrors.push(...summary.recordErrors)
      refused.push(...summary.errors, ...summary.refusals.flat())
      gone.push(...summary.gone)
      for (const each of summary.recordErrors.slice(0, MOST_PROBLEMS - problems.length)) {
        const problem = translateReadErrors(
          options.application,
          each.errors,
          summary.requestId,
          200,
          'record',
        )
        problems.push({
          ...problem,
          message: each.name === '' ? problem.message : `${each.name}: ${problem.message}`,
        })
      }
      const inTheirPlace = refusalProblems(options.application, summary)
      problems.push(...inTheirPlace, ...oddities(summary))
      if (missing === '') missing = inTheirPlace[0]?.message ?? whyMayMiss(summary)
      tell({ setId: first.setId, pages, count })
      if (summary.errors.length > 0) {
        const problem = translateReadErrors(options.application, summary.errors, summary.requestId, 200)
        problems.push(problem)
        return done(problem.message)
      }
      const { moreData, added, twins } = summary
      if (page > 1) moved += summary.count - added - twins
      // Of a list that is one page its number says nothing.
      if (summary.page !== null && summary.page !== page && (page > 1 || moreData === true)) {
        return done(missing === '' ? gaveOtherPage(page, summary.page) : missing)
      }
      if (moreData !== true) {
        if (page > 1 && added === 0 && summary.count > 0) return done(gaveNoMore(page))
        break
      }
      if (added === 0) return done(missing === '' ? gaveNoMore(page) : missing)
      if (bytes > options.mostMebibytes * 1_048_576) return done(noEndSeen(options.mostMebibytes))
    }
  }
  return done(missing)
}

/** What items say in the place of records, each thing once. */
function refusalProblems(application: string, { refusals, requestId }: ReadPage): readonly AppError[] {
  const problems = refusals.map((errors) =>
    translateReadErrors(application, errors, requestId, 200, 'record'),
  )
  const once = new Map(problems.map((problem) => [problem.message, problem]))
  return [...once.values()].map((problem) => {
    const times = problems.filter(({ message }) => message === problem.message).length
    return times === 1
      ? problem
      : { ...problem, message: `${problem.message} (Said in the place of several records.)` }
  })
}

/** Why else records may be missing from a page that came to its end; empty when nothing says so. */
function whyMayMiss({ status, empty, isErrorUntold, gone }: ReadPage): string {
  if (isErrorUntold) return 'The service says that there were errors, but not which.'
  if (empty > 0) {
    return `${String(empty)} of the answer’s items ${empty === 1 ? 'holds' : 'hold'} no record.`
  }
  // That a record is gone may come under a status of its own.
  return status >= 400 && gone.length === 0
    ? `The service gave the list under an error (HTTP ${String(status)}).`
    : ''
}

/** What is odd about a page of which everything was kept. */
function oddities(summary: PageSummary): readonly AppError[] {
  const { page, requestId, empty, count, added, twins, isErrorUntold } = summary
  const say = (message: string, advice: string): AppError =>
    appError('service-error', message, advice, requestId === '' ? {} : { requestId })
  const repeated = page === null || page <= 1 ? count - added - twins : 0
  return [
    ...(empty > 0
      ? [
          say(
            `${String(empty)} of the answer’s items ${empty === 1 ? 'holds' : 'hold'} no record.`,
            'The others are here. A record that you miss may be one of them: get the list again.',
          ),
        ]
      : []),
    ...(repeated > 0
      ? [say(`${String(repeated)} of the answer’s records came more than once.`, 'Each is shown once.')]
      : []),
    ...(twins > 0 ? [say(sharedIdWords(summary), SHARED_ADVICE)] : []),
    ...(isErrorUntold
      ? [
          say(
            'The service says that there were errors, but not which.',
            'What came is here. Get the list again; if it says so again, give the provider the RequestId.',
          ),
        ]
      : []),
  ]
}

function movedWords(records: number): string {
  return `${String(records)} ${records === 1 ? 'record came' : 'records came'} on more than one page: the list changed while it was read.`
}

const MOVED_ADVICE = 'Each is shown once. Others may be missing: get the list again.'

const SHARED_ADVICE =
  'All of them are shown. None can be changed from here, because the service could not tell which one is meant; change them in the application.'

function sharedIdWords({ twins, sharedIds }: PageSummary): string {
  const records = twins === 1 ? 'record has' : 'records have'
  return `${String(twins)} more ${records} an ID that another one has already (${sharedIds.join(', ')}${twins > sharedIds.length ? ', …' : ''}).`
}

function gaveNoMore(page: number): string {
  return `The service says that there is more, but did not give it (page ${String(page)} repeated what was there).`
}

/** What lies between the two, or after them, can't be asked for with any certainty. */
function gaveOtherPage(page: number, given: number): string {
  return `The service says that there is more, but did not give it: it calls page ${String(given)} what was asked for as page ${String(page)}.`
}

/** *Assumption* (decisions.md, "How page 2 is asked for"): never loop without end, also where each page is new. */
function noEndSeen(mebibytes: number): string {
  return `The service always says that there is more; after ${String(mebibytes)} MiB no more was asked for. Ask for less at once, or allow larger answers in Settings.`
}

function stopped(): AppError {
  return appError('stopped', 'Stopped before anything came.', '')
}

/** *1 page, 60 records*; while the first page is coming, *60 records*. */
export function formatProgress(pages: number, count: number): string {
  const records = `${String(count)} ${count === 1 ? 'record' : 'records'}`
  return pages === 0 ? records : `${String(pages)} ${pages === 1 ? 'page' : 'pages'}, ${records}`
}

/** Ids in groups that an address can carry; one empty group when there are none. */
export function idGroups(ids: readonly string[]): (readonly string[])[] {
  if (ids.length === 0) return [[]]
  const groups: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const id of new Set(ids)) {
    const more = encodeURIComponent(id).length + 4
    if (length + more > LONGEST_QUERY) {
      groups.push([])
      length = 0
    }
    groups[groups.length - 1]?.push(id)
    length += more
  }
  return groups
}

// Turns the body of a page into records that are held, and into what there is to say of it.

/** A page, and the HTTP status that it came under. */
export interface ReadPage extends PageSummary {
  readonly status: number
  /** Of a read by ids: errors which say that a record is gone. They are among neither `errors` nor `refusals`. */
  readonly gone: readonly ServiceError[]
}

interface Place {
  readonly rows: Rows
  readonly setId: string
  readonly application: string
  /** Whether records are asked for by their ids: that one is gone is an answer then. */
  readonly isById: boolean
}

/**
 * Adds a page to the set. Errors of the whole request and of items are an error where they brought no record at all.
 * What says that nothing matched is no error. Those that remain go on without the secrets, which a service may echo.
 */
function pageDecoder(
  { rows, setId, application, isById }: Place,
  secrets: readonly string[],
  cameWith: (bytes: number) => void,
): Decoder<ReadPage> {
  return async (raw) => {
    const { status } = raw
    cameWith(raw.length)
    const added = await rows.addPage(setId, raw)
    if (!added.ok) return added
    const { errors, refusals, count, requestId } = added.value
    const isGone = (error: ServiceError): boolean => isById && saysGone(application, error, status)
    const isTrouble = (error: ServiceError): boolean =>
      !isNothingMatched(application, error, status) && !isGone(error)
    const trouble = errors.filter(isTrouble)
    const refused = refusals.map((each) => each.filter(isTrouble)).filter((each) => each.length > 0)
    const all = [...errors, ...refusals.flat()]
    const gone = all.filter(isGone)
    if (count === 0) {
      const said = [...trouble, ...refused.flat()]
      const of = isRefusedKey(status, trouble, refused.flat()) ? 'request' : 'record'
      if (said.length > 0 || (status >= 400 && gone.length === 0)) {
        return err(translateReadErrors(application, said, requestId, status, of))
      }
    }
    const clean = (each: readonly ServiceError[]): readonly ServiceError[] => redactErrors(each, secrets)
    return ok({
      ...added.value,
      status,
      requestId: redact(requestId, secrets),
      errors: clean(trouble),
      refusals: refused.map(clean),
      gone: clean(gone),
      recordErrors: added.value.recordErrors.map((each) => ({ ...each, errors: clean(each.errors) })),
    })
  }
}

/*
 * The first page of a list that somebody waits for: its records can be shown while it is still coming. A try that
 * fails takes them back, into a new set, unless it only broke off.
 */

/** What came before these was good as far as it went. */
const BREAKS: ReadonlySet<AppError['kind']> = new Set(['stopped', 'dropped', 'timed-out'])

class FirstPage {
  readonly #rows: Rows
  #setId: string
  /** Counts the tries, so that what still comes of one that is over is passed by. */
  #tried = 0
  #hasBegun = false

  constructor(rows: Rows, setId: string) {
    this.#rows = rows
    this.#setId = setId
  }

  /** The set of the try that goes on, and of all that follows. */
  get setId(): string {
    return this.#setId
  }

  /** Another try: what came of the one before it is void. */
  async beginTry(): Promise<void> {
    this.#tried += 1
    if (!this.#hasBegun) return
    this.#hasBegun = false
    await this.#rows.closeSet(this.#setId)
    this.#setId = await this.#rows.openSet()
  }

  /** Takes the bytes of this try as they come; `onEarly` hears how many records are held. */
  listener(onEarly: (count: number) => void): OnBytes {
    const [tried, setId] = [this.#tried, this.#setId]
    return (bytes) => {
      if (this.#tried !== tried) return
      this.#hasBegun = true
      void this.#rows.addBytes(setId, bytes).then((count) => {
        if (count.ok && count.value > 0 && this.#tried === tried) onEarly(count.value)
      })
    }
  }

  /** The late answer of a try that is over adds nothing to what was told; of it the log keeps the RequestId. */
  unlessOver<T extends Numbered>(decode: Decoder<T>): Decoder<T> {
    const tried = this.#tried
    return async (raw) => {
      if (this.#tried === tried) return decode(raw)
      const late = await this.#rows.addPage('', raw)
      return late.ok ? err(appError('not-found', 'Its answer came late.')) : late
    }
  }

  /** The read ended with this error. Answers how many records are held of a page that only broke off. */
  async end(error: AppError): Promise<number> {
    this.#tried += 1
    if (!this.#hasBegun || !BREAKS.has(error.kind)) return 0
    const kept = await this.#rows.keepBegun(this.#setId)
    return kept.ok ? kept.value : 0
  }
}
