/**
 * Actions that a page can't take alone: a new host or key, and what can't be undone. The main process confirms them in
 * a dialog of its own, about exactly the input it then acts on.
 */
import { isDeepStrictEqual } from 'node:util'
import { applicationName, displayName, isDesktop, setupName } from '../../../shared/companies/companies.ts'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { CallName, CallOutput, CheckedInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { shownText } from '../../../shared/format/text.ts'
import { listName } from '../../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOfAsync } from '../../store/database.ts'
import { stillSendingError } from '../../store/deletion.ts'
import type { CompanyCounts } from '../../store/journal/history.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../writing/writer.ts'
import type { Handlers } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { ConnectionDirectory } from '../connections/connections.ts'
import { findConnection, noSuchConnectionError, planConnection } from '../connections/saved-connections.ts'
import type { ConfirmationDialog, Question, SavedConnection, SettingsStore } from '../ports.ts'

/** Larger batches are always confirmed. */
const FEW_RECORDS = 100

export interface ConfirmationOptions {
  readonly confirmation: ConfirmationDialog
  readonly settings: Pick<SettingsStore, 'connections' | 'get'>
  readonly companies: Pick<Companies, 'find'>
  readonly keys: Pick<ConnectionDirectory, 'hasNewKey'>
  readonly unfinished: Store['unfinished']['list']
  readonly kept: Store['history']['counts']
  readonly damagedFiles: Store['damagedFiles']
  readonly provisionings: Writer['provisionings']
  /** An error while a write to the books is queued or not confirmed. */
  readonly openWrites: (company: CompanyRef) => Result<void>
  /** The operation with that ID, if there is one. */
  readonly operation: (operationId: string) => Pick<JournalOperation, 'company' | 'object'> | undefined
  /** The names of the companies that these drafts of a change in several companies belong to. */
  readonly companiesOfChange: (changeId: string, draftIds: readonly string[]) => readonly string[]
  /** Outlives the core. */
  readonly unconfirmedSends: UnconfirmedSends
}

/** The question about an action. `null` if none is needed, or if its handler will refuse it. */
type Asked = Result<Question | null>

/**
 * Wraps the calls that need a confirmation. A declined call does nothing and returns an error of kind `declined`.
 */
export function withConfirmations(handlers: Handlers, options: ConfirmationOptions): Handlers {
  const { confirmation, settings, companies, keys, unconfirmedSends } = options
  let isAsking = false

  const connectionOf = (connectionId: string): SavedConnection | undefined =>
    findConnection(settings, connectionId)

  const unfinishedOf = ({ connectionId, endpointId }: CompanyRef): readonly UnfinishedItem[] => {
    return options.unfinished(connectionId).filter(({ company }) => company.endpointId === endpointId)
  }

  /** Asks the question, if there is one. An error if the user declines, or if the facts change in between. */
  const askedFirst = async (question: () => Asked): Promise<Result<void>> => {
    const asked = question()
    if (!asked.ok) return asked
    if (asked.value === null) return ok(undefined)
    // A compromised page could bury one question under others.
    if (isAsking) return err(appError('stopped', 'Another dialog is open.', 'Close it first.'))
    isAsking = true
    const isConfirmed = await confirmation.ask(asked.value).finally(() => (isAsking = false))
    if (!isConfirmed) return err(appError('declined', 'You canceled. Nothing was changed or sent.'))
    if (isDeepStrictEqual(question(), asked)) return ok(undefined)
    return err(
      appError('stopped', 'Something changed in the meantime, so nothing was changed or sent.', 'Try again.'),
    )
  }

  const asking =
    <Name extends CallName>(name: Name, question: (input: CheckedInput<Name>) => Asked) =>
    async (input: CheckedInput<Name>): Promise<Result<CallOutput<Name>>> => {
      const asked = await askedFirst(() => question(input))
      return asked.ok ? handlers[name](input) : asked
    }

  const ofCompany = (ref: CompanyRef, question: (company: StoredCompany) => Asked): Asked => {
    const known = companies.find(ref)
    return known.ok ? question(known.value) : known
  }

  /** Counts records that are sent without a question, and asks where there are many. */
  const sendCounted = async <T>(
    records: number,
    question: () => Asked,
    send: () => Promise<Result<T>> | Result<T>,
  ): Promise<Result<T>> => {
    // Counted before anything is awaited. Otherwise, each of several batches sent at once would pass as the only one.
    const isSilent = records <= FEW_RECORDS && !unconfirmedSends.wouldExceedLimit(records)
    const takeBack = isSilent ? unconfirmedSends.add(records) : null
    if (takeBack === null) {
      const asked = await askedFirst(question)
      if (!asked.ok) return asked
      unconfirmedSends.clear()
    }
    const sent = await resultOfAsync(async () => send())
    if (!sent.ok) takeBack?.()
    return sent
  }

  return {
    ...handlers,
    'connection.connect': asking('connection.connect', (typed) => {
      const before = connectionOf(typed.connectionId)
      const planned = planConnection({ ...typed, legacyAddress: typed.legacyAddress }, before)
      return ok(
        planned.ok
          ? connectQuestion(planned.value, before, {
              hasNewKey: keys.hasNewKey(typed.connectionId),
              isSameService: typed.isSameService === true,
            })
          : null,
      )
    }),
    'connection.remove': asking('connection.remove', ({ connectionId }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined) return err(noSuchConnectionError())
      const unfinished = options.unfinished(connectionId)
      // If the list can't be read, the connection stays.
      return ok(removeQuestion(connection, unfinished, options.damagedFiles()))
    }),
    'companies.provision': asking('companies.provision', ({ connectionId, ...what }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined) return err(noSuchConnectionError())
      const all = options.provisionings(connectionId)
      const waiting = all.filter(({ state }) => state === 'sending' || state === 'waiting')
      return ok(provisionQuestion(connection, what, waiting))
    }),
    'companies.deprovision': asking('companies.deprovision', ({ company: ref, service = 'v2' }) =>
      ofCompany(ref, (company) => {
        const free = options.openWrites(ref)
        if (!free.ok) return free
        const unfinished = unfinishedOf(ref)
        return ok(deprovisionQuestion(company, unfinished, service))
      }),
    ),
    'history.deleteCompany': asking('history.deleteCompany', ({ company: ref }) =>
      ofCompany(ref, (company) => {
        const kept = options.kept(ref)
        if (kept.sending > 0) return err(stillSendingError())
        const unfinished = unfinishedOf(ref)
        return ok(deleteQuestion(company, kept, unfinished, options.damagedFiles()))
      }),
    ),
    'settings.set': asking('settings.set', ({ historyDays }) => {
      const isShorter = historyDays !== undefined && historyDays < settings.get().historyDays
      return ok(isShorter ? retentionQuestion(historyDays) : null)
    }),
    'records.send': (input) =>
      sendCounted(
        input.draftIds.length,
        () =>
          ofCompany(input.company, (company) =>
            ok(sendQuestion(company, input.object, input.draftIds.length, unconfirmedSends)),
          ),
        () => handlers['records.send'](input),
      ),
    'multiCompanyChanges.send': (input) =>
      sendCounted(
        input.draftIds.length,
        () => {
          const companies = options.companiesOfChange(input.changeId, input.draftIds)
          return ok(multiCompanySendQuestion(companies, input.draftIds.length, unconfirmedSends))
        },
        () => handlers['multiCompanyChanges.send'](input),
      ),
    'records.decide': (input) => {
      const operation =
        input.decision.what === 'send-again' ? options.operation(input.operationId) : undefined
      if (operation === undefined) return handlers['records.decide'](input)
      return sendCounted(
        1,
        () =>
          ofCompany(operation.company, (company) =>
            ok(sendQuestion(company, operation.object, 1, unconfirmedSends)),
          ),
        () => handlers['records.decide'](input),
      )
    },
  }
}

