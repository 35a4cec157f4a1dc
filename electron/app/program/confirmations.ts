/**
 * Rare acts that a page can't do alone: a new host or key, and what can't be taken back. The main process asks in a dialog
 * of its own, about exactly the input that it then acts on.
 */
import { isDeepStrictEqual } from 'node:util'
import type { CallAnswer, CallName, CheckedInput } from '../../../shared/contract/contract.ts'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { resultOfAsync } from '../../store/database.ts'
import { beingSent } from '../../store/deletion.ts'
import type { Store } from '../../store/store.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Writer } from '../../writing/writer.ts'
import type { Companies } from '../companies/companies.ts'
import {
  connectQuestion,
  deleteQuestion,
  deprovisionQuestion,
  provisionQuestion,
  removeQuestion,
  retentionQuestion,
  sendQuestion,
} from '../confirmation-questions.ts'
import { noSuchConnection, plannedConnection } from '../connections/plan.ts'
import type { Keys } from '../connections/connections.ts'
import type { Handlers } from '../calls.ts'
import type { Confirmation, Question, SavedConnection, SettingsStore } from '../ports.ts'
import type { UnaskedSends } from '../unasked-sends.ts'

/** A batch of more records than this is confirmed. */
const FEW_RECORDS = 100

export interface ConfirmationOptions {
  readonly confirmation: Confirmation
  readonly settings: Pick<SettingsStore, 'connections' | 'get'>
  readonly companies: Pick<Companies, 'known'>
  readonly keys: Pick<Keys, 'hasNewKey'>
  readonly unfinished: Store['unfinished']['list']
  readonly kept: Store['history']['kept']
  readonly damagedFiles: Store['damagedFiles']
  readonly provisionings: Writer['provisionings']
  /** An error where a write to the books is not confirmed or waits, so that they can't be closed. */
  readonly openWrites: (company: CompanyRef) => Result<void>
  /** Outlives the core. */
  readonly unasked: UnaskedSends
}

/** What is asked about an act; `null` for one that needs no word, or that its handler refuses. */
type Asked = Result<Question | null>

/** The calls that ask first. What is declined is not done, and answers so. */
export function confirmedHandlers(handlers: Handlers, options: ConfirmationOptions): Handlers {
  const { confirmation, settings, companies, keys, unasked } = options
  let isAsking = false

  const connectionOf = (connectionId: string): SavedConnection | undefined =>
    settings.connections().find((each) => each.connectionId === connectionId)

  const unfinishedOf = ({ connectionId, endpointId }: CompanyRef): readonly UnfinishedItem[] => {
    return options.unfinished(connectionId).filter(({ company }) => company.endpointId === endpointId)
  }

  /** Answers once nothing stands against the act: the person said yes to exactly this, or needs no asking. */
  const askedFirst = async (question: () => Asked): Promise<Result<void>> => {
    const asked = question()
    if (!asked.ok) return asked
    if (asked.value === null) return ok(undefined)
    // A page that is not ours any more could bury one question under others.
    if (isAsking) return err(appError('stopped', 'Another question is open.', 'Answer that one first.'))
    isAsking = true
    const isConfirmed = await confirmation.ask(asked.value).finally(() => (isAsking = false))
    if (!isConfirmed) return err(appError('declined', 'You canceled. Nothing was changed or sent.'))
    if (isDeepStrictEqual(question(), asked)) return ok(undefined)
    return err(
      appError(
        'stopped',
        'This has changed while you were asked. Nothing was changed or sent.',
        'Try again.',
      ),
    )
  }

  const asking =
    <Name extends CallName>(name: Name, question: (input: CheckedInput<Name>) => Asked) =>
    async (input: CheckedInput<Name>): Promise<Result<CallAnswer<Name>>> => {
      const asked = await askedFirst(() => question(input))
      return asked.ok ? handlers[name](input) : asked
    }

  const ofCompany = (ref: CompanyRef, question: (company: StoredCompany) => Asked): Asked => {
    const known = companies.known(ref)
    return known.ok ? question(known.value) : known
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
      const unfinished = options.unfinished(connectionId)
      // As long as it is not known what would be lost, the connection is kept.
      return ok(removeQuestion(connection, unfinished, options.damagedFiles()))
    }),
    'companies.provision': asking('companies.provision', ({ connectionId, ...what }) => {
      const connection = connectionOf(connectionId)
      if (connection === undefined) return err(noSuchConnection())
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
        if (kept.sending > 0) return err(beingSent())
        const unfinished = unfinishedOf(ref)
        return ok(deleteQuestion(company, kept, unfinished, options.damagedFiles()))
      }),
    ),
    'settings.set': asking('settings.set', ({ historyDays }) => {
      const isShorter = historyDays !== undefined && historyDays < settings.get().historyDays
      return ok(isShorter ? retentionQuestion(historyDays) : null)
    }),
    'records.send': async (input) => {
      const { company: ref, object, draftIds } = input
      const records = draftIds.length
      const isSilent = records <= FEW_RECORDS && !unasked.areTooMany(records)
      // Counted before anything is awaited: batches that are sent side by side can't each pass as the only one.
      const takeBack = isSilent ? unasked.add(records) : null
      if (takeBack === null) {
        const asked = await askedFirst(() =>
          ofCompany(ref, (company) => ok(sendQuestion(company, object, records, unasked))),
        )
        if (!asked.ok) return asked
        unasked.clear()
      }
      const sent = await resultOfAsync(async () => handlers['records.send'](input))
      if (!sent.ok) takeBack?.()
      return sent
    },
  }
}
