// Handles one request, from its bytes to its envelope: key, route, company, desktop conditions, operation.
import { type Company } from './company.ts'
import { type Desktop } from './desktop.ts'
import {
  createUser,
  deprovisionCompany,
  inactiveCompany,
  type LegacyService,
  listCompanies,
  provisionCompany,
  unknownCompany,
} from './manage.ts'
import {
  addressMembers,
  definitionOf,
  type FieldDefinition,
  hasObject,
  type ObjectName,
} from './records/definition.ts'
import { readRecords } from './records/reading.ts'
import { changeRecords, insertRecords, type WriteContext } from './records/writing.ts'
import { fileOf, type Registry } from './registry.ts'
import { selectReport } from './reports/catalog.ts'
import {
  accepted,
  type Application,
  contentOf,
  envelopeOf,
  legacyEnvelope,
  type Outcome,
  type Refusal,
  refusalEnvelope,
  refused,
  type ResponseContent,
} from './responses.ts'
import { parameters, readApplication, readBoolean, type Route, routeOf, versionOf } from './routes.ts'
import { type After } from './time.ts'

/** What requests read and change. */
export interface World {
  readonly key: string
  readonly registry: Registry
  readonly legacy: LegacyService
  readonly desktop: Desktop
  readonly pageSize: number
  /** How long an end user takes to authorize a provisioning, in milliseconds. */
  readonly provisionMs: number
  readonly closingDate: string
  readonly after: After
  now(): number
}

/** Answers a request. Only one may run at a time. */
export async function handleRequest(world: World, request: Request, requestId: string): Promise<Response> {
  const url = new URL(request.url)
  const self = `${url.origin}${url.pathname}`
  if (versionOf(url.pathname) === 'v1') return await handleLegacyRequest(world, request, url)
  const outcome =
    request.headers.get('x-api-key') === world.key
      ? await perform(world, routeOf(request.method, url.pathname), request, url, self)
      : refused(
          401,
          'Unauthorized',
          'The API key is missing or not valid.',
          'Send it in the header x-api-key.',
        )
  return outcome.ok
    ? envelopeOf(outcome.value, request.url, requestId)
    : refusalEnvelope(outcome.refusal, request.url, requestId)
}

/** Refuses a request in the envelope of its version. */
export function refuse(request: Request, refusal: Refusal, requestId: string): Response {
  const { status, entry } = refusal
  return versionOf(new URL(request.url).pathname) === 'v1'
    ? legacyEnvelope(status, String(status), entry.Message, [])
    : refusalEnvelope(refusal, request.url, requestId)
}

async function handleLegacyRequest(world: World, request: Request, url: URL): Promise<Response> {
  if (request.headers.get('authorization') !== world.key) {
    return legacyEnvelope(401, '401', 'The API key is missing or not valid.', [])
  }
  const route = routeOf(request.method, url.pathname)
  if (route.operation === 'listLegacy') return world.legacy.list(url.searchParams)
  if (route.operation === 'deprovisionLegacy') {
    const body = await readBody(request)
    if (!body.ok) return legacyEnvelope(400, '400', body.refusal.entry.Message, [])
    return world.legacy.deactivate(body.value)
  }
  const { status, entry } = noOperation(route.operation, request.method, url).refusal
  return legacyEnvelope(status, String(status), entry.Message, [])
}

async function perform(
  world: World,
  route: Route,
  request: Request,
  url: URL,
  self: string,
): Promise<Outcome<ResponseContent>> {
  const query = url.searchParams
  switch (route.operation) {
    case 'readRecords':
      return await withList(world, route, (company, object) =>
        readRecords(company, object, query, world.pageSize, self),
      )
    case 'insertRecords':
    case 'changeRecords': {
      const body = await readBody(request)
      if (!body.ok) return body
      const write = route.operation === 'insertRecords' ? insertRecords : changeRecords
      return await withList(world, route, (company, object) => {
        const { closingDate } = world
        const context: WriteContext = { company, object, now: world.now(), closingDate, self }
        return write(context, body.value)
      })
    }
    case 'selectReport': {
      const company = await reachCompany(world, route.endpointId)
      return company.ok ? selectReport(company.value, query, self) : company
    }
    case 'readMetadata':
      return readMetadata(route.objectName, query, self)
    case 'listCompanies':
      return listCompanies(world.registry, query, self)
    case 'createUser':
    case 'deprovisionCompany':
    case 'provisionCompany': {
      const body = await readBody(request)
      if (!body.ok) return body
      if (route.operation === 'createUser') return createUser(world.registry, body.value, self)
      if (route.operation === 'deprovisionCompany')
        return deprovisionCompany(world.registry, body.value, self)
      return await provisionCompany(world, body.value, self)
    }
    case 'listLegacy':
    case 'deprovisionLegacy':
    case 'wrongMethod':
    case 'unknownPath':
      return noOperation(route.operation, request.method, url)
  }
}

