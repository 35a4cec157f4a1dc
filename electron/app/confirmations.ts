/**
 * Rare acts that a page can't do alone: a new host or key, and what can't be taken back. The main process asks in a dialog
 * of its own, about exactly the input that it then acts on.
 */
import { isDeepStrictEqual } from 'node:util'
import { displayName } from '../../shared/company-name.ts'
import type { CallAnswer, CallName, CheckedInput } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { listName } from '../../shared/records.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { shownText } from '../../shared/shown-text.ts'
import type { Companies } from './companies.ts'
import { noSuchConnection, plannedConnection } from './connection-plan.ts'
import type { Keys } from './connections.ts'
import type { Handlers } from './handlers.ts'
import type { Confirmation, Question, SavedConnection, SettingsStore } from './ports.ts'

/** A batch of more records than this is confirmed. */
const FEW_RECORDS = 100

/** Signs of a name; a longer one would push the question out of sight. */
const LONGEST_NAME = 80

export interface ConfirmationOptions {
  readonly confirmation: Confirmation
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly companies: Pick<Companies, 'known'>
  readonly keys: Pick<Keys, 'hasNewKey'>
}

/** What is asked about an act; `null` for one that needs no word, or that its handler refuses. */
type Asked = Result<Question | null>

/** The calls that ask first. What is declined is not done, and answers so. */
export function confirmedHandlers(handlers: Handlers, options: ConfirmationOptions): Handlers {
  const { confirmation, settings, companies, keys } = options
  let isAsking = false

  const connectionOf = (connectionId: string): SavedConnection | undefined =>
    settings.connections().find((each) => each.connectionId === connectionId)

  const asking =
    <Name extends CallName>(name: Name, question: (input: CheckedInput<Name>) => Asked | Promise<Asked>) =>
    async (input: CheckedInput<Name>): Promise<Result<CallAnswer<Name>>> => {
      const asked = await question(input)
      if (!asked.ok) return asked
      if (asked.value !== null) {
        // A page that is not ours any more could bury one question under others.
        if (isAsking) return err(stopped('Another question is open.', 'Answer that one first.'))
        isAsking = true
        const isConfirmed = await confirmation.ask(asked.value).finally(() => (isAsking = false))
        if (!isConfirmed) return err(stopped('You canceled. Nothing was changed or sent.'))
        if (!isDeepStrictEqual(await question(input), asked)) {
          return err(
            stopped('This has changed while you were asked. Nothing was changed or sent.', 'Try again.'),
          )
        }
      }
      return handlers[name](input)
    }

  const ofCompany = (company: CompanyRef, question: (name: string) => Question): Asked => {
    const known = companies.known(company)
    return known.ok ? ok(question(quoted(displayName(known.value)))) : known
  }

  return {
    ...handlers,
    'connection.connect': asking('connection.connect', (typed) => {
      const before = connectionOf(typed.connectionId)
      const planned = plannedConnection({ ...typed, legacyAddress: typed.legacyAddress }, before)
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
      if (connection === undefined) return err(noSuchConnection())
      return ok({
        message: `Remove the connection ${quoted(connection.name)}?`,
        detail: 'Its key, and the drafts and history of its companies, are deleted from this computer.',
        confirm: 'Remove',
      })
    }),
    'companies.provision': asking('companies.provision', ({ connectionId, expectedFile }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined) return err(noSuchConnection())
      const what = expectedFile.trim() === '' ? 'a company' : quoted(expectedFile)
      return ok({
        message: `Provision ${what} with ${quoted(connection.name)}?`,
        detail:
          'This starts billing. The service connects to the company file that is open next to its agent.',
        confirm: 'Provision',
      })
    }),
    'companies.deprovision': asking('companies.deprovision', ({ company }) =>
      ofCompany(company, (name) => ({
        message: `De-provision ${name}?`,
        detail: 'The service disconnects from its books. Reading them again takes a new set-up.',
        confirm: 'De-provision',
      })),
    ),
    'history.deleteCompany': asking('history.deleteCompany', ({ company }) =>
      ofCompany(company, (name) => ({
        message: `Delete what is kept here about ${name}?`,
        detail: 'Drafts, history, and notes are deleted from this computer. The books stay as they are.',
        confirm: 'Delete',
      })),
    ),
    'records.send': asking('records.send', ({ company, object, draftIds }) =>
      draftIds.length <= FEW_RECORDS
        ? ok(null)
        : ofCompany(company, (name) => ({
            message: `Send ${draftIds.length.toLocaleString('en-US')} changes to ${name}?`,
            detail: `They go to its list ${quoted(listName(object))}. You can stop while they are being sent.`,
            confirm: 'Send',
          })),
    ),
  }
}

/** About addresses that this connection did not have, or a key; `null` where there is nothing new. */
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
      detail: `It goes to ${addresses.map(place).join(' and ')}. Your changes then go to the books that this key opens.`,
      confirm: 'Use key',
    }
  }
  const wasAt = [before?.address, before?.legacyAddress].find(
    (address) => address !== undefined && address !== '',
  )
  const moved =
    before === undefined || wasAt === undefined ? '' : `${quoted(before.name)} was at ${place(wasAt)}. `
  const same = isSameService ? 'Changes that wait are sent to the new address. ' : ''
  return {
    message: `Connect to ${added.map(place).join(' and ')}?`,
    detail: `${moved}${same}The API key that you typed and your clients’ books go there.`,
    confirm: 'Connect',
  }
}

/** Where an address leads: the host as it is looked up, and the path below it. */
function place(address: string): string {
  const { host, pathname } = new URL(address)
  return pathname === '/' ? host : `${host}${cut(pathname)}`
}

/** A name of others among our own words: on one line, cut, and with nothing that turns what stands beside it. */
function quoted(name: string): string {
  return `“${cut(
    shownText(name)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  )}”`
}

function cut(text: string): string {
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text
}

function stopped(message: string, advice = '') {
  return appError('stopped', message, advice)
}
