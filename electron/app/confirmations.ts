/**
 * Rare acts that a page can't do alone: a new host, and what can't be taken back. The main process asks in a dialog of its
 * own, about exactly the input that it then acts on. The sample's books are made up, so nobody is asked about them.
 */
import { displayName } from '../../shared/company-name.ts'
import type { CallAnswer, CallName, CheckedInput } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { listName } from '../../shared/records.ts'
import { appError, err, type AppError, type Result } from '../../shared/result.ts'
import type { Companies } from './companies.ts'
import type { Handlers } from './handlers.ts'
import type { Confirmation, Question, SavedConnection, SettingsStore } from './ports.ts'

/** A batch of more records than this is confirmed. */
const FEW_RECORDS = 100

export interface ConfirmationOptions {
  readonly confirmation: Confirmation
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly companies: Pick<Companies, 'known'>
}

/** The calls that ask first. What is declined is not done, and answers so. */
export function confirmedHandlers(handlers: Handlers, options: ConfirmationOptions): Handlers {
  const { confirmation, settings, companies } = options
  const connectionOf = (connectionId: string): SavedConnection | undefined =>
    settings.connections().find((each) => each.connectionId === connectionId)
  const asking =
    <Name extends CallName>(name: Name, question: (input: CheckedInput<Name>) => Question | null) =>
    async (input: CheckedInput<Name>): Promise<Result<CallAnswer<Name>>> => {
      const asked = question(input)
      if (asked !== null && !(await confirmation.ask(asked))) return err(declined())
      return handlers[name](input)
    }
  const ofCompany = (company: CompanyRef, question: (name: string) => Question): Question | null => {
    const known = companies.known(company)
    // Of what is not known here nothing can be done; its handler says so.
    return known.ok && connectionOf(company.connectionId)?.isSample !== true
      ? question(displayName(known.value))
      : null
  }
  return {
    ...handlers,
    'connection.connect': asking('connection.connect', (typed) =>
      connectQuestion(typed, connectionOf(typed.connectionId)),
    ),
    'connection.remove': asking('connection.remove', ({ connectionId }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined || connection.isSample) return null
      return {
        message: `Remove the connection “${connection.name}”?`,
        detail: 'Its key, and the drafts and history of its companies, are deleted from this computer.',
        confirm: 'Remove',
        isDestructive: true,
      }
    }),
    'companies.provision': asking('companies.provision', ({ connectionId, expectedFile }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined || connection.isSample) return null
      const what = expectedFile.trim() === '' ? 'a company' : `“${expectedFile.trim()}”`
      return {
        message: `Provision ${what} with “${connection.name}”?`,
        detail: 'The service connects to the company file that is open next to its agent.',
        confirm: 'Provision',
        isDestructive: false,
      }
    }),
    'companies.deprovision': asking('companies.deprovision', ({ company }) =>
      ofCompany(company, (name) => ({
        message: `De-provision “${name}”?`,
        detail: 'The service disconnects from its books. Reading them again takes a new set-up.',
        confirm: 'De-provision',
        isDestructive: true,
      })),
    ),
    'history.deleteCompany': asking('history.deleteCompany', ({ company }) =>
      ofCompany(company, (name) => ({
        message: `Delete what is kept here about “${name}”?`,
        detail: 'Drafts, history, and notes are deleted from this computer. The books stay as they are.',
        confirm: 'Delete',
        isDestructive: true,
      })),
    ),
    'records.send': asking('records.send', ({ company, object, draftIds }) =>
      draftIds.length <= FEW_RECORDS
        ? null
        : ofCompany(company, (name) => ({
            message: `Send ${draftIds.length.toLocaleString('en-US')} changes to “${name}”?`,
            detail: `They go to its ${listName(object).toLowerCase()}. You can stop while they are being sent.`,
            confirm: 'Send',
            isDestructive: false,
          })),
    ),
  }
}

/** Of hosts that this connection did not have; `null` where there are none. */
function connectQuestion(
  typed: CheckedInput<'connection.connect'>,
  before: SavedConnection | undefined,
): Question | null {
  const known = new Set([before?.address, before?.legacyAddress].map(hostOf))
  const hosts = [typed.address, typed.legacyAddress].map(hostOf)
  const added = [...new Set(hosts.filter((host) => host !== '' && !known.has(host)))]
  if (added.length === 0) return null
  const isMoved =
    before !== undefined && before.address !== '' && hostOf(typed.address) !== hostOf(before.address)
  const same = typed.isSameService === true ? ' You said that it is the same service, only moved.' : ''
  return {
    message: `Connect to ${added.join(' and ')}?`,
    detail: isMoved
      ? `“${before.name}” was at ${hostOf(before.address)} until now.${same} The API key and your clients’ books go to the new host.`
      : 'The API key and your clients’ books go to this host.',
    confirm: 'Connect',
    isDestructive: false,
  }
}

/** The host and port of an address; empty where there is none, which is refused by itself. */
function hostOf(address: string | undefined): string {
  const typed = address?.trim() ?? ''
  const url = typed.includes('://') ? typed : `https://${typed}`
  return typed !== '' && URL.canParse(url) ? new URL(url).host : ''
}

function declined(): AppError {
  return appError('stopped', 'You canceled. Nothing was changed or sent.', '')
}
