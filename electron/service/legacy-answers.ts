/**
 * What an answer of the older service (specification 2.6, 4.7) says: its list, a refusal of its key, or an error in
 * words that name the older service, so that nobody looks for the fault in the other one.
 */
import { err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { CompanyList } from './company-list.ts'
import { decodeLegacyCompanies } from './company-records.ts'
import { decodeLegacyEnvelope } from './envelope.ts'
import { isProvenRefusal, translateErrors } from './service-errors.ts'
import type { LegacyEnvelope, RawAnswer, ServiceError, Wire } from './wire.ts'

/** The older service has no pages, so what it gives is all. */
export type LegacyCompanyList = Pick<CompanyList, 'companies' | 'isWhole'>

/** The older service's list, active and inactive; its errors say that they are the older service's. */
export async function readLegacyCompanyList(wire: Wire): Promise<Result<LegacyCompanyList>> {
  const answer = await wire.legacyListCompanies({})
  if (!answer.ok) return err(ofOlderService(answer.error))
  return ok({ companies: decodeLegacyCompanies(answer.value), isWhole: true })
}

/** The envelope of a read, or what its `Meta` says instead. */
export function decodeLegacyAnswer(raw: RawAnswer): Result<LegacyEnvelope> {
  const decoded = decodeLegacyEnvelope(raw)
  if (!decoded.ok) return decoded
  const error = legacyErrorOf(decoded.value)
  return error === null ? decoded : err(translateErrors('', [error], '', statusOf(decoded.value)))
}

/** A refused key, which is certain, or `null`: every other error leaves a write in doubt. */
export function refusedLegacyKeyOf(envelope: LegacyEnvelope): AppError | null {
  const error = legacyErrorOf(envelope)
  if (error === null || !isProvenRefusal(statusOf(envelope), [error])) return null
  return ofOlderService(translateErrors('', [error], '', statusOf(envelope)))
}

/**
 * `Meta.StatusCode` "0" accompanies success (specification 7.6). *Assumption*: so does none at all with a status of
 * success; anything else is an error in the words of `Meta.Message`.
 */
function legacyErrorOf({ status, statusCode, message }: LegacyEnvelope): ServiceError | null {
  const code = statusCode.trim()
  if (status < 400 && (code === '' || Number(code) === 0)) return null
  return { code, message, severity: '', detail: '', raw: message }
}

/** Whether the older service's answer is an error. */
export function isLegacyTrouble(envelope: LegacyEnvelope): boolean {
  return legacyErrorOf(envelope) !== null
}

/** A refused key may be said by HTTP or by `Meta` alone. */
function statusOf({ status, statusCode }: LegacyEnvelope): number {
  return /^40[13]$/.test(statusCode.trim()) ? Number(statusCode) : status
}

/** The same error, as the older service's. */
function ofOlderService(error: AppError): AppError {
  const message =
    error.kind === 'unauthorised' ? 'The older service refused its key.' : `Older service: ${error.message}`
  return { ...error, message, details: { ...error.details, service: 'v1' } }
}
