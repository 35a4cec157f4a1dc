/** Turns the body of a page into records that are held, and into what there is to say of it. */
import { err, ok } from '../../shared/result.ts'
import type { PageSummary, Rows } from '../rows/rows.ts'
import { saysGone } from '../service/absence.ts'
import { redact, redactErrors } from '../service/redact.ts'
import { isNothingMatched, isRefusedKey, translateReadErrors } from '../service/service-errors.ts'
import type { Decoder, ServiceError } from '../service/wire.ts'

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
export function pageDecoder(
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
