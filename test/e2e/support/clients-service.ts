/**
 * A read-only service on loopback with one list that has no definition: its own field names, its own form of reference,
 * and a field that the application doesn't accept. Written from the specification alone.
 */
import { LoopbackServer } from './loopback-server.ts'

const KEY = 'clients-key'
const COMPANY = {
  companyName: 'Marsh Lane Dental',
  fullPath: '',
  version: '',
  dateTimeCreated: '2025-02-03T04:05:06Z',
  dateTimeLastAccess: '2026-01-02T03:04:05Z',
  endpoint: 'qbo',
  endpointId: 'marsh-lane',
  id: 'r-1',
  isActive: 'true',
  userId: 'u-1',
  token: '',
  externalId: '',
  appName: 'Clients',
  isHostedNetworks: null,
}
const PATIENTS = ['p-1', 'p-2', 'p-3'].map((ID) => ({
  ID,
  Folder: 'Red',
  SeenOn: '2024-12-01',
  Insurer: { ID: 'i-1', Title: 'Acme' },
  Ward: 'West',
}))
/** The fields that the application accepts, without the ward. */
const TAKEN = { ID: '', Folder: '', SeenOn: '', Insurer: '' }

export interface ClientsService {
  readonly url: string
  readonly key: string
  close(): Promise<void>
}

export async function startClients(): Promise<ClientsService> {
  const server = new LoopbackServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname.toLowerCase()
    response.writeHead(200, { 'content-type': 'application/json' })
    if (request.headers['x-api-key'] !== KEY) response.end(envelope([], 'Unknown API key', 'collection'))
    else if (path.startsWith('/v2/meta/')) response.end(envelope([TAKEN], '', 'patient'))
    else if (path === '/v2/data/marsh-lane/patient') response.end(envelope(PATIENTS, '', 'patient'))
    else response.end(envelope([COMPANY], '', 'collection'))
  })
  await server.listen()
  return { url: server.url, key: KEY, close: () => server.close() }
}

/** Specification 2.1. */
function envelope(objects: readonly object[], error: string, kind: string): string {
  return JSON.stringify({
    Self: '',
    Kind: 'collection',
    Page: 1,
    MoreData: false,
    HasErrors: error !== '',
    RequestId: 'clients-request',
    Contents: objects.map((value) => ({ Object: value, Errors: null, Self: null, Kind: kind })),
    Errors: error === '' ? null : [{ Message: error }],
  })
}
