/**
 * The report of de-provisionings, as proof that billing ended. It is plain text, so that anyone can read,
 * print, and quote it years from now without Bookbridge.
 */
import type { Confirmation } from '../../shared/contract/companies.ts'

/** One de-provisioning with everything that the report says about it. Times are in ISO format. */
export interface ReportedDeprovisioning {
  /** The service's name of the company. */
  readonly companyName: string
  /** Bookbridge's label; may be empty. */
  readonly label: string
  readonly applicationName: string
  readonly fullPath: string
  readonly userId: string
  readonly endpointId: string
  readonly sentBy: 'v2' | 'v1'
  readonly connectionName: string
  readonly address: string
  readonly sentAt: string
  /** Whether the decisive confirmations say that it is inactive. */
  readonly isDone: boolean
  readonly confirmations: readonly Confirmation[]
}

/** The call as it was sent (specification 4.5 and 4.7). */
const CALLS: Readonly<Record<ReportedDeprovisioning['sentBy'], string>> = {
  v2: 'PATCH /v2/Manage/endpoint',
  v1: 'PATCH /v1/manage/Endpoint',
}

const WHAT: Readonly<Record<Confirmation['what'], string>> = {
  answer: 'The service’s response to the call',
  'inactive-list': 'The list of inactive companies',
  'data-call': 'A test request to the company',
}

const RESULT: Readonly<Record<Confirmation['result'], string>> = {
  confirmed: 'CONFIRMED',
  denied: 'NOT CONFIRMED',
  unclear: 'UNCLEAR',
}

/** Creates the report, with CRLF line endings for any editor and a byte order mark for the encoding. */
export function deprovisionReport(all: readonly ReportedDeprovisioning[], madeAt: string): string {
  const done = all.filter(({ isDone }) => isDone).length
  const lines = [
    'De-provisioning report',
    `Created by Bookbridge on ${moment(madeAt)}`,
    '',
    `Companies de-provisioned and confirmed: ${done} of ${all.length}`,
    'De-provisioning turns the integration of a company off and removes it from billing.',
    'All times are in UTC.',
    ...all.flatMap((one, index) => ['', RULE, '', ...company(one, index + 1, all.length)]),
    '',
  ]
  return `\ufeff${lines.join('\r\n')}`
}

const RULE = '-'.repeat(72)

function company(one: ReportedDeprovisioning, number: number, total: number): readonly string[] {
  const { companyName, label, fullPath, userId, connectionName, address } = one
  const facts: readonly (readonly [string, string])[] = [
    ['Company', companyName],
    ['Label in Bookbridge', label],
    ['Application', one.applicationName],
    ['Company file', fullPath],
    ['Company ID', one.endpointId],
    ['User ID', userId],
    ['Connection', [connectionName, address].filter((part) => part !== '').join(', ')],
    ['Asked for', moment(one.sentAt)],
    ['Sent', `${CALLS[one.sentBy]} with {"endpointId":"${one.endpointId}","isActive":"false"}`],
    ['Result', one.isDone ? 'De-provisioned: inactive and removed from billing' : 'NOT CONFIRMED'],
  ]
  return [
    `${number} of ${total}`,
    ...facts
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${`${name}:`.padEnd(14)}${oneLine(value)}`),
    '',
    'Confirmations',
    ...one.confirmations.flatMap(({ what, result, says, at, requestId }) => [
      `- ${WHAT[what]} ${RESULT[result]}`,
      `  ${oneLine(says)}`,
      `  ${moment(at)}, RequestId ${requestId === '' ? 'none' : oneLine(requestId)}`,
    ]),
    ...(one.sentBy === 'v1'
      ? ['', 'The older service (v1) has no data requests and gives no RequestId.']
      : []),
  ]
}

function moment(iso: string): string {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? iso : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Removes line endings from the service's text, which could otherwise fake a line of the report. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
