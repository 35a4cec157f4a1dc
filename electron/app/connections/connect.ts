/**
 * Connect tries addresses and keys by listing the companies, of both services where there are two. Only the turns of
 * the test go there: nothing else of the connection goes to an address that is not saved.
 */
import { type AppError, type Result, appError, ok } from '../../../shared/result.ts'
import {
  type CompanyList,
  EMPTY_LIST,
  type LegacyCompanyList,
  readCompanyList,
  readLegacyCompanyList,
} from '../../service/companies/company-list.ts'
import {
  type ServiceClient,
  type ServiceTarget,
  type SlotRequest,
  serviceRequest,
} from '../../service/protocol/wire.ts'
import type { SavedConnection } from '../ports.ts'
import type { ConnectionKeys } from './keys.ts'
import { type Candidate, hasCurrent } from './saved-connections.ts'

export interface ConnectionTest {
  /** The target of a test under way; `null` for none. */
  target(connectionId: string): ServiceTarget | null
  /** One try for each service. An error of the older one says so in its details. */
  lists(
    candidate: Candidate,
  ): Promise<Result<{ readonly list: CompanyList; readonly older: LegacyCompanyList }>>
}

const NO_OLDER_SERVICE: LegacyCompanyList = { companies: [], isWhole: true }

export function createConnectionTest(options: { readonly client: () => ServiceClient }): ConnectionTest {
  const candidates = new Map<string, Candidate>()

  const list: ConnectionTest['lists'] = async ({ connection, legacyKey }) => {
    const turn = request(connection.connectionId)
    const read = hasCurrent(connection)
      ? await options.client().read(turn, (wire) => readCompanyList(wire), { tries: 1 })
      : ok(EMPTY_LIST)
    if (!read.ok) return read
    if (connection.legacyAddress === '' || legacyKey === '') {
      return ok({ list: read.value, older: NO_OLDER_SERVICE })
    }
    const older = await options
      .client()
      .read({ ...turn, service: 'v1' }, (wire) => readLegacyCompanyList(wire), { tries: 1 })
    return older.ok ? ok({ list: read.value, older: older.value }) : older
  }

  return {
    target(connectionId) {
      const candidate = candidates.get(connectionId)
      if (candidate === undefined) return null
      const { connection, key, legacyKey } = candidate
      const { address, legacyAddress } = connection
      return { connectionId, address, legacyAddress, key, legacyKey }
    },
    async lists(candidate) {
      const { connectionId } = candidate.connection
      candidates.set(connectionId, candidate)
      try {
        return await list(candidate)
      } finally {
        candidates.delete(connectionId)
      }
    },
  }
}

function request(connectionId: string): SlotRequest {
  const what = 'Connecting: listing the companies'
  return { ...serviceRequest({ connectionId, what, isWrite: false, priority: 'person' }), isTest: true }
}

/*
 * One connection for a service and a key. The journal and its doubts belong to a connection: through a second one, the
 * same books could be written to while the first still looks for what became of an insert.
 */

/**
 * The refusal of a connection whose service and key another one has already, the current service's or the older one's
 * where it has that alone; `null` when none has.
 * @param others all connections that are saved
 * @param keyOf the key of a saved one; it is compared here and goes nowhere
 */
export async function connectedAlready(
  { connection, key, legacyKey }: Candidate,
  others: readonly SavedConnection[],
  keyOf: ConnectionKeys['of'],
): Promise<AppError | null> {
  for (const other of others) {
    if (other.connectionId === connection.connectionId || other.isSample) continue
    // With a current service on both sides that alone tells: an office may share one older service.
    const service = hasCurrent(connection) && hasCurrent(other) ? 'v2' : 'v1'
    const [here, there] = [connection, other].map((each) =>
      originOf(service === 'v2' ? each.address : each.legacyAddress),
    )
    if (here === '' || here !== there) continue
    const known = await keyOf(other, service)
    if (!known.ok || known.value !== (service === 'v2' ? key : legacyKey)) continue
    return appError(
      'invalid-input',
      `This service is connected already, with this key: “${other.name}”.`,
      'Use that connection. Through two, the same books could be written to twice.',
    )
  }
  return null
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}
