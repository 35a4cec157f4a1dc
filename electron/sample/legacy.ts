// The older service (section 4.7): the v1 envelope, the key in the authorization header. It also knows one
// company that the current service does not.
import { type Day, momentOfDay } from './time.ts'
import { legacyEnvelope } from './envelope.ts'
import { endpointToDeactivate } from './manage.ts'
import { readBoolean } from './routes.ts'
import { isObject } from './records/checking.ts'
import { type Registry, fileOf } from './registry.ts'
import { type SampleStorage } from './storage.ts'

interface LegacyRecord {
  readonly isActive: string
  readonly endpointId: string
  readonly endpoint: string
  readonly fullPath: string
  readonly companyName: string
  readonly dateTimeCreated: string
  readonly appName: string
}

const OLD_ENDPOINT_ID = '0e1f6a54-77c3-4b02-9d0e-5a1c2f9b7e11'
const OLD_KEY = 'legacy/inactive'

/** The calls of v1. */
export interface LegacyService {
  list(query: URLSearchParams): Response
  deactivate(body: unknown): Response
}

/** The v1 calls over the registry; `storage` keeps whether the company of its own is active. */
export function createLegacyService(registry: Registry, storage: SampleStorage, today: Day): LegacyService {
  let oldIsActive = ![...storage.entries()].some(([key]) => key === OLD_KEY)
  const old = (): LegacyRecord => ({
    isActive: String(oldIsActive),
    endpointId: OLD_ENDPOINT_ID,
    endpoint: 'qbd',
    fullPath: 'C:\\QB\\Weatherby.qbw',
    companyName: 'Weatherby Auto Body & Glass',
    dateTimeCreated: timestamp(momentOfDay(today - 1460) + 36_000_000),
    appName: 'Bookbridge',
  })
  const all = (): LegacyRecord[] => [
    ...registry.endpoints.map((endpoint) => {
      const file = fileOf(endpoint)
      return {
        isActive: String(endpoint.isActive),
        endpointId: endpoint.endpointId,
        endpoint: file.application,
        fullPath: file.fullPath,
        companyName: file.companyName,
        dateTimeCreated: timestamp(endpoint.created),
        appName: file.appName,
      }
    }),
    old(),
  ]
  return {
    list: (query) => {
      const wanted = readBoolean(query, 'IsActive')
      if (!wanted.ok) return legacyEnvelope(400, '400', wanted.refusal.entry.Message, [])
      const found = all().filter(
        (record) => wanted.value === undefined || record.isActive === String(wanted.value),
      )
      return legacyEnvelope(200, '0', `${String(found.length)} endpoint id(s) found.`, found)
    },
    deactivate: (body) => {
      const named = isObject(body) ? body['endpointId'] : undefined
      const off = isObject(body) && String(body['isActive']).toLowerCase() === 'false'
      if (named === OLD_ENDPOINT_ID && off) {
        oldIsActive = false
        storage.put(OLD_KEY, '{}')
        return legacyEnvelope(200, '0', `Endpoint ${OLD_ENDPOINT_ID} was updated.`, [old()])
      }
      const endpoint = endpointToDeactivate(registry, body)
      if (!endpoint.ok) {
        const { status, entry } = endpoint.refusal
        return legacyEnvelope(status, String(status), entry.Message, [])
      }
      const { endpointId } = registry.deactivate(endpoint.value)
      const detail = all().filter((record) => record.endpointId === endpointId)
      return legacyEnvelope(200, '0', `Endpoint ${endpointId} was updated.`, detail)
    },
  }
}

/** v1 writes timestamps without an offset. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19)
}
