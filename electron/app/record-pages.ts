/**
 * Reads a list page by page into a set of the rows worker: the loop guard, ids in as many requests as an address's
 * length asks for, and what is known about its being whole. Used by the screen's reads and by reading back.
 */
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { PageSummary, Rows } from '../rows/rows.ts'
import { keyRefused } from '../service/envelope.ts'
import { redact, redactErrors, secretsOf } from '../service/redact.ts'
import { isRefusedKey, normalCode, translateErrors } from '../service/service-errors.ts'
import type { Decoder, RecordsQuery, Wire } from '../service/wire.ts'

/** What is asked for; no ids means all. */
export interface PagesQuery {
  readonly ids: readonly string[]
  readonly modTimeStart: string | null
  readonly modTimeEnd: string | null
}

export interface PagesRead {
  readonly pages: number
  readonly count: number
  /** Empty when everything that was asked for is held. */
  readonly partialBecause: string
  /** Errors on single records. */
  readonly problems: readonly AppError[]
  /** Errors that name a record by its id. */
  readonly recordErrors: PageSummary['recordErrors']
  readonly requestIds: readonly string[]
}

/** A page, and the HTTP status that it came under. */
interface ReadPage extends PageSummary {
  readonly status: number
}

/** One request of the read; the screen's reads take a turn for each, reading back has one already. */
export type AskPage = (operation: (wire: Wire) => Promise<Result<ReadPage>>) => Promise<Result<ReadPage>>

export interface PagesOptions {
  readonly rows: Rows
  readonly setId: string
  readonly endpointId: string
  readonly object: string
  readonly application: string
  readonly query: PagesQuery
  /** All pages together may be as large as one answer: above it there is no end to be seen. */
  readonly mostMebibytes: number
  readonly ask: AskPage
  readonly isStopped: () => boolean
  readonly onPage: (pages: number, count: number) => void
}

/** Addresses longer than this are refused by servers and proxies here and there. */
const LONGEST_QUERY = 1_800
/** More problems than anybody reads. */
const MOST_PROBLEMS = 100

/**
 * Answers an error when nothing at all came; once there are records, a failure makes the list partial, with its
 * reason in words.
 */
export async function readPages(options: PagesOptions): Promise<Result<PagesRead>> {
  let pages = 0
  let count = 0
  let bytes = 0
  let missing = ''
  const problems: AppError[] = []
  const recordErrors: PageSummary['recordErrors'][number][] = []
  const requestIds: string[] = []
  const done = (partialBecause: string): Result<PagesRead> =>
    ok({ pages, count, partialBecause, problems, recordErrors, requestIds })

  for (const ids of idGroups(options.query.ids)) {
    for (let page = 1; ; page += 1) {
      if (options.isStopped()) return pages === 0 ? err(stopped()) : done('You stopped it.')
      const query: RecordsQuery = {
        ids,
        page,
        ...(options.query.modTimeStart === null ? {} : { modTimeStart: options.query.modTimeStart }),
        ...(options.query.modTimeEnd === null ? {} : { modTimeEnd: options.query.modTimeEnd }),
      }
      const answer = await options.ask((wire) =>
        wire.readRecords(
          options.endpointId,
          options.object,
          query,
          pageDecoder(options, secretsOf(wire.target), (length) => {
            bytes += length
          }),
        ),
      )
      if (!answer.ok) return pages === 0 ? answer : done(answer.error.message)
      const summary = answer.value
      pages += 1
      count += summary.added
      if (summary.requestId !== '') requestIds.push(summary.requestId)
      recordErrors.push(...summary.recordErrors)
      for (const each of summary.recordErrors.slice(0, MOST_PROBLEMS - problems.length)) {
        const problem = translateErrors(options.application, each.errors, summary.requestId, 200)
        problems.push({
          ...problem,
          message: each.name === '' ? problem.message : `${each.name}: ${problem.message}`,
        })
      }
      problems.push(...oddities(summary))
      if (missing === '') missing = whyMayMiss(summary)
      options.onPage(pages, count)
      const trouble = summary.errors.filter((error) => normalCode(error.code) !== '1')
      if (trouble.length > 0) {
        const problem = translateErrors(options.application, trouble, summary.requestId, 200)
        problems.push(problem)
        return done(problem.message)
      }
      if (summary.moreData !== true) {
        if (page > 1 && summary.added === 0 && summary.count > 0) return done(gaveNoMore(page))
        break
      }
      const isOtherPage = page > 1 && summary.page !== null && summary.page !== page
      if (isOtherPage || summary.added === 0) return done(gaveNoMore(page))
      if (bytes > options.mostMebibytes * 1_048_576) return done(noEndSeen(options.mostMebibytes))
    }
  }
  return done(missing)
}

/** Why records may be missing from a page that came to its end; empty when nothing says so. */
function whyMayMiss({ status, empty, isErrorUntold }: ReadPage): string {
  if (isErrorUntold) return 'The service says that there were errors, but not which.'
  if (empty > 0) {
    return `${String(empty)} of the answer’s items ${empty === 1 ? 'holds' : 'hold'} no record.`
  }
  return status >= 400 ? `The service gave the list under an error (HTTP ${String(status)}).` : ''
}

/** What is odd about a page of which everything was kept. */
function oddities({ page, requestId, empty, count, added, isErrorUntold }: PageSummary): readonly AppError[] {
  const say = (message: string, advice: string): AppError =>
    appError('service-error', message, advice, requestId === '' ? {} : { requestId })
  const repeated = page === null || page <= 1 ? count - added : 0
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

function gaveNoMore(page: number): string {
  return `The service says that there is more, but did not give it (page ${String(page)} repeated what was there).`
}

/** *Assumption* (decisions.md, "how page 2 is asked for"): never loop without end, also where each page is new. */
function noEndSeen(mebibytes: number): string {
  return `The service always says that there is more; after ${String(mebibytes)} MiB no more was asked for. Ask for less at once, or allow larger answers in Settings.`
}

function stopped(): AppError {
  return appError('stopped', 'Stopped before anything came.', '')
}

/**
 * Adds a page to the set; a refused key and an error of the whole request without records are errors. Errors on
 * single records go on without the secrets, which a service may echo.
 */
function pageDecoder(
  { rows, setId, application }: Pick<PagesOptions, 'rows' | 'setId' | 'application'>,
  secrets: readonly string[],
  cameWith: (bytes: number) => void,
): Decoder<ReadPage> {
  return async (raw) => {
    const { status } = raw
    cameWith(raw.length)
    const added = await rows.addPage(setId, raw)
    if (!added.ok) return added
    const { errors, count, requestId } = added.value
    const nothingMatched = errors.length > 0 && errors.every((error) => normalCode(error.code) === '1')
    if (count === 0 && errors.length > 0 && !nothingMatched) {
      if (isRefusedKey(status, errors)) {
        return err(keyRefused({ status, raw: errors[0]?.raw ?? '', requestId }))
      }
      return err(translateErrors(application, errors, requestId, status))
    }
    if (count === 0 && status >= 400 && !nothingMatched)
      return err(translateErrors(application, errors, requestId, status))
    return ok({
      ...added.value,
      status,
      requestId: redact(requestId, secrets),
      errors: redactErrors(errors, secrets),
      recordErrors: added.value.recordErrors.map((each) => ({
        ...each,
        errors: redactErrors(each.errors, secrets),
      })),
    })
  }
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
