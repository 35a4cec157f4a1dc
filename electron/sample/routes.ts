/** Finds the operation (section 4) of a method and path. Paths may have any prefix and any case. */
import { accepted, type Application, type Outcome, refused } from './responses.ts'

/** The operation that a request asks for. */
export type Route =
  | {
      readonly operation: 'readRecords' | 'insertRecords' | 'changeRecords'
      readonly endpointId: string
      readonly objectName: string
    }
  | { readonly operation: 'selectReport'; readonly endpointId: string }
  | { readonly operation: 'readMetadata'; readonly objectName: string }
  | { readonly operation: 'listCompanies' | 'deprovisionCompany' | 'provisionCompany' | 'createUser' }
  | { readonly operation: 'listLegacy' | 'deprovisionLegacy' }
  | { readonly operation: 'wrongMethod' | 'unknownPath' }

/** The version of a path. v2 if it names none. */
export function versionOf(pathname: string): 'v1' | 'v2' {
  return /\/v1(\/|$)/i.test(pathname) && !/\/v2(\/|$)/i.test(pathname) ? 'v1' : 'v2'
}

/** Finds the operation. */
export function routeOf(method: string, pathname: string): Route {
  const parts = pathname.split('/').filter((part) => part !== '')
  const start = parts.findIndex((part) => /^v[12]$/i.test(part))
  if (start < 0) return { operation: 'unknownPath' }
  const version = parts[start]?.toLowerCase()
  const [room = '', second = '', third, ...rest] = parts.slice(start + 1).map(decoded)
  if (rest.length > 0) return { operation: 'unknownPath' }
  const door = `${version ?? ''} ${room.toLowerCase()}`
  if (door === 'v2 data' && second !== '' && third !== undefined) return dataRoute(method, second, third)
  if (door === 'v2 meta' && second !== '' && third === undefined) {
    return method === 'GET' ? { operation: 'readMetadata', objectName: second } : { operation: 'wrongMethod' }
  }
  if (room.toLowerCase() !== 'manage' || third !== undefined) return { operation: 'unknownPath' }
  return manageRoute(`${method} ${version ?? ''} ${second.toLowerCase()}`)
}

function dataRoute(method: string, endpointId: string, objectName: string): Route {
  if (objectName.toLowerCase() === 'selectreport') {
    return method === 'GET' ? { operation: 'selectReport', endpointId } : { operation: 'wrongMethod' }
  }
  switch (method) {
    case 'GET':
      return { operation: 'readRecords', endpointId, objectName }
    case 'POST':
      return { operation: 'insertRecords', endpointId, objectName }
    case 'PATCH':
      return { operation: 'changeRecords', endpointId, objectName }
    default:
      return { operation: 'wrongMethod' }
  }
}

function manageRoute(call: string): Route {
  switch (call) {
    case 'GET v2 endpoint':
      return { operation: 'listCompanies' }
    case 'PATCH v2 endpoint':
      return { operation: 'deprovisionCompany' }
    case 'POST v2 company':
      return { operation: 'provisionCompany' }
    case 'POST v2 user':
      return { operation: 'createUser' }
    case 'GET v1 endpoint':
      return { operation: 'listLegacy' }
    case 'PATCH v1 endpoint':
      return { operation: 'deprovisionLegacy' }
    default:
      return / (v2 (endpoint|company|user)|v1 endpoint)$/.test(call)
        ? { operation: 'wrongMethod' }
        : { operation: 'unknownPath' }
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

// Query strings and bodies. Parameter names may have any case.

/** A boolean parameter. Undefined if it is missing. */
export function readBoolean(query: URLSearchParams, name: string): Outcome<boolean | undefined> {
  const value = parameter(query, name)
  if (value === undefined) return accepted(undefined)
  if (/^true$/i.test(value)) return accepted(true)
  if (/^false$/i.test(value)) return accepted(false)
  return refused(400, 'BadParameter', `The parameter ${name} must be true or false, not "${value}".`)
}

/** The first value of a parameter. */
export function parameter(query: URLSearchParams, name: string): string | undefined {
  return parameters(query, name)[0]
}

/** All values of a parameter. */
export function parameters(query: URLSearchParams, name: string): string[] {
  const wanted = name.toLowerCase()
  return [...query].filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value)
}

/** An application's short code (section 1) in any case. */
export function readApplication(code: string): Application | undefined {
  const wanted = code.toLowerCase()
  return wanted === 'qbd' || wanted === 'qbo' ? wanted : undefined
}

/** Whether a value is a JSON object, not null or an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
