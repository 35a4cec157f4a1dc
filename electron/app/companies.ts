/** Companies: what the service lists, what is ours about them, testing, provisioning, de-provisioning, the token. */
import { BANDS, type Band, type Company, type Unfinished } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { readCompanyList, readCompanyToken, type CompanyList } from '../service/company-list.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import { decodeEnvelope } from '../service/envelope.ts'
import { normalCode, translateErrors } from '../service/service-errors.ts'
import type { Decoder, ServiceClient, TurnRequest } from '../service/wire.ts'
import type { CompanyStore, StoredCompany } from '../store/store.ts'
import type { CompanyDirectory } from '../writing/ports.ts'
import type { Writer } from '../writing/writer.ts'
import { defined } from './defined.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, Clipboard, Clock, SettingsStore } from './ports.ts'

export interface CompaniesOptions {
  readonly settings: SettingsStore
  readonly store: CompanyStore
  readonly client: ServiceClient
  readonly writer: () => Writer
  readonly clipboard: Clipboard
  readonly announcer: Announcer
  readonly clock: Clock
}

export interface Companies extends CompanyDirectory {
  readonly handlers: HandlersOf<'companies'>
  /** Takes over a list that has been read; answers how many companies it has. */
  readonly listed: (connectionId: string, list: CompanyList) => Result<number>
  /** Takes over records that came by elsewhere: all of the connection, or single ones. */
  readonly cameBy: (connectionId: string, records: readonly CompanyRecord[], isWholeList: boolean) => void
  /** The company as known, or an error in words. */
  readonly known: (ref: CompanyRef) => Result<StoredCompany>
  /** Takes a token off the clipboard that is still there; for quitting. */
  readonly clearClipboard: () => Promise<void>
}

const TOKEN_SECONDS = 60

const NOTHING_UNFINISHED: Unfinished = {
  drafts: 0,
  notAccepted: 0,
  notConfirmed: 0,
  decisions: 0,
  changedMeanwhile: 0,
}

export function createCompanies(options: CompaniesOptions): Companies {
  const { store, client, announcer, clock, clipboard } = options
  let tokenOnClipboard: { readonly token: string; readonly cancel: () => void } | null = null

  const now = (): string => new Date(clock.now()).toISOString()

  const known = (ref: CompanyRef): Result<StoredCompany> => {
    const found = store.get(ref)
    if (!found.ok) return found
    if (found.value === null) {
      return err(appError('not-found', 'This company is not known here.', 'Get the list of companies again.'))
    }
    return ok(found.value)
  }

  const withUnfinished = (companies: readonly StoredCompany[], connectionId: string): Result<Company[]> => {
    const counts = options.writer().unfinishedCounts(connectionId)
    if (!counts.ok) return counts
    return ok(
      companies.map((company) => ({
        ...company,
        unfinished: counts.value.get(company.ref.endpointId) ?? NOTHING_UNFINISHED,
      })),
    )
  }

  const list = (connectionId: string): Result<{ companies: Company[]; readAt: string | null }> => {
    const stored = store.list(connectionId)
    if (!stored.ok) return stored
    const companies = withUnfinished(stored.value, connectionId)
    if (!companies.ok) return companies
    const readAt = store.readAt(connectionId)
    return readAt.ok ? ok({ companies: companies.value, readAt: readAt.value }) : readAt
  }

  const listed = (connectionId: string, { companies: records, isWhole }: CompanyList): Result<number> => {
    const before = store.list(connectionId)
    if (!before.ok) return before
    const kept = new Map(before.value.map((company) => [company.ref.endpointId, company]))
    const companies = records.map((record, index) =>
      toStored(connectionId, record, kept.get(record.endpointId), kept.size + index),
    )
    const replaced = store.replaceListing(connectionId, companies, now(), isWhole)
    if (!replaced.ok) return replaced
    announcer.emit('companies.changed', { connectionId })
    return ok(companies.length)
  }

  const request = (connectionId: string, what: string, company: StoredCompany | null): TurnRequest => ({
    connectionId,
    company: company?.ref ?? null,
    companyName: company === null ? '' : displayName(company),
    what,
    isWrite: false,
    priority: 'person',
    batchId: '',
  })

  const readList = (connectionId: string): Promise<Result<CompanyList>> =>
    client.read(request(connectionId, 'Listing the companies', null), (wire) => readCompanyList(wire))

  const clearClipboard = async (): Promise<void> => {
    if (tokenOnClipboard === null) return
    const { token, cancel } = tokenOnClipboard
    tokenOnClipboard = null
    cancel()
    if ((await clipboard.read()) === token) await clipboard.write('')
  }

  const putOne = (connectionId: string, record: CompanyRecord): void => {
    const ref = { connectionId, endpointId: record.endpointId }
    const before = store.get(ref)
    const others = store.list(connectionId)
    const index = others.ok ? others.value.length : 0
    store.put(toStored(connectionId, record, (before.ok ? before.value : null) ?? undefined, index))
  }

  return {
    listed,
    known,
    clearClipboard,
    cameBy(connectionId, records, isWholeList) {
      if (isWholeList) {
        listed(connectionId, { companies: records, isWhole: true })
        return
      }
      for (const record of records) putOne(connectionId, record)
      announcer.emit('companies.changed', { connectionId })
    },
    facts(ref) {
      const found = store.get(ref)
      if (!found.ok || found.value === null) return null
      return {
        application: found.value.application,
        displayName: displayName(found.value),
        isReadOnly: found.value.readOnly,
        isActive: found.value.isActive,
      }
    },
    handlers: {
      'companies.list': ({ connectionId }) => list(connectionId),

      'companies.refresh': async ({ connectionId }) => {
        const records = await readList(connectionId)
        if (!records.ok) return records
        const taken = listed(connectionId, records.value)
        return taken.ok ? list(connectionId) : taken
      },

      'companies.annotate': ({ company, notes }) => {
        const annotated = store.annotate(company, defined(notes))
        if (!annotated.ok) return annotated
        const found = known(company)
        if (!found.ok) return found
        announcer.emit('companies.changed', { connectionId: company.connectionId })
        const whole = withUnfinished([found.value], company.connectionId)
        if (!whole.ok) return whole
        const [only] = whole.value
        return only === undefined
          ? err(appError('not-found', 'This company is not known here.', ''))
          : ok(only)
      },

      'companies.opened': ({ company }) => {
        const opened = store.opened(company, now())
        if (!opened.ok) return opened
        const kept = options.settings.set({ lastCompany: company })
        if (!kept.ok) return kept
        announcer.emit('companies.changed', { connectionId: company.connectionId })
        return ok({})
      },

      'companies.test': async ({ company }) => {
        const found = known(company)
        if (!found.ok) return found
        const { application } = found.value
        const started = clock.now()
        const answer = await client.read(
          request(company.connectionId, 'Testing the company', found.value),
          (wire) =>
            wire.readRecords(
              company.endpointId,
              'customer',
              { modTimeStart: new Date(started).toISOString() },
              answeredDecoder(application),
            ),
          { tries: 1 },
        )
        const at = now()
        if (answer.ok) {
          return ok({
            outcome: 'answered' as const,
            milliseconds: Math.max(0, Math.round(clock.now() - started)),
            at,
          })
        }
        const isSilent =
          answer.error.kind === 'timed-out' ||
          answer.error.kind === 'dropped' ||
          answer.error.kind === 'unreachable'
        return ok({ outcome: isSilent ? ('silent' as const) : ('refused' as const), error: answer.error, at })
      },

      'companies.copyToken': async ({ company }) => {
        const found = known(company)
        if (!found.ok) return found
        const token = await client.read(
          request(company.connectionId, 'Getting the agent token', found.value),
          (wire) => readCompanyToken(wire, company.endpointId),
        )
        if (!token.ok) return token
        await clearClipboard()
        await clipboard.write(token.value)
        tokenOnClipboard = {
          token: token.value,
          cancel: clock.after(TOKEN_SECONDS * 1_000, () => void clearClipboard()),
        }
        return ok({ clearsInSeconds: TOKEN_SECONDS })
      },

      'companies.clearToken': async () => {
        await clearClipboard()
        return ok({})
      },

      'companies.createUser': ({ connectionId }) => options.writer().createUser(connectionId),
      'companies.provision': ({ connectionId, ...what }) => options.writer().provision(connectionId, what),
      'companies.provisionings': ({ connectionId }) => options.writer().provisionings(connectionId),
      'companies.stopWaiting': ({ provisioningId }) => options.writer().stopWaiting(provisioningId),
      'companies.lookForProvisioned': ({ provisioningId }) =>
        options.writer().lookForProvisioned(provisioningId),
      'companies.decideProvisioning': ({ provisioningId, decision }) =>
        options.writer().decideProvisioning(provisioningId, decision),

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
        return options.writer().deprovision(company)
      },
    },
  }
}

