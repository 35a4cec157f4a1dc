/**
 * Reads a list page by page into a set of the rows worker. Guards against endless pages, splits IDs over as many
 * requests as the URL length requires, and reports whether the list is complete. Used for the screen and for reading
 * back.
 */
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { PageSummary, RecordSets } from '../../rows/rows.ts'
import { redact, redactErrors } from '../../service/errors/redact.ts'
import {
  isNothingMatched,
  isRefusedKey,
  saysRecordIsGone,
  translateReadErrors,
} from '../../service/errors/service-errors.ts'
import type {
  CountedResponse,
  Decoder,
  Mask,
  OnBytes,
  RecordsQuery,
  ServiceError,
  Wire,
} from '../../service/protocol/wire.ts'

/** What to read. No IDs means the whole list. */
export interface PagesQuery {
  readonly ids: readonly string[]
  readonly modTimeStart: string | null
  readonly modTimeEnd: string | null
}

export interface PagesRead {
  /** The set with the records. The caller closes it. */
  readonly setId: string
  readonly pages: number
  readonly count: number
  /** Why the list is incomplete. Empty if it isn't. */
  readonly partialReason: string
  /** Problems of single records, and why some are missing. */
  readonly problems: readonly AppError[]
  /** Errors that came with a record. */
  readonly recordErrors: PageSummary['recordErrors']
  /** Errors that came instead of a record. */
  readonly refused: readonly ServiceError[]
  /** In a read by IDs: errors which say that a record was deleted. They don't make the list incomplete. */
  readonly gone: readonly ServiceError[]
  readonly requestIds: readonly string[]
  /**
   * A page repeated records of an earlier one: the list shifted while it was read, and others may be missing.
   */
  readonly hasMoved: boolean
}

/** What was read so far. */
export interface PagesProgress {
  readonly setId: string
  readonly pages: number
  readonly count: number
}

/** Makes one request of the read. Reads for the screen queue each one; reading back has a slot already. */
export type RequestPage = (operation: (wire: Wire) => Promise<Result<ReadPage>>) => Promise<Result<ReadPage>>

export interface PagesOptions {
  readonly rows: RecordSets
  readonly endpointId: string
  readonly object: string
  readonly application: string
  readonly query: PagesQuery
  /** The limit for one response, which applies to all pages together. */
  readonly mostMebibytes: number
  readonly ask: RequestPage
  readonly isStopped: () => boolean
  /** Whether to report records of the first page while it still arrives, and keep them if it breaks off. */
  readonly tellsEarly: boolean
  /** A different set than in the last call replaces it: discard what was shown. */
  readonly onProgress: (wire: Wire, progress: PagesProgress) => void
}

/** Some servers and proxies refuse longer URLs. */
const LONGEST_QUERY = 1_800
/** More problems than anyone reads. */
const MAX_PROBLEMS = 100
/** Errors with which the service says why there is no record. */
const EXPLAINED_ERRORS: ReadonlySet<AppError['kind']> = new Set(['service-error', 'company-unavailable'])
const STOPPED_BY_PERSON = 'You stopped it.'

/** Returns an error if nothing was read. After that, a failure makes the list incomplete, with the reason. */
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
  const done = (partialReason: string): Result<PagesRead> => {
    if (moved > 0 && partialReason === '')
      problems.push(appError('service-error', formatMoved(moved), MOVED_ADVICE))
    return ok({
      setId: first.setId,
      pages,
      count,
      partialReason,
      problems,
      recordErrors,
      refused,
      gone,
      requestIds,
      hasMoved: moved > 0,
    })
  }
  /** Nothing was read, or the first page turned out to be unusable. */
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
      const response = await options.ask(async (taken) => {
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
        const decode = pageDecoder({ ...options, setId, isById }, taken.target.mask, (length) => {
          bytes += length
        })
        const { endpointId, object, tellsEarly } = options
        const onBytes = isFirst && tellsEarly ? first.listener(onEarly) : undefined
        return taken.readRecords(endpointId, object, query, first.unlessOver(decode), onBytes)
      })
      if (!response.ok) {
        const came = await first.end(response.error)
        if (pages === 0 && came === 0) return nothing(response.error)
        count = Math.max(count, came)
        if (EXPLAINED_ERRORS.has(response.error.kind)) problems.push(response.error)
        return done(options.isStopped() ? STOPPED_BY_PERSON : response.error.message)
      }
      const summary = response.value
      pages += 1
      count += summary.added + summary.twins
      if (summary.requestId !== '') requestIds.push(summary.requestId)
      recordErrors.push(...summary.recordErrors)
      refused.push(...summary.errors, ...summary.refusals.flat())
      gone.push(...summary.gone)
      for (const each of summary.recordErrors.slice(0, MAX_PROBLEMS - problems.length)) {
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
      const { moreData, added, bare } = summary
      if (page > 1) moved += repeatedIn(summary)
      // The number of a single page says nothing.
      if (summary.page !== null && summary.page !== page && (page > 1 || moreData === true)) {
        return done(missing === '' ? gaveOtherPage(page, summary.page) : missing)
      }
      if (moreData !== true) {
        if (page > 1 && added + bare === 0 && summary.count > 0) return done(gaveNoMore(page))
        break
      }
      if (added === 0) return done(missing === '' ? gaveNoMore(page) : missing)
      if (bytes > options.mostMebibytes * 1_048_576) return done(noEndSeen(options.mostMebibytes))
    }
  }
  return done(missing)
}

