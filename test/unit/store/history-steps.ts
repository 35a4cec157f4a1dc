/** A user's actions in the history, over a world of the write protocol. */
import { join } from 'node:path'
import type { PrintDocument, SettingsStore } from '../../../electron/app/ports.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createHistory } from '../../../electron/app/records/history.ts'
import { createHistoryFiles } from '../../../electron/app/records/history-files.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { HistoryEntry, HistoryRecord, UndoPlan } from '../../../shared/contract/history.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { NO_KEPT_LISTS } from '../records/list/stand-in.ts'
import { COMPANY, storedCompany, SUPPORTED, testFolder, type World } from '../writing/world.ts'

type Handlers = ReturnType<typeof createHistory>

const NO_FILTER = { outcome: null, text: '', cursor: '', limit: 100 } as const

export class History {
  readonly handlers: Handlers
  readonly #world: World
  /** The fields in metadata. */
  supported: readonly string[] = SUPPORTED
  isListed = true
  settings: Settings = DEFAULT_SETTINGS
  connections: ReturnType<SettingsStore['connections']> = []
  #drafts = 0
  /** The last receipt. */
  printed: PrintDocument | null = null

  constructor(world: World) {
    this.#world = world
    world.putCompany()
    const settings: Pick<SettingsStore, 'get' | 'set' | 'connections'> = {
      get: () => this.settings,
      set: (change) => ok((this.settings = { ...this.settings, ...change })),
      connections: () => this.connections,
    }
    this.handlers = createHistory({
      keptLists: NO_KEPT_LISTS,
      store: world.store,
      companies: {
        find: (company) => {
          const found = world.store.companies.get(company)
          return found === null
            ? err(appError('not-found', 'Bookbridge doesn’t know this company.'))
            : ok({ ...found, isListed: this.isListed })
        },
        facts: () => ({
          application: 'qbd',
          displayName: storedCompany().companyName,
          isReadOnly: world.readOnly,
          isActive: world.isActive,
        }),
      },
      support: () => Promise.resolve(ok({ paths: this.supported, types: new Map() })),
      announcer: { emit: () => undefined, notify: () => undefined },
      clock: world.clock,
      forgetLines: () => undefined,
      settings,
      files: createHistoryFiles({
        store: world.store,
        settings,
        dialog: { choose: (name) => Promise.resolve(join(testFolder(), name)) },
        printer: {
          pdf: (document) => {
            this.printed = document
            return Promise.resolve(ok(new TextEncoder().encode('%PDF')))
          },
        },
        locale: 'en-US',
        clock: world.clock,
      }),
      newId: () => `back-${String((this.#drafts += 1))}-${String(world.clock.now())}`,
    })
  }

  async entries(
    filter: Partial<CallInput<'history.entries'>> = {},
  ): Promise<{ readonly entries: readonly HistoryEntry[]; readonly next: string }> {
    const query = { connectionId: COMPANY.connectionId, company: null, object: '', ...NO_FILTER, ...filter }
    return value(await this.handlers['history.entries'](query))
  }

  async ofRecord(recordId: string, object = 'customer'): Promise<readonly HistoryRecord[]> {
    const which = { of: 'record', company: COMPANY, object, recordId } as const
    return value(await this.handlers['history.records']({ which, ...NO_FILTER })).records
  }

  async ofBatch(
    batchId: string,
    filter: Partial<Omit<CallInput<'history.records'>, 'which'>> = {},
  ): Promise<{ readonly records: readonly HistoryRecord[]; readonly next: string }> {
    const which = { of: 'batch', batchId } as const
    return value(await this.handlers['history.records']({ which, ...NO_FILTER, ...filter }))
  }

  async plan(operationIds: readonly string[]): Promise<UndoPlan> {
    return value(await this.handlers['history.planUndo']({ which: { of: 'records', operationIds } }))
  }

  /** Why the only record can't be undone; `null` if it can. */
  async reason(operationId: string): Promise<string | null> {
    return (await this.plan([operationId])).records[0]?.refused?.reason ?? null
  }

  undo(operationIds: readonly string[]): Promise<Result<{ readonly draftIds: readonly string[] }>> {
    return Promise.resolve(this.handlers['history.undo']({ operationIds }))
  }

  /** The latest operation that was sent. */
  latest(object = 'customer'): string {
    return this.#world.operations(object).at(-1)?.operationId ?? ''
  }

  /** Creates the drafts, sends them, and waits for their outcomes. */
  async sendBack(operationIds: readonly string[], object = 'customer'): Promise<void> {
    const { draftIds } = value(await this.undo(operationIds))
    await this.#world.sendAndSettle(draftIds, object)
  }
}
