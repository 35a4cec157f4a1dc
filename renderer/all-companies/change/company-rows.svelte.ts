/**
 * The records of a table by company. Of a long table, the first of each company are shown, and more when the user asks
 * for them.
 */
export class CompanyRows {
  static readonly #LONG = 1_000
  static readonly #FIRST = 20
  static readonly STEP = 500
  #limits = $state.raw<ReadonlyMap<string, number>>(new Map())

  /**
   * The rows of a company that are shown.
   * @param all how many rows the table has
   */
  shown<Row>(endpointId: string, rows: readonly Row[], all: number): readonly Row[] {
    if (all <= CompanyRows.#LONG) return rows
    return rows.slice(0, this.#limits.get(endpointId) ?? CompanyRows.#FIRST)
  }

  showMore(endpointId: string): void {
    const limit = (this.#limits.get(endpointId) ?? CompanyRows.#FIRST) + CompanyRows.STEP
    this.#limits = new Map([...this.#limits, [endpointId, limit]])
  }
}
