/** The operations of the specification as requests: method, path, deadline, SchemaVersion. Nothing is sent here. */
import type { Settings } from '../../shared/contract/settings.ts'
import {
  PROVISION_PATH,
  SAMPLE_ADDRESS,
  USER_PATH,
  companiesPath,
  dataPath,
  legacyCompaniesPath,
  metadataPath,
  reportPath,
} from './addresses.ts'
import type { CompaniesQuery, RecordsQuery, ReportQuery, ServiceTarget } from './wire.ts'

/** One request, still without an address and a key. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** The exact JSON text to send; `null` for a read. */
  readonly body: string | null
  /** The deadline, to the end of the body. */
  readonly seconds: number
  /** Header `SchemaVersion` (specification 9.2); `null` where it does not belong. */
  readonly schemaVersion: string | null
  /** Goes to the older service, with its own key header. */
  readonly isLegacy: boolean
}

type WithoutKind = Pick<Operation, 'path' | 'seconds'> &
  Partial<Pick<Operation, 'schemaVersion' | 'isLegacy'>>

function read(operation: WithoutKind): Operation {
  return { method: 'GET', body: null, schemaVersion: null, isLegacy: false, ...operation }
}

function write(method: 'POST' | 'PATCH', body: string, operation: WithoutKind): Operation {
  return { method, body, schemaVersion: null, isLegacy: false, ...operation }
}

/** Every operation of the specification, 4.1 to 4.7, and user creation. */
export function operationsFor(settings: Settings) {
  const { readSeconds, writeSeconds, pageParameter, dataSchemaVersion } = settings
  const toData = (endpointId: string, object: string): WithoutKind => ({
    path: dataPath(endpointId, object, {}, pageParameter),
    seconds: writeSeconds,
    schemaVersion: dataSchemaVersion,
  })
  return {
    listCompanies: (query: CompaniesQuery) =>
      read({ path: companiesPath(query, pageParameter), seconds: readSeconds }),
    readRecords: (endpointId: string, object: string, query: RecordsQuery) =>
      read({
        path: dataPath(endpointId, object, query, pageParameter),
        seconds: readSeconds,
        schemaVersion: dataSchemaVersion,
      }),
    metadata: (object: string, applications: readonly string[], overlap: boolean) =>
      read({
        path: metadataPath(object, applications, overlap),
        seconds: readSeconds,
        schemaVersion: dataSchemaVersion,
      }),
    selectReport: (endpointId: string, query: ReportQuery) =>
      read({
        path: reportPath(endpointId, query, pageParameter),
        seconds: settings.reportSeconds,
        schemaVersion: settings.reportSchemaVersion,
      }),
    legacyListCompanies: (isActive: boolean | undefined) =>
      read({ path: legacyCompaniesPath(isActive), seconds: readSeconds, isLegacy: true }),
    insertRecords: (endpointId: string, object: string, body: string) =>
      write('POST', body, toData(endpointId, object)),
    changeRecords: (endpointId: string, object: string, body: string) =>
      write('PATCH', body, toData(endpointId, object)),
    provision: (body: string) =>
      write('POST', body, { path: PROVISION_PATH, seconds: settings.provisionSeconds }),
    deprovision: (body: string) => write('PATCH', body, { path: companiesPath(), seconds: writeSeconds }),
    createUser: (body: string) => write('POST', body, { path: USER_PATH, seconds: writeSeconds }),
    legacyDeprovision: (body: string) =>
      write('PATCH', body, { path: legacyCompaniesPath(), seconds: writeSeconds, isLegacy: true }),
  }
}

/** The headers of specification 4 and 5; the only place where the key leaves. */
export function headersFor(operation: Operation, target: ServiceTarget): Record<string, string> {
  return {
    accept: 'application/json',
    'cache-control': 'no-cache',
    ...(operation.body === null ? {} : { 'content-type': 'application/json' }),
    ...(operation.schemaVersion === null || operation.schemaVersion === ''
      ? {}
      : { SchemaVersion: operation.schemaVersion }),
    ...(operation.isLegacy ? { authorization: target.legacyKey } : { 'x-api-key': target.key }),
  }
}

export function fullAddress(base: string, path: string): string {
  return base === SAMPLE_ADDRESS ? `http://sample.invalid${path}` : `${base}${path}`
}

/** What a person is told instead of the address. */
export function hostOf(base: string): string {
  return base === SAMPLE_ADDRESS ? 'the sample service' : URL.canParse(base) ? new URL(base).host : base
}
