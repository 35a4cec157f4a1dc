/**
 * Which fields of a list one or several applications support (specification 4.3). Metadata is read once per run and
 * application version, and again on request.
 */
import { displayName } from '../../../shared/companies/companies.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { isObject, type JsonType, pathOf, textOf } from '../../../shared/records/changes.ts'
import { listName, MAX_FIELDS } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { translateReadErrors } from '../../service/errors/service-errors.ts'
import { decodeEnvelope } from '../../service/protocol/envelope.ts'
import type { CountedResponse, Decoder, ServiceClient } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { findConnection } from '../connections/saved-connections.ts'
import type { SettingsStore } from '../ports.ts'

interface SupportQuery {
  /** Short codes. With several, only fields that all of them support. Defaults to the company's own. */
  readonly applications?: readonly string[] | undefined
  /** Whether to read metadata again. */
  readonly refresh?: boolean | undefined
}

/** What metadata says about a list. */
export interface SupportedFields {
  /** Paths of the fields and of their members. */
  readonly paths: readonly string[]
  /** By path, if the empty value in metadata has a type. */
  readonly types: ReadonlyMap<string, JsonType>
}

/** Returns the fields, or why metadata could not be read. */
export type GetSupportedFields = (
  company: StoredCompany,
  object: string,
  asked?: SupportQuery,
) => Promise<Result<SupportedFields>>

export function createFieldSupport(
  client: ServiceClient,
  settings: Pick<SettingsStore, 'connections'>,
): GetSupportedFields {
  const held = new Map<string, SupportedFields>()
  return async (company, object, { applications = [company.application], refresh = false } = {}) => {
    const { connectionId } = company.ref
    // Metadata of one service says nothing about another.
    const address = findConnection(settings, connectionId)?.address ?? ''
    const of = [address, applications.toSorted(), company.version]
    const name = JSON.stringify([connectionId, ...of, object])
    const known = held.get(name)
    if (known !== undefined && !refresh) return ok(known)
    const response = await client.read(
      {
        connectionId,
        company: company.ref,
        companyName: displayName(company),
        what: `Checking which fields ${listName(object).toLowerCase()} have`,
        isWrite: false,
        priority: 'interactive',
        batchId: '',
        reads: 'fields',
      },
      (wire) =>
        wire.metadata(object, applications, applications.length > 1, fieldsDecoder(company.application)),
    )
    if (!response.ok) return response
    const { paths, types } = response.value
    held.set(name, { paths, types })
    return ok({ paths, types })
  }
}

const tooMany = (): AppError =>
  appError(
    'too-large',
    `The service names more than ${MAX_FIELDS.toLocaleString('en-US')} fields for this list.`,
    'You can read its records, but not change them. Contact the service’s support.',
  )

/**
 * Decodes metadata (specification 2.8): the members of the single item's object are the fields, with empty values.
 */
function fieldsDecoder(application: string): Decoder<SupportedFields & CountedResponse> {
  return (raw) => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    const { errors, items, requestId, status } = envelope.value
    const shown = items.flatMap(({ object }) => (object === null ? [] : Object.entries(object)))
    const fields = shown.flatMap(([name, value]): (readonly [string, unknown])[] => [
      [pathOf(name), value],
      ...(isObject(value) ? Object.entries(value) : []).map(
        ([member, each]) => [pathOf(name, member), each] as const,
      ),
    ])
    const paths = [...new Set(fields.map(([path]) => path))]
    if (paths.length > MAX_FIELDS) return Promise.resolve(err(tooMany()))
    if (paths.length > 0) return Promise.resolve(ok({ paths, types: typesOf(fields), requestId }))
    const all = [...errors, ...items.flatMap((item) => item.errors)]
    if (all.length > 0) return Promise.resolve(err(translateReadErrors(application, all, requestId, status)))
    return Promise.resolve(
      err(
        appError(
          'service-error',
          'The service doesn’t say which fields this list accepts.',
          'You can read its records, but not change them.',
          {
            requestId,
          },
        ),
      ),
    )
  }
}

/** As in any response, an empty number or boolean may be text (specification 2.1). */
function typesOf(
  fields: readonly (readonly [path: string, value: unknown])[],
): ReadonlyMap<string, JsonType> {
  const types = new Map<string, JsonType>()
  for (const [path, value] of fields) {
    if (Array.isArray(value)) types.set(path, 'list')
    else if (isObject(value)) types.set(path, 'object')
    else if (/^(?:true|false)$/i.test(textOf(value))) types.set(path, 'boolean')
    else if (parseDecimal(textOf(value)) !== null) types.set(path, 'number')
  }
  return types
}