async function withList(
  world: World,
  route: { readonly endpointId: string; readonly objectName: string },
  perform: (company: Company, object: ObjectName) => Outcome<ResponseContent>,
): Promise<Outcome<ResponseContent>> {
  const definition = definitionOf(route.objectName)
  const company = await reachCompany(world, route.endpointId)
  if (!company.ok) return company
  if (definition === undefined || !hasObject(definition.object, company.value.application)) {
    return refused(
      404,
      'UnknownObject',
      `The object "${route.objectName}" is not part of the data definition.`,
    )
  }
  return perform(company.value, definition.object)
}

/** Finds an active company and waits until its computer lets the request through. */
async function reachCompany(world: World, endpointId: string): Promise<Outcome<Company>> {
  const endpoint = world.registry.find(endpointId)
  if (endpoint === undefined) return unknownCompany(endpointId)
  if (!endpoint.isActive) return inactiveCompany(endpointId)
  const company = world.registry.company(fileOf(endpoint))
  const reached = await world.desktop.reach(company.file.key, company.application, false)
  if (!reached.ok) return reached
  world.registry.touch(endpoint)
  return accepted(company)
}

async function readBody(request: Request): Promise<Outcome<unknown>> {
  const text = await request.text()
  try {
    return accepted(JSON.parse(text) as unknown)
  } catch {
    return refused(400, 'BadJson', 'The body is not valid JSON.')
  }
}

function noOperation(operation: string, method: string, url: URL): ReturnType<typeof refused> {
  return operation === 'wrongMethod'
    ? refused(405, 'MethodNotAllowed', `${method} is not allowed for ${url.pathname}.`)
    : refused(404, 'UnknownPath', `There is nothing at ${url.pathname}.`)
}

// Metadata (section 4.3).

/**
 * Returns an object's field names with empty values (section 2.8). With several applications, these are the fields that
 * all of them support, or, with `overlap=false`, the fields that any of them supports.
 */
function readMetadata(objectName: string, query: URLSearchParams, self: string): Outcome<ResponseContent> {
  const definition = definitionOf(objectName)
  const asked = applicationsOf(query)
  if (!asked.ok) return asked
  if (
    definition === undefined ||
    !asked.value.some((application) => hasObject(definition.object, application))
  ) {
    return refused(404, 'UnknownObject', `The object "${objectName}" is not part of the data definition.`)
  }
  const overlap = readBoolean(query, 'overlap')
  if (!overlap.ok) return overlap
  const applications = asked.value
  const together = overlap.value !== false
  const supports = (field: FieldDefinition, application: Application): boolean =>
    field.applications.includes(application) && hasObject(definition.object, application)
  const fields = definition.fields.filter((field) =>
    together
      ? applications.every((application) => supports(field, application))
      : applications.some((application) => supports(field, application)),
  )
  const members = applications
    .map(addressMembers)
    .reduce((left, right) =>
      together ? left.filter((name) => right.includes(name)) : [...new Set([...left, ...right])],
    )
  const names = Object.fromEntries(fields.map((field) => [field.name, emptyValue(field, members)]))
  return accepted(contentOf([{ Object: names, Errors: null, Self: self, Kind: definition.object }]))
}

function applicationsOf(query: URLSearchParams): Outcome<readonly Application[]> {
  const applications: Application[] = []
  for (const code of parameters(query, 'app')) {
    const application = readApplication(code)
    if (application === undefined) {
      return refused(400, 'UnknownApplication', `The application "${code}" is not supported. Use qbd or qbo.`)
    }
    if (!applications.includes(application)) applications.push(application)
  }
  return accepted(applications.length > 0 ? applications : ['qbd', 'qbo'])
}

function emptyValue(field: FieldDefinition, addressLines: readonly string[]): unknown {
  switch (field.type) {
    case 'reference':
      return { ID: '', FullName: '' }
    case 'address':
      return Object.fromEntries(addressLines.map((name) => [name, '']))
    case 'contact':
      return { Name: '' }
    case 'text':
    case 'boolean':
    case 'amount':
    case 'timestamp':
      return ''
  }
}