/** Our label of a company where there is one, else the service's name. */
export function displayName(company: Pick<StoredCompany, 'label' | 'companyName'>): string {
  return company.label !== '' ? company.label : company.companyName
}

/** The words for an application's short code. */
function applicationName(code: string): string {
  switch (code.toLowerCase()) {
    case 'qbd':
      return 'Desktop'
    case 'qbo':
      return 'Online'
    default:
      return code === '' ? 'Unknown' : code
  }
}

/** A company as the service lists it, with what is ours about it kept. */
function toStored(
  connectionId: string,
  record: CompanyRecord,
  before: StoredCompany | undefined,
  index: number,
): StoredCompany {
  return {
    label: before?.label ?? '',
    initials: before?.initials ?? '',
    band: before?.band ?? bandFor(index),
    notes: before?.notes ?? '',
    fiscalYearStart: before?.fiscalYearStart ?? 1,
    basis: before?.basis ?? 'unknown',
    readOnly: before?.readOnly ?? false,
    favourite: before?.favourite ?? false,
    openedAt: before?.openedAt ?? '',
    ref: { connectionId, endpointId: record.endpointId },
    companyName: record.companyName,
    application: record.endpoint,
    applicationName: applicationName(record.endpoint),
    fullPath: record.fullPath,
    version: record.version,
    createdAt: record.dateTimeCreated,
    lastAccessAt: record.dateTimeLastAccess,
    isActive: record.isActive,
    userId: record.userId,
    recordId: record.id,
    externalId: record.externalId,
    appName: record.appName,
    isHosted: record.isHostedNetworks,
    listedBy: 'v2',
    isListed: true,
    hasToken: record.hasToken,
  }
}

function bandFor(index: number): Band {
  return BANDS[index % BANDS.length] ?? 'graphite'
}

/** Code 1, "nothing matched", is an answer of the books too (application-errors.md). */
function answeredDecoder(application: string): Decoder<void> {
  return (raw) => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    const { errors, requestId, status } = envelope.value
    const real = errors.filter((error) => normalCode(error.code) !== '1')
    if (real.length > 0 || (status >= 400 && errors.length === 0)) {
      return Promise.resolve(err(translateErrors(application, real, requestId, status)))
    }
    return Promise.resolve(ok(undefined))
  }
}
