/** Turns the body of a page into records that are held, and into what there is to say of it. */
import { err, ok } from '../../shared/result.ts'
import type { PageSummary, Rows } from '../rows/rows.ts'
import { keyRefused } from '../service/envelope.ts'
import { redact, redactErrors } from '../service/redact.ts'
import { isNothingMatched, isRefusedKey, translateErrors } from '../service/service-errors.ts'
import type { Decoder } from '../service/wire.ts'

/** A page, and the HTTP status that it came under. */
export interface ReadPage extends PageSummary {
  readonly status: number
}

interface Place {
  readonly rows: Rows
  readonly setId: string
  readonly application: string
}

/**
 * Adds a page to the set; a refused key and an error of the whole request without records are errors. Errors on
 * single records go on without the secrets, which a service may echo.
 */
export function pageDecoder(
  { rows, setId, application }: Place,
  secrets: readonly string[],
  cameWith: (bytes: number) => void,
): Decoder<ReadPage> {
  return async (raw) => {
    const { status } = raw
    cameWith(raw.length)
    const added = await rows.addPage(setId, raw)
    if (!added.ok) return added
    const { errors, count, requestId } = added.value
    const trouble = errors.filter((error) => !isNothingMatched(application, error, status))
    if (count === 0 && trouble.length > 0) {
      if (isRefusedKey(status, errors)) {
        return err(keyRefused({ status, raw: errors[0]?.raw ?? '', requestId }))
      }
      return err(translateErrors(application, trouble, requestId, status))
    }
    if (count === 0 && status >= 400) return err(translateErrors(application, errors, requestId, status))
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
