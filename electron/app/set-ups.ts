/** Adding companies and taking them away: visits to **Add company**, provisioning, de-provisioning and its report. */
import type { VisitUser } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { deprovisionReport, type ReportedDeprovisioning } from '../files/deprovision-report.ts'
import { fileName } from '../files/file-name.ts'
import { writeWholeFile } from '../files/write-file.ts'
import type { Deprovisioning } from '../store/journal.ts'
import type { StoredCompany, VisitStore } from '../store/store.ts'
import type { Writer } from '../writing/writer.ts'
import type { HandlersOf } from './handlers.ts'
import type { SaveDialog, SettingsStore } from './ports.ts'

export interface SetUpsOptions {
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly visits: VisitStore
  readonly writer: () => Writer
  readonly dialog: SaveDialog
  readonly known: (ref: CompanyRef) => Result<StoredCompany>
  /** ISO time. */
  readonly now: () => string
}

type SetUpCalls =
  | 'companies.visit'
  | 'companies.saveVisit'
  | 'companies.createUser'
  | 'companies.provision'
  | 'companies.provisionings'
  | 'companies.stopWaiting'
  | 'companies.lookForProvisioned'
  | 'companies.decideProvisioning'
  | 'companies.deprovision'
  | 'companies.deprovisionings'
  | 'companies.lookForDeprovisioned'
  | 'companies.saveDeprovisionReport'

export function createSetUps(options: SetUpsOptions): Pick<HandlersOf<'companies'>, SetUpCalls> {
  const { visits, writer, known } = options

  /** The user that was made since a visit began and that no set-up has taken: it belongs to the visit. */
  const userOfVisit = (connectionId: string, begunAt: string): Result<VisitUser | null> => {
    const creations = writer().userCreations(connectionId)
    if (!creations.ok) return creations
    const provisionings = writer().provisionings(connectionId)
    if (!provisionings.ok) return provisionings
    const taken = new Set(provisionings.value.map(({ userId }) => userId))
    const since = creations.value.filter(({ sentAt }) => Date.parse(sentAt) >= Date.parse(begunAt))
    const made = since.find(({ state, userId }) => state === 'done' && !taken.has(userId))
    if (made) return ok({ state: 'made', userId: made.userId, at: made.sentAt })
    const held = since.find(({ state }) => state === 'held')
    return ok(held ? { state: 'held', userId: '', at: held.sentAt } : null)
  }

  const reported = ({
    company,
    known: facts,
    sentAt,
    state,
    confirmations,
  }: Deprovisioning): ReportedDeprovisioning => {
    const connection = options.settings
      .connections()
      .find(({ connectionId }) => connectionId === company.connectionId)
    const address = facts.sentBy === 'v1' ? connection?.legacyAddress : connection?.address
    return {
      ...facts,
      endpointId: company.endpointId,
      connectionName: connection?.name ?? '',
      address: address ?? '',
      sentAt,
      isDone: state === 'done',
      confirmations,
    }
  }

  return {
    'companies.visit': ({ connectionId }) => {
      const visit = visits.get(connectionId)
      if (!visit.ok) return visit
      if (visit.value === null) return ok({ visit: null, user: null })
      const user = userOfVisit(connectionId, visit.value.begunAt)
      return user.ok ? ok({ visit: visit.value, user: user.value }) : user
    },
    'companies.saveVisit': ({ connectionId, visit }) => {
      const saved = visits.put(connectionId, visit)
      return saved.ok ? ok({}) : saved
    },
    'companies.createUser': ({ connectionId }) => writer().createUser(connectionId),
    'companies.provision': ({ connectionId, ...what }) => {
      const begun = writer().provision(connectionId, what)
      // From here on the set-up itself keeps what was entered.
      if (begun.ok) visits.put(connectionId, null)
      return begun
    },
    'companies.provisionings': ({ connectionId }) => writer().provisionings(connectionId),
    'companies.stopWaiting': ({ provisioningId }) => writer().stopWaiting(provisioningId),
    'companies.lookForProvisioned': ({ provisioningId }) => writer().lookForProvisioned(provisioningId),
    'companies.decideProvisioning': ({ provisioningId, decision }) =>
      writer().decideProvisioning(provisioningId, decision),

    'companies.deprovision': async ({ company, typedName }) => {
      const found = known(company)
      if (!found.ok) return found
      const named = [found.value.companyName, found.value.label]
        .map((name) => name.trim())
        .filter((name) => name !== '')
      // A company without any name is named by its id, as the window offers it.
      const names = named.length > 0 ? named : [company.endpointId]
      if (!names.includes(typedName.trim())) {
        return err(
          appError(
            'invalid-input',
            'The name that was typed is not this company’s.',
            'Type it exactly as it stands above.',
          ),
        )
      }
      return writer().deprovision(company)
    },
    'companies.deprovisionings': ({ connectionId }) => writer().deprovisionings(connectionId),
    'companies.lookForDeprovisioned': ({ deprovisioningId }) =>
      writer().lookForDeprovisioned(deprovisioningId),
    'companies.saveDeprovisionReport': async ({ deprovisioningIds }) => {
      const found = writer().deprovisioningsById(deprovisioningIds)
      if (!found.ok) return found
      const all = found.value.map(reported)
      const [first] = all
      const whose = all.length === 1 && first ? first.companyName || first.label : `${all.length} companies`
      const name = fileName([whose, 'De-provisioned', options.now().slice(0, 10)], 'txt')
      const path = await options.dialog.choose(name, 'txt')
      if (path === null) return ok({ saved: false })
      return writeWholeFile(path, [ok(new TextEncoder().encode(deprovisionReport(all, options.now())))])
    },
  }
}