/** Errors of items without a record, each once. */
function refusalProblems(application: string, { refusals, requestId }: ReadPage): readonly AppError[] {
  const problems = refusals.map((errors) =>
    translateReadErrors(application, errors, requestId, 200, 'record'),
  )
  const once = new Map(problems.map((problem) => [problem.message, problem]))
  return [...once.values()].map((problem) => {
    const times = problems.filter(({ message }) => message === problem.message).length
    return times === 1
      ? problem
      : { ...problem, message: `${problem.message} (Sent instead of several records.)` }
  })
}

/** Other reasons why records may be missing from a complete page. Empty if there are none. */
function whyMayMiss({ status, bare, empty, hasUnlistedErrors, gone }: ReadPage): string {
  if (hasUnlistedErrors) return 'The service reported errors without details.'
  if (bare > 0)
    return `The service sent only an error for ${String(bare)} ${bare === 1 ? 'record' : 'records'}.`
  if (empty > 0) {
    return `${String(empty)} ${empty === 1 ? 'item wasn’t a record' : 'items weren’t records'}.`
  }
  // A deleted record may have an HTTP status of its own.
  return status >= 400 && gone.length === 0
    ? `The service sent the list with an error (HTTP ${String(status)}).`
    : ''
}

/** How many records of a page were already in the set. */
function repeatedIn({ count, added, twins, bare }: PageSummary): number {
  return count - added - twins - bare
}

/** Oddities of a page whose records were all kept. */
function oddities(summary: PageSummary): readonly AppError[] {
  const { page, requestId, empty, twins, hasUnlistedErrors } = summary
  const say = (message: string, advice: string): AppError =>
    appError('service-error', message, advice, requestId === '' ? {} : { requestId })
  const repeated = page === null || page <= 1 ? repeatedIn(summary) : 0
  return [
    ...(empty > 0
      ? [
          say(
            `${String(empty)} ${empty === 1 ? 'item wasn’t a record' : 'items weren’t records'}.`,
            'The others are in the list. If a record is missing, get the list again.',
          ),
        ]
      : []),
    ...(repeated > 0
      ? [
          say(
            `${String(repeated)} ${repeated === 1 ? 'record' : 'records'} came more than once.`,
            'Each is shown once.',
          ),
        ]
      : []),
    ...(twins > 0 ? [say(formatSharedIds(summary), SHARED_ADVICE)] : []),
    ...(hasUnlistedErrors
      ? [
          say(
            'The service reported errors without details.',
            'The rest is in the list. Get the list again. If this repeats, send your provider the RequestId.',
          ),
        ]
      : []),
  ]
}

function formatMoved(records: number): string {
  return `${String(records)} ${records === 1 ? 'record' : 'records'} appeared on more than one page, because the list changed while loading.`
}

const MOVED_ADVICE = 'Each is shown once. Others may be missing, so get the list again.'

const SHARED_ADVICE =
  'All of them are shown, but you can’t change them in Bookbridge, because the service couldn’t tell them apart. Change them in the application.'

function formatSharedIds({ twins, sharedIds }: PageSummary): string {
  const records = twins === 1 ? 'record has' : 'records have'
  return `${String(twins)} more ${records} an ID that is already in use (${sharedIds.join(', ')}${twins > sharedIds.length ? ', …' : ''}).`
}

function gaveNoMore(page: number): string {
  return `The service says there is more, but didn’t send it (it sent page ${String(page)} again).`
}

/** Records between the two, or after them, can't be requested reliably. */
function gaveOtherPage(page: number, given: number): string {
  return `The service says there is more, but didn’t send it (it returned page ${String(given)} instead of ${String(page)}).`
}

/** Never loop forever, even if each page has new records (decisions.md, "How page 2 is asked for"). */
function noEndSeen(mebibytes: number): string {
  return `The service keeps saying that there is more. After ${String(mebibytes)} MB, Bookbridge stopped loading. Use the filter to load fewer records, or allow larger responses in Settings.`
}

