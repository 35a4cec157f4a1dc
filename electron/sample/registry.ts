// Endpoint records (section 2.5), users, provisioning, and de-provisioning (section 3).
import { type Company, createCompany } from './company.ts'
import { COMPANY_FILES, type CompanyFile } from './profiles/company-files.ts'
import { hexOf, randomOf } from './random.ts'
import { type Application } from './responses.ts'
import { type SampleStorage } from './storage.ts'
import { type Day, formatTimestamp, momentOfDay } from './time.ts'

/** A stored endpoint record. */
export interface Endpoint {
  readonly fileKey: string
  readonly id: string
  readonly endpointId: string
  readonly userId: string
  readonly token: string
  readonly created: number
  readonly isActive: boolean
}

/** The endpoint records, users, and companies of the sample. */
export interface Registry {
  readonly endpoints: readonly Endpoint[]
  find(endpointId: string): Endpoint | undefined
  company(file: CompanyFile): Company
  hasUser(userId: string): boolean
  addUser(): string
  /** Whether a file has an active endpoint record. */
  isProvisioned(file: CompanyFile): boolean
  /** The file that the next provisioning of this application finds open. */
  fileToProvision(application: Application): CompanyFile | undefined
  /** Opens a Desktop file for the next provisioning. False if there is no file of this name. */
  openFile(companyName: string): boolean
  /** Creates a record for a file, or returns its active one. */
  provision(file: CompanyFile, userId: string): Endpoint
  deactivate(endpoint: Endpoint): Endpoint
  touch(endpoint: Endpoint): void
  /** The record as v2 shows it. */
  present(endpoint: Endpoint): Record<string, unknown>
}

/** What the registry is created from. */
export interface RegistryOptions {
  readonly seed: string
  readonly today: Day
  readonly customers: number | undefined
  readonly volume: number
  readonly storage: SampleStorage
  now(): number
}

const USERS = 3

/** Creates the registry from the files that are provisioned at the start and from what is stored. */
export function createRegistry(options: RegistryOptions): Registry {
  const { seed, storage, now } = options
  const users = Array.from({ length: USERS }, (_, index) => uuidOf(`${seed} user`, index))
  const endpoints = new Map<string, Endpoint>()
  const companies = new Map<string, Company>()
  const accessed = new Map<string, number>()
  let open: string | undefined

  for (const [index, file] of COMPANY_FILES.entries()) {
    if (file.provisioned === undefined) continue
    const created =
      momentOfDay(options.today - file.provisioned.daysAgo) + (14 * 60 + 22) * 60_000 + index * 1000
    const endpoint = makeEndpoint(file, users[file.provisioned.user] ?? '', created, index)
    endpoints.set(endpoint.endpointId, endpoint)
  }
  for (const [key, value] of storage.entries()) {
    if (key.startsWith('user/')) users.push(key.slice('user/'.length))
    if (!key.startsWith('endpoint/')) continue
    const endpoint = JSON.parse(value) as Endpoint
    endpoints.set(endpoint.endpointId, endpoint)
  }

  const keep = (endpoint: Endpoint): Endpoint => {
    endpoints.set(endpoint.endpointId, endpoint)
    storage.put(`endpoint/${endpoint.endpointId}`, JSON.stringify(endpoint))
    return endpoint
  }
  const activeOf = (file: CompanyFile): Endpoint | undefined =>
    [...endpoints.values()].find((endpoint) => endpoint.fileKey === file.key && endpoint.isActive)

  return {
    get endpoints() {
      return [...endpoints.values()]
    },
    find: (endpointId) => {
      const wanted = endpointId.toLowerCase()
      return [...endpoints.values()].find((endpoint) => endpoint.endpointId.toLowerCase() === wanted)
    },
    company: (file) => {
      let company = companies.get(file.key)
      if (company === undefined) {
        const isFirst = file === COMPANY_FILES[0]
        const customers = isFirst ? (options.customers ?? file.customers) : file.customers
        company = createCompany({ ...options, file, customers })
        companies.set(file.key, company)
      }
      return company
    },
    hasUser: (userId) => users.includes(userId),
    addUser: () => {
      const userId = uuidOf(`${seed} user`, users.length)
      users.push(userId)
      storage.put(`user/${userId}`, '{}')
      return userId
    },
    isProvisioned: (file) => activeOf(file) !== undefined,
    fileToProvision: (application) => {
      const files = COMPANY_FILES.filter((file) => file.application === application)
      const opened = files.find((file) => file.companyName === open)
      return opened ?? files.find((file) => activeOf(file) === undefined) ?? files[0]
    },
    openFile: (companyName) => {
      const file = COMPANY_FILES.find((candidate) => candidate.companyName === companyName)
      if (file !== undefined) open = companyName
      return file !== undefined
    },
    provision: (file, userId) => {
      const known = activeOf(file)
      if (known !== undefined) return known
      open = undefined
      return keep(makeEndpoint(file, userId, now(), endpoints.size + COMPANY_FILES.length))
    },
    deactivate: (endpoint) => keep({ ...endpoint, isActive: false }),
    touch: (endpoint) => {
      accessed.set(endpoint.endpointId, now())
    },
    present: (endpoint) => {
      const file = fileOf(endpoint)
      return {
        companyName: file.companyName,
        fullPath: file.fullPath,
        version: file.version,
        dateTimeCreated: formatTimestamp(endpoint.created),
        dateTimeLastAccess: formatTimestamp(
          accessed.get(endpoint.endpointId) ??
            Math.max(endpoint.created, momentOfDay(options.today - 1) + 61_440_000),
        ),
        endpoint: file.application,
        endpointId: endpoint.endpointId,
        id: endpoint.id,
        isActive: String(endpoint.isActive),
        userId: endpoint.userId,
        token: endpoint.token,
        externalId: '',
        appName: file.appName,
        isHostedNetworks: file.application === 'qbd' ? 'false' : null,
      }
    },
  }

  function makeEndpoint(file: CompanyFile, userId: string, created: number, number: number): Endpoint {
    const token = hexOf(randomOf(seed, 'token', number), 40)
    const endpointId = uuidOf(`${seed} endpoint`, number)
    return {
      fileKey: file.key,
      id: String(4100 + number),
      endpointId,
      userId,
      token,
      created,
      isActive: true,
    }
  }
}

/** The file of an endpoint record. */
export function fileOf(endpoint: Endpoint): CompanyFile {
  const file = COMPANY_FILES.find((candidate) => candidate.key === endpoint.fileKey)
  if (file === undefined) throw new RangeError(`There is no file "${endpoint.fileKey}" in the sample`)
  return file
}

function uuidOf(seed: string, number: number): string {
  const hex = hexOf(randomOf(seed, number), 32)
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  const shaped = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17)}`
  return [8, 4, 4, 4, 12]
    .map((length, index, lengths) => {
      const start = lengths.slice(0, index).reduce((sum, part) => sum + part, 0)
      return shaped.slice(start, start + length)
    })
    .join('-')
}