/* The questions: whom the action concerns, what is lost, and what follows. Pure functions. */

/** Characters. A longer name would push the question out of view. */
const LONGEST_NAME = 80

/** Lines. A longer list would push the buttons out of view. */
const MAX_LINES = 10

/** Asks about a connection's new addresses or new key. Returns `null` if there are none. */
function connectQuestion(
  planned: SavedConnection,
  before: SavedConnection | undefined,
  { hasNewKey, isSameService }: { readonly hasNewKey: boolean; readonly isSameService: boolean },
): Question | null {
  const known = new Set([before?.address, before?.legacyAddress])
  const addresses = [planned.address, planned.legacyAddress].filter((address) => address !== '')
  const added = [...new Set(addresses.filter((address) => !known.has(address)))]
  if (added.length === 0) {
    if (before === undefined || !hasNewKey) return null
    return {
      message: `Use a new API key for ${quoted(before.name)}?`,
      detail: `It will be sent to ${addresses.map(shownAddress).join(' and ')}. Your changes will go to the books this key opens.`,
      confirm: 'Use key',
    }
  }
  const wasAt = [before?.address, before?.legacyAddress].find(
    (address) => address !== undefined && address !== '',
  )
  const moved =
    before === undefined || wasAt === undefined
      ? ''
      : `${quoted(before.name)} was at ${shownAddress(wasAt)}. `
  const same = isSameService ? 'Waiting changes will be sent to the new address. ' : ''
  return {
    message: `Connect to ${added.map(shownAddress).join(' and ')}?`,
    detail: `${moved}${same}Bookbridge will send your API key and your clients’ data to this address.`,
    confirm: 'Connect',
  }
}

