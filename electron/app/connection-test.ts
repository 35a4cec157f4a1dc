/**
 * Connect tries addresses and keys by listing the companies, of both services where there are two. Only the turns of
 * the test go there: nothing else of the connection goes to an address that is not saved.
 */
import { ok, type Result } from '../../shared/result.ts'
import { EMPTY_LIST, readCompanyList, type CompanyList } from '../service/company-list.ts'
import { readLegacyCompanyList, type LegacyCompanyList } from '../service/legacy-answers.ts'
import { serviceTurn, type ServiceClient, type ServiceTarget, type TurnRequest } from '../service/wire.ts'
import type { SavedConnection } from './ports.ts'
import { hasCurrent } from './saved-connections.ts'

/** A connection with its keys, to be tested. */
export interface Candidate {
  readonly connection: SavedConnection
  readonly key: string
  /** Empty where there is no older service. */
  readonly legacyKey: string
}

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

function request(connectionId: string): TurnRequest {
  const what = 'Connecting: listing the companies'
  return { ...serviceTurn({ connectionId, what, isWrite: false, priority: 'person' }), isTest: true }
}
