/**
 * Which fields an application, or several of them, take in a list (specification 4.3): asked of metadata when it is
 * first needed in a run, when the application has another version, and when it shall be known anew.
 */
import { displayName } from '../../shared/company-name.ts'
import { listName, MOST_FIELDS } from '../../shared/records.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { decodeEnvelope } from '../service/envelope.ts'
import { translateReadErrors } from '../service/service-errors.ts'
import type { Decoder, Numbered, ServiceClient } from '../service/wire.ts'
import type { StoredCompany } from '../store/store.ts'

interface Asked {
  /** Short codes; of several only what all of them take. Left out: the company's own. */
  readonly applications?: readonly string[] | undefined
  /** Whether what is known is asked for again. */
  readonly anew?: boolean | undefined
}

/** Answers the names of the fields, or why metadata could not be read. */
export type AskSupport = (
  company: StoredCompany,
  object: string,
  asked?: Asked,
) => Promise<Result<readonly string[]>>

/** @param addressOf where a connection leads: what one service takes says nothing about another */
export function createSupport(
  client: ServiceClient,
  addressOf: (connectionId: string) => string,
): AskSupport {
  const held = new Map<string, readonly string[]>()
  return async (company, object, { applications = [company.application], anew = false } = {}) => {
    const { connectionId } = company.ref
    const of = [addressOf(connectionId), applications.toSorted(), company.version]
    const name = JSON.stringify([connectionId, ...of, object])
    const known = held.get(name)
    if (known !== undefined && !anew) return ok(known)
    const answer = await client.read(
      {
        connectionId,
        company: company.ref,
        companyName: displayName(company),
        what: `Asking which fields ${listName(object).toLowerCase()} take`,
        isWrite: false,
        priority: 'person',
        batchId: '',
      },
      (wire) =>
        wire.metadata(object, applications, applications.length > 1, fieldNamesDecoder(company.application)),
    )
    if (!answer.ok) return answer
    held.set(name, answer.value.names)
    return ok(answer.value.names)
  }
}

const TOO_MANY = appError(
  'too-large',
  `The service names more than ${MOST_FIELDS.toLocaleString('en-US')} fields for this list.`,
  'Its records can be read, not changed. Tell the service’s support.',
)

interface FieldNames extends Numbered {
  readonly names: readonly string[]
}

/** Metadata (specification 2.8): the members of the one item's object are the supported field names. */
function fieldNamesDecoder(application: string): Decoder<FieldNames> {
  return (raw) => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    const { errors, items, requestId, status } = envelope.value
    const names = [...new Set(items.flatMap(({ object }) => (object === null ? [] : Object.keys(object))))]
    if (names.length > MOST_FIELDS) return Promise.resolve(err(TOO_MANY))
    if (names.length > 0) return Promise.resolve(ok({ names, requestId }))
    const all = [...errors, ...items.flatMap((item) => item.errors)]
    if (all.length > 0) return Promise.resolve(err(translateReadErrors(application, all, requestId, status)))
    return Promise.resolve(
      err(
        appError(
          'service-error',
          'The service does not say which fields this list takes.',
          'Its records can be read, not changed.',
          {
            requestId,
          },
        ),
      ),
    )
  }
}
