/** What the PATCH of a de-provisioning brought, whichever service answered it. */
import type { AppError } from '../../shared/result.ts'
import { decodeCompanies, decodeLegacyCompanies, type CompanyRecord } from '../service/company-records.ts'
import type { ServiceError, Wire, WriteAnswer } from '../service/wire.ts'
import { judgeAnswer, type Judgement } from './deprovisioning-decisions.ts'

/** Either service's answer in one shape. */
interface ReadAnswer {
  readonly answer: WriteAnswer<{ readonly status: number }>
  readonly companies: readonly CompanyRecord[]
  readonly requestId: string
  readonly error: AppError | null
  readonly isCertainlyNotDone: boolean
  readonly judge: (endpointId: string) => Judgement
}

function readUnanswered(
  answer: Exclude<WriteAnswer<{ readonly status: number }>, { outcome: 'answered' }>,
): ReadAnswer {
  const { error, outcome } = answer
  return {
    answer,
    companies: [],
    requestId: error.details.requestId ?? '',
    error,
    isCertainlyNotDone: outcome !== 'in-doubt',
    judge: () => ({ result: 'unclear', says: `No sure answer came: ${error.message}` }),
  }
}

function readAnswered(
  answer: WriteAnswer<{ readonly status: number }>,
  companies: readonly CompanyRecord[],
  errors: readonly ServiceError[],
  requestId: string,
): ReadAnswer {
  return {
    answer,
    companies,
    requestId,
    error: null,
    isCertainlyNotDone: false,
    judge: (endpointId) => judgeAnswer(companies, errors, endpointId),
  }
}

/** The answer of the current service. */
export function readCurrent(answer: WriteAnswer): ReadAnswer {
  if (answer.outcome !== 'answered') return readUnanswered(answer)
  const { envelope } = answer
  const errors = [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)]
  return readAnswered(answer, decodeCompanies(envelope), errors, envelope.requestId)
}

/** The answer of the older service (specification 4.7). */
export function readLegacy(answer: Awaited<ReturnType<Wire['legacyDeprovision']>>): ReadAnswer {
  if (answer.outcome !== 'answered') return readUnanswered(answer)
  const { envelope } = answer
  const isSuccess = envelope.statusCode === '0' || envelope.statusCode === ''
  const error: ServiceError = {
    code: envelope.statusCode,
    message: envelope.message,
    severity: '',
    detail: '',
    raw: envelope.message,
  }
  return readAnswered(answer, decodeLegacyCompanies(envelope), isSuccess ? [] : [error], '')
}
