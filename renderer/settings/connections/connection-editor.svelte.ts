/** Edits a connection: its name, addresses, keys, and own settings. Has the result of **Connect**. */
import { applicationName } from '../../../shared/companies/companies.ts'
import type { Connection, LearnedBehavior } from '../../../shared/contract/connections.ts'
import { listName } from '../../../shared/records/definition.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'
import { errorToShow } from '../../ui/notices/errors.ts'
import { mergeSaved, overridesAsText, parseOverrides, type TypedOwn } from '../number-settings.ts'

type ConnectOutcome =
  | {
      readonly what: 'answered'
      readonly companies: number
      /** How many companies the older service lists; `null` if there is none. */
      readonly legacyCompanies: number | null
      readonly isWhole: boolean
      readonly milliseconds: number
    }
  | { readonly what: 'saved' }
  | { readonly what: 'failed'; readonly error: AppError }

/** The values of the fields when a request began. */
type Typed = Pick<ConnectionEditor, 'name' | 'address' | 'legacyAddress' | 'key' | 'legacyKey' | 'own'>

export class ConnectionEditor {
  name = $state('')
  address = $state('')
  /** A new key; empty keeps the one in the keychain. Cleared once the main process has it. */
  key = $state('')
  legacyAddress = $state('')
  /** A new key for the older service. */
  legacyKey = $state('')
  /** Whether the new address leads to the same service, so that changes sent to the previous one are rechecked here. */
  isSameService = $state(false)
  own = $state() as TypedOwn
  keyProblem = $state('')
  legacyKeyProblem = $state('')
  outcome = $state.raw<ConnectOutcome | null>(null)
  isConnecting = $state(false)
  readonly #api: Api
  readonly #connection: () => Connection

  readonly read = $derived.by(() => parseOverrides(this.own))
  readonly hasProblem: boolean = $derived(Object.keys(this.read.problems).length > 0)
  /** Whether an address that was in use has changed. */
  readonly isMoved: boolean = $derived.by(() => {
    const { address, legacyAddress } = this.#connection()
    const differs = (typed: string, was: string): boolean => was !== '' && bare(typed) !== bare(was)
    return differs(this.address, address) || differs(this.legacyAddress, legacyAddress)
  })
  /** Whether only the name or settings have changed, which need no test. */
  readonly canSave: boolean = $derived.by(() => {
    const { name, settings, address, legacyAddress } = this.#connection()
    const isWaySame =
      this.address.trim() === address &&
      this.legacyAddress.trim() === legacyAddress &&
      this.key === '' &&
      this.legacyKey === ''
    const isChanged =
      this.name.trim() !== name ||
      JSON.stringify(this.read.settings) !==
        JSON.stringify(parseOverrides(overridesAsText(settings)).settings)
    return isWaySame && isChanged && !this.hasProblem
  })

  /** @param connection the current connection */
  constructor(api: Api, connection: () => Connection) {
    this.#api = api
    this.#connection = connection
    const { name, address, legacyAddress, settings } = connection()
    this.name = name
    this.address = address
    this.legacyAddress = legacyAddress
    this.own = overridesAsText(settings)
  }

  /** Clears problems and the outcome once the user changes something. */
  changed(): void {
    this.keyProblem = ''
    this.legacyKeyProblem = ''
    this.outcome = null
  }

  /** Tests addresses and keys by listing the companies. Saves the changes only if that works. */
  async connect(): Promise<void> {
    if (this.isConnecting || this.hasProblem) return
    this.changed()
    const { address, key, legacyAddress, legacyKey } = this.#connection()
    // A key belongs to one address. For another address, ask for it again.
    const needs = (typed: string, isSame: boolean, location: Connection['key']): boolean =>
      typed === '' && (!isSame || location === 'missing')
    const older = this.legacyAddress.trim()
    const current = this.address.trim()
    const hasCurrent = current !== '' || older === ''
    if (hasCurrent && needs(this.key, current === address, key)) {
      this.keyProblem = 'Enter the API key for this address.'
    }
    if (older !== '' && needs(this.legacyKey, older === legacyAddress, legacyKey)) {
      this.legacyKeyProblem = 'Enter the key for this address.'
    }
    if (this.keyProblem !== '' || this.legacyKeyProblem !== '') return
    const asked = this.#typed()
    this.isConnecting = true
    const outcome = await this.#try(asked)
    this.isConnecting = false
    this.outcome = outcome.what === 'failed' && errorToShow(outcome.error) === null ? null : outcome
    if (outcome.what !== 'answered') return
    if (this.key === asked.key) this.key = ''
    if (this.legacyKey === asked.legacyKey) this.legacyKey = ''
  }

