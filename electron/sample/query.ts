// The query string, read with names in any casing.
import { accepted, type Application, type Outcome, refused } from './refusal.ts'

/** A boolean of the query string: undefined when it is not there; any other word is refused. */
export function readBoolean(query: URLSearchParams, name: string): Outcome<boolean | undefined> {
  const value = parameter(query, name)
  if (value === undefined) return accepted(undefined)
  if (/^true$/i.test(value)) return accepted(true)
  if (/^false$/i.test(value)) return accepted(false)
  return refused(400, 'BadParameter', `The parameter ${name} must be true or false, not "${value}".`)
}

/** The first value of a parameter, its name in any casing. */
export function parameter(query: URLSearchParams, name: string): string | undefined {
  return parameters(query, name)[0]
}

/** All values of a repeated parameter, its name in any casing. */
export function parameters(query: URLSearchParams, name: string): string[] {
  const wanted = name.toLowerCase()
  return [...query].filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value)
}

/** An application's short code in any casing (section 1). */
export function readApplication(code: string): Application | undefined {
  const wanted = code.toLowerCase()
  return wanted === 'qbd' || wanted === 'qbo' ? wanted : undefined
}