function stopped(): AppError {
  return appError('stopped', 'Stopped before anything loaded.', '')
}

/** *1 page, 60 records*; while the first page is coming, *60 records*. */
export function formatProgress(pages: number, count: number): string {
  const records = `${String(count)} ${count === 1 ? 'record' : 'records'}`
  return pages === 0 ? records : `${String(pages)} ${pages === 1 ? 'page' : 'pages'}, ${records}`
}

/** Splits IDs into groups that fit into a URL. Returns one empty group if there are none. */
function idGroups(ids: readonly string[]): (readonly string[])[] {
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

// Decodes a page into records in the set, and into problems.

/** A page, and the HTTP status that it came under. */
export interface ReadPage extends PageSummary {
  readonly status: number
  /** In a read by IDs: errors which say that a record was deleted. Not in `errors` or `refusals`. */
  readonly gone: readonly ServiceError[]
}

interface Place {
  readonly rows: RecordSets
  readonly setId: string
  readonly application: string
  /** Whether this is a read by IDs, in which a deleted record is a valid answer. */
  readonly isById: boolean
}

/**
 * Adds a page to the set. Errors of the request and of items fail it only if there is no record. *Nothing matched* is
 * not an error. Secrets, which a service may echo, are removed from errors.
 */
function pageDecoder(
  { rows, setId, application, isById }: Place,
  mask: Mask,
  cameWith: (bytes: number) => void,
): Decoder<ReadPage> {
  return async (raw) => {
    const { status } = raw
    cameWith(raw.length)
    const added = await rows.addPage(setId, raw)
    if (!added.ok) return added
    const { errors, refusals, count, requestId } = added.value
    const isGone = (error: ServiceError): boolean => isById && saysRecordIsGone(application, error, status)
    const isTrouble = (error: ServiceError): boolean =>
      !isNothingMatched(application, error, status) && !isGone(error)
    const trouble = errors.filter(isTrouble)
    const refused = refusals.map((each) => each.filter(isTrouble)).filter((each) => each.length > 0)
    const all = [...errors, ...refusals.flat()]
    const gone = all.filter(isGone)
    if (count === 0) {
      const reported = [...trouble, ...refused.flat()]
      const of = isRefusedKey(status, trouble, refused.flat()) ? 'request' : 'record'
      if (reported.length > 0 || (status >= 400 && gone.length === 0)) {
        return err(translateReadErrors(application, reported, requestId, status, of))
      }
    }
    const clean = (each: readonly ServiceError[]): readonly ServiceError[] => redactErrors(each, mask)
    return ok({
      ...added.value,
      status,
      requestId: redact(requestId, mask),
      errors: clean(trouble),
      refusals: refused.map(clean),
      gone: clean(gone),
      recordErrors: added.value.recordErrors.map((each) => ({ ...each, errors: clean(each.errors) })),
    })
  }
}

/*
 * The first page of a list. Its records can be shown while it still arrives. If a try fails, the next one starts a new
 * set, unless the page only broke off.
 */

/** Failures after which the records received so far are valid. */
const BREAKS: ReadonlySet<AppError['kind']> = new Set(['stopped', 'dropped', 'timed-out'])

class FirstPage {
  readonly #rows: RecordSets
  #setId: string
  /** Counts tries, so that late bytes of an earlier one are ignored. */
  #tried = 0
  #hasBegun = false

  constructor(rows: RecordSets, setId: string) {
    this.#rows = rows
    this.#setId = setId
  }

  /** The set of the current try. */
  get setId(): string {
    return this.#setId
  }

  /** Starts another try, and discards what the last one received. */
  async beginTry(): Promise<void> {
    this.#tried += 1
    if (!this.#hasBegun) return
    this.#hasBegun = false
    await this.#rows.closeSet(this.#setId)
    this.#setId = await this.#rows.openSet()
  }

  /** Takes the bytes of this try as they arrive. Calls `onEarly` with the number of records so far. */
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

  /** The late response of an earlier try adds no records. The log keeps its RequestId. */
  unlessOver<T extends CountedResponse>(decode: Decoder<T>): Decoder<T> {
    const tried = this.#tried
    return async (raw) => {
      if (this.#tried === tried) return decode(raw)
      const late = await this.#rows.addPage('', raw)
      return late.ok ? err(appError('not-found', 'The response came late.')) : late
    }
  }

  /** Ends the read with an error. Returns how many records to keep of a page that only broke off. */
  async end(error: AppError): Promise<number> {
    this.#tried += 1
    if (!this.#hasBegun || !BREAKS.has(error.kind)) return 0
    const kept = await this.#rows.keepBegun(this.#setId)
    return kept.ok ? kept.value : 0
  }
}