/**
 * @param unfinished all unfinished work of the connection
 * @param damagedFiles paths of damaged databases that were set aside, which are not deleted
 */
function removeQuestion(
  connection: SavedConnection,
  unfinished: readonly UnfinishedItem[],
  damagedFiles: readonly string[],
): Question {
  return {
    message: `Remove the connection ${quoted(connection.name)}?`,
    detail: paragraphs(
      bulleted('This unfinished work would be lost:', unfinished.map(unfinishedSentence)),
      addressSentence(connection),
      'Its addresses and keys are deleted from this computer, with the drafts, history, and labels of its companies. Nothing changes at the service: companies stay provisioned and billed.',
      damagedSentences(damagedFiles),
    ),
    confirm: unfinished.length === 0 ? 'Remove' : 'Remove with unfinished work',
  }
}

/** @param waiting setups that were sent over the connection and may still finish */
function provisionQuestion(
  connection: SavedConnection,
  what: Pick<Provisioning, 'application' | 'expectedFile'> & { readonly userId: string | null },
  waiting: readonly Provisioning[],
): Question {
  const books = what.expectedFile.trim() === '' ? 'a company' : quoted(what.expectedFile)
  const whose = what.userId === null ? 'a new client' : `the client ${quoted(what.userId)}`
  return {
    message: `Provision ${books} with ${quoted(connection.name)}?`,
    detail: paragraphs(
      addressSentence(connection),
      `This starts billing. The company is set up for ${whose}, in ${quoted(applicationName(what.application))}.`,
      isDesktop(what.application)
        ? 'The service connects to the company file that is open on that computer.'
        : '',
      bulleted(
        'These setups may still finish. If one of them is for the same books, you may be billed twice. Make sure no one is still authorizing:',
        waiting.map((setup) => quoted(setupName(setup))),
      ),
    ),
    confirm: 'Provision',
  }
}

/** @param unfinished the company's unfinished work */
function deprovisionQuestion(
  company: StoredCompany,
  unfinished: readonly UnfinishedItem[],
  service: 'v2' | 'v1',
): Question {
  const isOlder = company.listedBy === 'v1' || (company.listedBy === 'both' && service === 'v1')
  return {
    message: `De-provision ${quoted(displayName(company))}?`,
    detail: paragraphs(
      listedName(company),
      company.fullPath.trim() === '' ? '' : plain(company.fullPath),
      bulleted(
        'These books have unfinished work that can’t be sent afterward:',
        unfinished
          .filter(({ kind }) => kind !== 'provisioning' && kind !== 'deprovisioning')
          .map(sentenceWithin),
      ),
      `Bookbridge will lose access to these books, and billing for this company ends. The company file itself doesn’t change. To connect it again later, provision it again.${isOlder ? ' This goes through the older service (v1).' : ''}`,
    ),
    confirm: 'De-provision',
  }
}

/**
 * @param unfinished the company's unfinished work
 * @param damagedFiles paths of damaged databases that were set aside, which are not deleted
 */
