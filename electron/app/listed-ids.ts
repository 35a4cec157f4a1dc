/**
 * Asks the service for a company by the id as it lists it now. Here a company keeps the spelling by which it was first
 * known, since drafts and the journal hang on it; a service may write the id otherwise later, or the current one than
 * the older one did, and need not take both for the same.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { ServiceClient, Wire } from '../service/wire.ts'
import type { CompanyStore } from '../store/store.ts'

/** The id to ask the service by; the company's own where nothing else is known. */
export function listedId(store: Pick<CompanyStore, 'get'>, company: CompanyRef): string {
  const found = store.get(company)
  return (found.ok ? found.value?.listedAs : undefined) ?? company.endpointId
}

/** The same client, whose data calls carry ids as the service lists them. */
export function withListedIds(client: ServiceClient, idOf: (company: CompanyRef) => string): ServiceClient {
  const translated = (wire: Wire, connectionId: string): Wire => {
    const listed = (endpointId: string): string => idOf({ connectionId, endpointId })
    return {
      ...wire,
      readRecords: (endpointId, ...rest) => wire.readRecords(listed(endpointId), ...rest),
      selectReport: (endpointId, ...rest) => wire.selectReport(listed(endpointId), ...rest),
      insertRecords: (endpointId, ...rest) => wire.insertRecords(listed(endpointId), ...rest),
      changeRecords: (endpointId, ...rest) => wire.changeRecords(listed(endpointId), ...rest),
    }
  }
  return {
    turn: (request, work) => client.turn(request, (wire) => work(translated(wire, request.connectionId))),
    read: (request, operation, options) =>
      client.read(request, (wire) => operation(translated(wire, request.connectionId)), options),
  }
}
