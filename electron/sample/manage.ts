// The manage calls: users, provisioning (4.4), de-provisioning (4.5), the list of companies (4.6), and v1 (4.7).
import { type Desktop } from './desktop.ts'
import { type Endpoint, fileOf, type Registry } from './registry.ts'
import {
  accepted,
  type ContentItem,
  contentOf,
  legacyEnvelope,
  type Outcome,
  refused,
  type ResponseContent,
} from './responses.ts'
import { isObject, readApplication, readBoolean } from './routes.ts'
import { type SampleStorage } from './storage.ts'
import { type After, type Day, momentOfDay, wait } from './time.ts'

/** GET manage/endpoint: all companies, or only active or inactive ones. */
export function listCompanies(
  registry: Registry,
  query: URLSearchParams,
  self: string,
): Outcome<ResponseContent> {
  const wanted = readBoolean(query, 'isactive')
  if (!wanted.ok) return wanted
  const chosen = registry.endpoints.filter(
    (endpoint) => wanted.value === undefined || endpoint.isActive === wanted.value,
  )
  return accepted(
    contentOf(
      chosen.map((endpoint) => endpointItem(registry, endpoint, self, 'collection')),
      false,
    ),
  )
}

/** POST manage/user: creates a user. The specification shows neither its payload nor its response. */
export function createUser(registry: Registry, body: unknown, self: string): Outcome<ResponseContent> {
  if (!isObject(body)) return refused(400, 'BadBody', 'The body must be a JSON object.')
  const userId = registry.addUser()
  return accepted(contentOf([{ Object: { userId }, Errors: null, Self: self, Kind: 'user' }]))
}

/** POST manage/company: waits for the agent and the end user, then returns the company. */
export async function provisionCompany(
  desk: {
    readonly registry: Registry
    readonly desktop: Desktop
    readonly provisionMs: number
    readonly after: After
  },
  body: unknown,
  self: string,
): Promise<Outcome<ResponseContent>> {
  const { registry, desktop, provisionMs, after } = desk
  if (!isObject(body))
    return refused(400, 'BadBody', 'The body must be a JSON object with userId and endpoint.')
  const { userId, endpoint: code } = body
  if (typeof userId !== 'string' || userId === '') {
    return refused(400, 'MissingParameter', 'The field userId is required and must be a string.')
  }
  if (!registry.hasUser(userId)) return refused(404, 'UnknownUser', `There is no user "${userId}".`)
  const application = typeof code === 'string' ? readApplication(code) : undefined
  if (application === undefined) {
    return refused(
      400,
      'UnknownApplication',
      'The field endpoint must be the code of an application: qbd or qbo.',
    )
  }
  const file = registry.fileToProvision(application)
  if (file === undefined) return refused(404, 'NoCompany', 'There is no company file to provision.')
  if (provisionMs > 0) await wait(after, provisionMs)
  const reached = await desktop.reach(file.key, application, true)
  if (!reached.ok) return reached
  const endpoint = registry.provision(file, userId)
  return accepted(contentOf([endpointItem(registry, endpoint, self, 'company')]))
}

/** PATCH manage/endpoint: makes a company inactive for good (section 3). */
export function deprovisionCompany(
  registry: Registry,
  body: unknown,
  self: string,
): Outcome<ResponseContent> {
  const endpoint = endpointToDeactivate(registry, body)
  if (!endpoint.ok) return endpoint
  const updated = registry.deactivate(endpoint.value)
  return accepted(contentOf([endpointItem(registry, updated, self, 'collection')]))
}

/** Reads the body of a v2 or v1 de-provisioning. `isActive` may be the string "false" or the boolean. */
function endpointToDeactivate(registry: Registry, body: unknown): Outcome<Endpoint> {
  if (!isObject(body)) {
    return refused(400, 'BadBody', 'The body must be one JSON object with endpointId and isActive.')
  }
  const { endpointId, isActive } = body
  if (typeof endpointId !== 'string' || endpointId === '') {
    return refused(400, 'MissingParameter', 'The field endpointId is required and must be a string.')
  }
  const endpoint = registry.find(endpointId)
  if (endpoint === undefined) return unknownCompany(endpointId)
  if (String(isActive).toLowerCase() !== 'false') {
    return refused(400, 'BadParameter', 'A company can only be set inactive: isActive must be "false".')
  }
  return accepted(endpoint)
}

/** Refuses a call for a company that doesn't exist. */
export function unknownCompany(endpointId: string): ReturnType<typeof refused> {
  return refused(404, 'CompanyNotFound', `The company with endpointId "${endpointId}" was not found.`)
}

/** Refuses a data call for a company that was de-provisioned. */
export function inactiveCompany(endpointId: string): ReturnType<typeof refused> {
  return refused(403, 'CompanyInactive', `The company with endpointId "${endpointId}" is inactive.`)
}

function endpointItem(registry: Registry, endpoint: Endpoint, self: string, kind: string): ContentItem {
  const address = `${self.replace(/\/company$/i, '/endpoint')}?endpointId=${endpoint.endpointId}`
  return { Object: registry.present(endpoint), Errors: null, Self: address, Kind: kind }
}

// The older service (section 4.7), with the v1 envelope and the key in the authorization header. It has one company that
// the current service doesn't have.

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

/** Creates the v1 calls. `storage` keeps whether its own company is active. */
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

/** A timestamp of v1, which has no offset. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19)
}
