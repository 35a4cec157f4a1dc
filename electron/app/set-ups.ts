/** Adding companies and taking them away: visits to **Add company**, provisioning, de-provisioning and its report. */
import { ok } from '../../shared/result.ts'
import { deprovisionReport, type ReportedDeprovisioning } from '../files/texts/deprovision-report.ts'
import { fileName } from '../files/file-name.ts'
import { writeWholeFile } from '../files/write-file.ts'
import type { Deprovisioning } from '../store/manage-journal.ts'
import type { VisitStore } from '../store/store.ts'
import type { Writer } from '../writing/writer.ts'
import type { HandlersOf } from './handlers.ts'
import type { SaveDialog, SettingsStore } from './ports.ts'

export interface SetUpsOptions {
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly visits: VisitStore
  readonly writer: () => Writer
  readonly dialog: SaveDialog
  /** ISO time. */
  readonly now: () => string
}

type SetUpCalls =
  | 'companies.visit'
  | 'companies.saveVisit'
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
  const { visits, writer } = options

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
      if (visit.value === null) return ok({ visit: null })
      const { begunAt, again } = visit.value
      // What was asked for is a set-up with its own row, even where the visit could not be forgotten.
      const asked = writer().wasAsked(connectionId, { visit: begunAt, again })
      return asked.ok ? ok({ visit: asked.value ? null : visit.value }) : asked
    },
    'companies.saveVisit': ({ connectionId, visit }) => {
      const saved = visits.put(connectionId, visit)
      return saved.ok ? ok({}) : saved
    },
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

    'companies.deprovision': ({ company, service = 'v2' }) => writer().deprovision(company, service),
    'companies.deprovisionings': ({ connectionId }) => writer().deprovisionings(connectionId),
    'companies.lookForDeprovisioned': ({ deprovisioningId }) =>
      writer().lookForDeprovisioned(deprovisioningId),
    'companies.saveDeprovisionReport': async ({ deprovisioningIds }) => {
      const found = writer().deprovisioningsById(deprovisioningIds)
      if (!found.ok) return found
      const all = found.value.map(reported)
      const [first] = all
      const whose =
        all.length === 1 && first
          ? first.companyName || first.label || first.fullPath || first.endpointId
          : `${all.length} companies`
      const name = fileName([whose, 'De-provisioned', options.now().slice(0, 10)], 'txt')
      const path = await options.dialog.choose(name, 'txt')
      if (path === null) return ok({ saved: false })
      return writeWholeFile(path, [ok(new TextEncoder().encode(deprovisionReport(all, options.now())))])
    },
  }
}