function deleteQuestion(
  company: StoredCompany,
  { drafts, records, closedMonths }: CompanyCounts,
  unfinished: readonly UnfinishedItem[],
  damagedFiles: readonly string[],
): Question {
  const unconfirmed = unfinished.filter(({ kind }) => kind === 'not-confirmed' || kind === 'deprovisioning')
  const listed =
    company.isActive && company.isListed
      ? '. The next refresh lists it again, without its label and lock. To end billing, de-provision it first'
      : ''
  return {
    message: `Delete all data about ${quoted(displayName(company))} from this computer?`,
    detail: paragraphs(
      listedName(company),
      bulleted(
        'Bookbridge doesn’t know whether these reached the service, and can’t check after you delete them:',
        unconfirmed.map(sentenceWithin),
      ),
      bulleted('This permanently deletes from this computer:', [
        `${counted(drafts, 'draft', 'drafts')} you haven’t sent`,
        `the history of ${counted(records, 'record', 'records')} that you sent, with the previous values. You can no longer change them back`,
        'its requests in Activity',
        'the copies of its lists',
        ...(closedMonths === 0
          ? ['the reviews of its months']
          : [
              `${counted(closedMonths, 'closed month', 'closed months')}, with the copies of the reports. Review packs that you saved stay`,
            ]),
        'its label, color, notes, and Read only lock',
      ]),
      `The books and the company at the service stay as they are${listed}. Files you saved are not deleted.`,
      damagedSentences(damagedFiles),
    ),
    confirm: unconfirmed.length === 0 ? 'Delete' : 'Delete with unconfirmed work',
  }
}

/** @param unconfirmedSends records sent without a question, mentioned if this batch exceeds the limit */
function sendQuestion(
  company: StoredCompany,
  object: string,
  records: number,
  unconfirmedSends: Pick<UnconfirmedSends, 'wouldExceedLimit' | 'count'>,
): Question {
  return {
    message: `Send ${counted(records, 'change', 'changes')} to ${quoted(displayName(company))}?`,
    detail: paragraphs(
      listedName(company),
      `List: ${listName(object)}. You can stop at any time.`,
      otherUnconfirmedSends(records, unconfirmedSends),
    ),
    confirm: 'Send',
  }
}

/** @param companies names of those that get a part of one change */
function multiCompanySendQuestion(
  companies: readonly string[],
  records: number,
  unconfirmedSends: Pick<UnconfirmedSends, 'wouldExceedLimit' | 'count'>,
): Question {
  return {
    message: `Send ${counted(records, 'change', 'changes')} to ${counted(companies.length, 'company', 'companies')}?`,
    detail: paragraphs(
      bulleted('They belong to:', companies.map(quoted)),
      'One company after another. You can stop at any time.',
      otherUnconfirmedSends(records, unconfirmedSends),
    ),
    confirm: 'Send',
  }
}

function otherUnconfirmedSends(
  records: number,
  unconfirmedSends: Pick<UnconfirmedSends, 'wouldExceedLimit' | 'count'>,
): string {
  return unconfirmedSends.wouldExceedLimit(records) && unconfirmedSends.count() > 0
    ? `${counted(unconfirmedSends.count(), 'other change was', 'other changes were')} sent in the last 24 hours without a confirmation. If you don’t recognize them, cancel and check History in Activity.`
    : ''
}

/** @param days the new, shorter retention */
function retentionQuestion(days: number): Question {
  return {
    message: `Keep history for only ${counted(days, 'day', 'days')}?`,
    detail:
      'Older history, including the previous values, will be deleted from this computer. You won’t be able to undo those changes.',
    confirm: 'Delete older history',
  }
}

/** Describes unfinished work after the company was named. */
function sentenceWithin(item: UnfinishedItem): string {
  return unfinishedSentence({ ...item, companyName: '' })
}

/** Describes unfinished work: *3 drafts in Customers of Alder & Finch*. */
function unfinishedSentence({ kind, count, object, companyName }: UnfinishedItem): string {
  if (kind === 'provisioning') return `A company being set up: ${plain(companyName)}`
  const where = [
    object === '' ? '' : `in ${plain(listName(object))}`,
    companyName === '' ? '' : `of ${plain(companyName)}`,
  ]
  return [`${count.toLocaleString('en-US')} ${formatUnfinished(kind, count)}`, ...where]
    .filter(Boolean)
    .join(' ')
}

