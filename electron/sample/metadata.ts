// Section 4.3: which fields of an object are supported for one or several applications.
import { addressMembers, definitionOf, hasObject, type FieldDefinition } from './records/definition.ts'
import { type Answer, answerOf } from './envelope.ts'
import { parameters, readApplication, readBoolean } from './routes.ts'
import { accepted, type Application, type Outcome, refused } from './refusal.ts'

/**
 * The envelope's one item: the object's field names with empty values (section 2.8).
 *
 * With several applications the fields are those that all of them support, unless `overlap` is "false", which
 * asks for every field that any of them supports: "the more apps are given, the smaller the supported set".
 */
export function readMetadata(objectName: string, query: URLSearchParams, self: string): Outcome<Answer> {
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
  return accepted(answerOf([{ Object: names, Errors: null, Self: self, Kind: definition.object }]))
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
