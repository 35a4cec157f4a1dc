/**
 * Adding and removing companies: what was entered in **Add company**, provisioning, de-provisioning, and its report.
 */
import { ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { deprovisionReport, type ReportedDeprovisioning } from '../../files/deprovision-report.ts'
import { fileName } from '../../files/file-name.ts'
import { writeFileAtomically } from '../../files/write-file.ts'
import { resultOf } from '../../store/database.ts'
import type { Deprovisioning, SetupDraftStore } from '../../store/journal/companies.ts'
import type { Writer } from '../../writing/writer.ts'
import type { HandlersOf } from '../calls.ts'
import { findConnection } from '../connections/saved-connections.ts'
import type { Clipboard, SaveDialog, SettingsStore } from '../ports.ts'

export interface SetupsOptions {
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly setupDrafts: SetupDraftStore
  readonly writer: () => Writer
  readonly dialog: SaveDialog
  /** ISO time. */
  readonly now: () => string
}

type SetupCalls =
  | 'companies.setupDraft'
  | 'companies.saveSetupDraft'
  | 'companies.provision'
  | 'companies.provisionings'
  | 'companies.stopWaiting'
  | 'companies.recheckProvisioning'
  | 'companies.decideProvisioning'
  | 'companies.deprovision'
  | 'companies.deprovisionings'
  | 'companies.recheckDeprovisioning'
  | 'companies.saveDeprovisionReport'

export function createSetups(options: SetupsOptions): Pick<HandlersOf<'companies'>, SetupCalls> {
  const { setupDrafts, writer } = options

  const reported = ({
    company,
    known: facts,
    sentAt,
    state,
    confirmations,
  }: Deprovisioning): ReportedDeprovisioning => {
    const connection = findConnection(options.settings, company.connectionId)
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
    'companies.setupDraft': ({ connectionId }) => {
      const draft = setupDrafts.get(connectionId)
      if (draft === null) return ok({ draft: null })
      const { begunAt, again } = draft
      // A setup that was started has its own row, even if its draft could not be deleted.
      const asked = writer().wasRequested(connectionId, { draftBegunAt: begunAt, again })
      return ok({ draft: asked ? null : draft })
    },
    'companies.saveSetupDraft': ({ connectionId, draft }) => {
      setupDrafts.put(connectionId, draft)
      return ok({})
    },
    'companies.provision': ({ connectionId, ...what }) => {
      const begun = writer().provision(connectionId, what)
      // The setup itself now keeps what was entered.
      if (begun.ok) {
        resultOf(() => {
          setupDrafts.put(connectionId, null)
        })
      }
      return begun
    },
    'companies.provisionings': ({ connectionId }) => ok(writer().provisionings(connectionId)),
    'companies.stopWaiting': ({ provisioningId }) => ok(writer().stopWaiting(provisioningId)),
    'companies.recheckProvisioning': ({ provisioningId }) => writer().recheckProvisioning(provisioningId),
    'companies.decideProvisioning': ({ provisioningId, decision }) =>
      writer().decideProvisioning(provisioningId, decision),

    'companies.deprovision': ({ company, service = 'v2' }) => writer().deprovision(company, service),
    'companies.deprovisionings': ({ connectionId }) => ok(writer().deprovisionings(connectionId)),
    'companies.recheckDeprovisioning': ({ deprovisioningId }) =>
      writer().recheckDeprovisioning(deprovisioningId),
    'companies.saveDeprovisionReport': async ({ deprovisioningIds }) => {
      const found = writer().deprovisioningsById(deprovisioningIds)
      const all = found.map(reported)
      const [first] = all
      const whose =
        all.length === 1 && first
          ? first.companyName || first.label || first.fullPath || first.endpointId
          : `${all.length} companies`
      const name = fileName([whose, 'De-provisioned', options.now().slice(0, 10)], 'txt')
      const path = await options.dialog.choose(name, 'txt')
      if (path === null) return ok({ saved: false })
      return writeFileAtomically(path, [ok(new TextEncoder().encode(deprovisionReport(all, options.now())))])
    },
  }
}

/*
 * A company's agent token. It is read from the service for each copy, and this process puts it on the clipboard. It is
 * cleared after a minute and on quit, unless something else was copied since. The window never gets it.
 */

export interface AgentToken {
  /** Returns the seconds until it is cleared from the clipboard. */
  copy(token: string): Promise<{ readonly clearsInSeconds: number }>
  clear(): Promise<Result<Record<string, never>>>
}

const SECONDS = 60

export function createAgentToken(clipboard: Clipboard, clock: Clock): AgentToken {
  let copied: { readonly token: string; readonly cancel: () => void } | null = null

  const clear: AgentToken['clear'] = async () => {
    if (copied === null) return ok({})
    const { token, cancel } = copied
    copied = null
    cancel()
    if ((await clipboard.read()) === token) await clipboard.write('')
    return ok({})
  }

  return {
    clear,
    async copy(token) {
      await clear()
      await clipboard.write(token)
      copied = { token, cancel: clock.after(SECONDS * 1_000, () => void clear()) }
      return { clearsInSeconds: SECONDS }
    },
  }
}