function formatUnfinished(kind: Exclude<UnfinishedItem['kind'], 'provisioning'>, count: number): string {
  switch (kind) {
    case 'draft':
      return count === 1 ? 'draft' : 'drafts'
    case 'not-accepted':
      return 'not accepted'
    case 'not-confirmed':
      return 'sent and not confirmed'
    case 'decision':
      return 'waiting for your decision'
    case 'changed-meanwhile':
      return 'changed elsewhere'
    case 'queued':
    case 'sending':
      return 'waiting to be sent'
    case 'deprovisioning':
      return count === 1 ? 'de-provisioning not confirmed' : 'de-provisionings not confirmed'
  }
}

/** Deleting doesn't reach damaged files that were set aside. */
function damagedSentences(paths: readonly string[]): string {
  const isOne = paths.length === 1
  return bulleted(
    `${isOne ? 'An older, damaged file is still there' : 'Older, damaged files are still there'}, and may contain drafts and history of any company. Delete ${isOne ? 'it' : 'them'} yourself when you no longer need ${isOne ? 'it' : 'them'}:`,
    paths.map((path) => plain(path.split(/[\\/]/).at(-1) ?? path)),
  )
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}

/** A heading and a list, limited to what a dialog can show. Empty for an empty list. */
function bulleted(heading: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const left = lines.length - MAX_LINES
  const shown = lines.slice(0, MAX_LINES).map((line) => `• ${line}`)
  return [heading, ...shown, ...(left > 0 ? [`• and ${left.toLocaleString('en-US')} more`] : [])].join('\n')
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

/** The service’s name for a company that was renamed here. The window can change only the name here. */
function listedName(company: StoredCompany): string {
  const listed = displayName({ ...company, label: '' })
  return listed === displayName(company) ? '' : `The service lists this company as ${quoted(listed)}.`
}

/** A connection's addresses. The window can change only its name. */
function addressSentence({ address, legacyAddress, isSample }: SavedConnection): string {
  const addresses = isSample ? [] : [address, legacyAddress].filter((each) => each !== '')
  return addresses.length === 0 ? '' : `It connects to ${addresses.map(shownAddress).join(' and ')}.`
}

/** The host as it is resolved, and the path. */
function shownAddress(address: string): string {
  const { host, pathname } = new URL(address)
  return pathname === '/' ? host : `${host}${cut(pathname)}`
}

function quoted(name: string): string {
  return `“${plain(name)}”`
}

/**
 * Makes a name from outside safe to quote: one line, shortened, and without characters that reverse the text beside it.
 */
function plain(name: string): string {
  return cut(
    shownText(name)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  )
}

function cut(text: string): string {
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text
}

/*
 * Counts the records sent in batches too small to confirm, so that a compromised page can't send many of them. Outlives
 * the core, which the page can reopen (`app.restart`).
 */

/** Records that may be sent without a question. A bookkeeper rarely corrects as many by hand in a day. */
const MAX_UNCONFIRMED = 300

const DAY_MS = 24 * 60 * 60_000

export interface UnconfirmedSends {
  /** Records of the last 24 hours, or since the user last confirmed a batch. */
  count(): number
  /** Whether sending that many more needs a confirmation. */
  wouldExceedLimit(records: number): boolean
  /** Counts records as sent. Returns a function that takes them back if they were not sent. */
  add(records: number): () => void
  /** The user confirmed a batch. */
  clear(): void
}

/** @param clock only `elapsed` is used, which no one can set forward */
export function createUnconfirmedSends(clock: Pick<Clock, 'elapsed'>): UnconfirmedSends {
  let sends: readonly { readonly at: number; readonly records: number }[] = []

  const count = (): number => {
    sends = sends.filter(({ at }) => clock.elapsed() - at < DAY_MS)
    return sends.reduce((total, { records }) => total + records, 0)
  }

  return {
    count,
    wouldExceedLimit: (records) => count() + records > MAX_UNCONFIRMED,
    add(records) {
      const send = { at: clock.elapsed(), records }
      sends = [...sends, send]
      return () => (sends = sends.filter((each) => each !== send))
    },
    clear: () => (sends = []),
  }
}