  /** Saves a name or settings without a request to the service. */
  async save(): Promise<void> {
    if (!this.canSave) return
    const asked = this.#typed()
    const saved = await this.#api.call('connection.change', {
      connectionId: this.#connection().connectionId,
      name: this.name.trim(),
      settings: this.read.settings,
    })
    this.outcome = saved.ok ? { what: 'saved' } : { what: 'failed', error: saved.error }
    if (saved.ok) this.#show(saved.value.connection, asked)
  }

  async #try(asked: Typed): Promise<ConnectOutcome> {
    const { connectionId, name } = this.#connection()
    const keys = [
      { service: 'v2', key: this.address.trim() === '' ? '' : this.key.trim() },
      { service: 'v1', key: this.legacyAddress.trim() === '' ? '' : this.legacyKey.trim() },
    ] as const
    for (const { service, key } of keys) {
      if (key === '') continue
      const kept = await this.#api.call('connection.setKey', { connectionId, key, service })
      if (!kept.ok) return { what: 'failed', error: kept.error }
    }
    const began = clock.elapsed()
    const connected = await this.#api.call('connection.connect', {
      connectionId,
      name: this.name.trim() || name,
      address: this.address.trim(),
      legacyAddress: this.legacyAddress.trim(),
      isSameService: this.isMoved && this.isSameService,
      settings: this.read.settings,
    })
    if (!connected.ok) return { what: 'failed', error: connected.error }
    const { connection, companies, legacyCompanies, isWhole } = connected.value
    this.#show(connection, asked)
    const milliseconds = clock.elapsed() - began
    return { what: 'answered', companies, legacyCompanies, isWhole, milliseconds }
  }

  #typed(): Typed {
    const { name, address, legacyAddress, key, legacyKey, own } = this
    return { name, address, legacyAddress, key, legacyKey, own: { ...own } }
  }

  /**
   * Shows the connection as saved, such as an address without its trailing slash. Keeps what was typed since the
   * request.
   */
  #show(connection: Connection, asked: Typed): void {
    if (this.name === asked.name) this.name = connection.name
    if (this.address === asked.address) this.address = connection.address
    if (this.legacyAddress === asked.legacyAddress) this.legacyAddress = connection.legacyAddress
    this.isSameService = false
    this.own = mergeSaved(this.own, asked.own, overridesAsText(connection.settings))
  }
}

function bare(address: string): string {
  return address.trim().replace(/\/+$/, '').toLowerCase()
}

// Describes what writing has shown about a connection's service.

interface LearnedList {
  /** Such as *Customers (Desktop)*. */
  readonly title: string
  readonly sentences: readonly string[]
}

/** One entry per application and list about which something is known. */
export function learnedLists(learned: readonly LearnedBehavior[]): readonly LearnedList[] {
  const lists = new Map<string, string[]>()
  for (const behavior of learned) {
    const title = `${listName(behavior.object)} (${applicationName(behavior.application)})`
    lists.set(title, [...(lists.get(title) ?? []), ...sentencesFor(behavior)])
  }
  return [...lists]
    .filter(([, sentences]) => sentences.length > 0)
    .map(([title, sentences]) => ({ title, sentences }))
}

function sentencesFor(behavior: LearnedBehavior): readonly string[] {
  const sentences = behavior.kind === 'insert' ? aboutInserts(behavior) : [aboutChanges(behavior)]
  return [...sentences, aboutAnswers(behavior)].filter((sentence) => sentence !== '')
}

function aboutInserts(behavior: LearnedBehavior): readonly string[] {
  const { keepsNames, keepsExternalIds, keepsIds, clockAhead, lag } = behavior
  const kept = [
    says(keepsNames, 'names come back as sent', 'names can come back changed'),
    says(keepsExternalIds, 'external IDs are kept', 'external IDs are not kept'),
    says(keepsIds, 'IDs are permanent', 'IDs in responses are temporary'),
  ].filter((part) => part !== '')
  return [
    kept.length === 0 ? '' : `New records: ${kept.join(', ')}.`,
    clockAhead === null ? '' : `Its clock ${formatClockAhead(clockAhead)}.`,
    lag === null || lag === 0 ? '' : `New records appear after up to ${formatSpan(lag)}.`,
  ]
}

function aboutChanges({ isStopped, isProven }: LearnedBehavior): string {
  if (isStopped) {
    return 'Changes are stopped, because one had an unexpected effect. Continue sends the next one alone and reads it back.'
  }
  return isProven
    ? 'Changes: one was read back and changed exactly what was sent.'
    : 'Changes: none has been read back yet, so the next one is sent alone.'
}

function aboutAnswers({ kind, returnsStoredValues }: LearnedBehavior): string {
  const what = kind === 'insert' ? 'new records' : 'changes'
  return says(
    returnsStoredValues,
    `Responses to ${what} show what is stored.`,
    `Responses to ${what} can differ from what is stored, so each one is read back.`,
  )
}

function says(known: boolean | null, yes: string, no: string): string {
  return known === null ? '' : known ? yes : no
}

function formatClockAhead(ahead: number): string {
  if (ahead === 0) return 'agrees with this computer’s'
  return `is ${formatSpan(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this computer’s`
}

const MINUTE = 60_000

/** A duration in whole units, rounded up: *45 s*, *5 min*, *2 h 5 min*. */
function formatSpan(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.ceil(milliseconds / 1_000)} s`
  const minutes = Math.ceil(milliseconds / MINUTE)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest} min`].filter(Boolean).join(' ')
}
