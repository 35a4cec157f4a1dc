/** Drives **Months** of a connection like a user. */
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { MonthRow, Review, ReviewedFinding, ReviewedRule } from '../../../shared/contract/review.ts'
import type { RuleId } from '../../../shared/review/rules.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import type { AtEnd } from '../world/world.ts'

/** The full month before the virtual clock's day. */
export const MONTH = '2026-02'
export const DAYS = { from: '2026-02-01', to: '2026-02-28' }
export const ALDER = 'Alder & Finch Builders'

export class MonthsDriver {
  readonly world: VirtualWorld
  month = MONTH

  constructor(world: VirtualWorld) {
    this.world = world
  }

  static async start(
    atEnd: AtEnd,
    options: Parameters<typeof startVirtualWorld>[1] = {},
  ): Promise<MonthsDriver> {
    return new MonthsDriver(await startVirtualWorld(atEnd, options))
  }

  /** Closes the program, and starts it again on the same data. */
  async restart(): Promise<MonthsDriver> {
    await this.world.running.core.close()
    return this.startAgain()
  }

  /** Starts the program on the same data after it was closed. */
  startAgain(): MonthsDriver {
    const { world } = this
    const { person } = world.startAgain({ address: world.server.url, key: world.server.key })
    return new MonthsDriver({ ...world, person, call: person.call })
  }

  async rows(): Promise<readonly MonthRow[]> {
    const listed = await this.world.person.call('months.list', {
      connectionId: CONNECTION_ID,
      month: this.month,
    })
    return value(listed).rows
  }

  async row(name: string): Promise<MonthRow> {
    const row = (await this.rows()).find(({ companyName }) => companyName === name)
    if (row === undefined) throw new Error(`There is no ${name}.`)
    return row
  }

  /** Starts reading without waiting for the end. */
  async begin(rows: readonly MonthRow[], again = false): Promise<void> {
    const endpointIds = rows.map(({ company }) => company.endpointId)
    const { month } = this
    value(
      await this.world.person.call('months.getReports', {
        connectionId: CONNECTION_ID,
        month,
        endpointIds,
        again,
      }),
    )
  }

  async ended(): Promise<void> {
    await this.world.until(async () => {
      const listed = await this.world.call('months.list', { connectionId: CONNECTION_ID, month: this.month })
      return value(listed).progress === null
    })
  }

  async read(rows: readonly MonthRow[], again = false): Promise<void> {
    await this.begin(rows, again)
    await this.ended()
  }

  async review({ company }: Pick<MonthRow, 'company'>): Promise<Review> {
    return value(await this.world.person.call('review.findings', { company, month: this.month }))
  }

  /** What a rule found. */
  async outcome(row: Pick<MonthRow, 'company'>, rule: RuleId): Promise<ReviewedRule | undefined> {
    return (await this.review(row)).rules.find((each) => each.rule === rule)
  }

  async open(row: Pick<MonthRow, 'company'>): Promise<readonly ReviewedFinding[]> {
    const { rules } = await this.review(row)
    return rules.flatMap(({ findings }) => findings).filter(({ decision }) => decision === null)
  }

  async acceptAll(row: Pick<MonthRow, 'company'>): Promise<void> {
    const { company } = row
    for (const { key, amount } of await this.open(row)) {
      const input = { company, month: this.month, key, amount, note: 'As agreed with the client' }
      value(await this.world.person.call('review.accept', input))
    }
  }

  async close({ company }: Pick<MonthRow, 'company'>, note = ''): Promise<MonthRow> {
    return value(await this.world.person.call('months.close', { company, month: this.month, note }))
  }

  async changes({ company }: Pick<MonthRow, 'company'>) {
    return value(await this.world.person.call('months.changes', { company, month: this.month }))
  }

  async acts({ company }: Pick<MonthRow, 'company'>): Promise<readonly string[]> {
    const history = value(await this.world.person.call('months.history', { company, month: this.month }))
    return history.events.map(({ act }) => act).toReversed()
  }

  /** Adds a late entry to the month, or removes it. */
  late(company: string, lateEntry: boolean): void {
    this.world.server.control({ company, lateEntry })
  }

  /** Runs a report of the month, as a user does under Reports. */
  async runReport(company: CompanyRef, name: string, days: Pick<CallInput<'reports.select'>, 'from' | 'to'>) {
    return value(await this.world.person.call('reports.select', { company, name, ...days }))
  }

  /** The service's response to a report request, as text. */
  async answer({ endpointId }: CompanyRef, name: string, from: string, to: string): Promise<string> {
    const { url, key } = this.world.server
    const days = { modTimeStart: `${from}T00:00:00`, modTimeEnd: `${to}T00:00:00` }
    const query = new URLSearchParams({ name, ...days }).toString()
    const path = `/v2/Data/${encodeURIComponent(endpointId)}/selectReport?${query}`
    return (await fetch(`${url}${path}`, { headers: { 'x-api-key': key } })).text()
  }

  /** Reads, accepts everything, and closes. */
  async readAndClose(name: string): Promise<MonthRow> {
    const row = await this.row(name)
    await this.read([row])
    await this.acceptAll(row)
    return this.close(row)
  }

  get requests(): readonly { readonly query: string; readonly method: string }[] {
    return this.world.server.counters().requests
  }
}
