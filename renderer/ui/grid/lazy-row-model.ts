/**
 * A row model for AG Grid that shows rows as they are given (`showRows`) and creates a node only for a row that is
 * drawn. AG Grid's client-side model has a node for every row, so that each change to 100,000 rows takes more than
 * 60 ms. Its infinite model gets rows late, so that an open editor could end up on another record.
 */
import {
  _addRowHeightChangedListener,
  _getRowHeightAsNumber,
  BeanStub,
  type IRowModel,
  type Module,
  RowApiModule,
  type RowBounds,
  RowNode,
} from 'ag-grid-community'

/** What the model shows. It is AG Grid's context, because its `rowData` is only for the client-side model. */
export interface LazyRows<Row> {
  readonly rows: readonly Row[]
  /** Returns the height of a row in pixels; `undefined` for that of the others. */
  readonly heightOf: ((row: Row) => number | undefined) | null
}

/** Nodes kept for rows that aren't drawn anymore. */
const MAX_SPARE_NODES = 500

class LazyRowModel extends BeanStub implements IRowModel {
  readonly beanName = 'rowModel'
  rootNode: RowNode | null = null
  readonly hierarchical = false
  #rows: readonly unknown[] = []
  #idOf: (row: unknown) => string = () => ''
  #rowHeight = 0
  /** Where each row starts and the last one ends, in pixels, if any has a height of its own. */
  #tops: Float64Array | null = null
  /** Nodes by ID. Those of drawn rows must stay the same, because editors and focus belong to them. */
  readonly #nodes = new Map<string, RowNode>()
  /** Indexes by ID, once one is needed. */
  #indexes: ReadonlyMap<string, number> | null = null

  postConstruct(): void {
    this.rootNode = new RowNode(this.beans)
    this.rootNode.level = -1
    // Without AG Grid's common parameters, which would be added for each row.
    const rowId = this.gos.get('getRowId') as ((row: { data: unknown }) => string) | undefined
    this.#idOf = (data) => rowId?.({ data }) ?? ''
    this.addManagedPropertyListener('context', () => this.#show())
    this.addManagedPropertyListener('rowHeight', () => this.resetRowHeights())
    _addRowHeightChangedListener(this, () => this.resetRowHeights())
    this.addManagedEventListeners({
      displayedRowsChanged: () => this.#nodes.size > MAX_SPARE_NODES && this.#dropSpareNodes(),
    })
  }

  start(): void {
    this.#show()
    this.eventSvc.dispatchEventOnce({ type: 'rowCountReady' })
  }

  #shown(): LazyRows<unknown> | undefined {
    return this.gos.get('context') as LazyRows<unknown> | undefined
  }

  #show(): void {
    this.#dropSpareNodes()
    this.#rows = this.#shown()?.rows ?? []
    this.#indexes = null
    this.#measureRows()
    this.#moveNodes()
    this.#dispatchUpdate()
  }

  #dropSpareNodes(): void {
    const drawn = new Set(this.beans.rowRenderer.getAllRowCtrls().map(({ rowNode }) => rowNode))
    for (const [id, node] of this.#nodes) if (!drawn.has(node)) this.#nodes.delete(id)
  }

  /** Gives the nodes of drawn rows their new content and index. */
  #moveNodes(): void {
    const moved = new Map(this.#nodes)
    for (const [id, node] of this.#nodes)
      if (node.rowIndex !== null && this.#place(id, node, node.rowIndex)) moved.delete(id)
    for (let index = 0; index < this.#rows.length && moved.size > 0; index += 1) {
      const id = this.#idOf(this.#rows[index])
      const node = moved.get(id)
      if (node && this.#place(id, node, index)) moved.delete(id)
    }
    for (const [id, node] of moved) {
      node.clearRowTopAndRowIndex()
      this.#nodes.delete(id)
    }
  }

  /** @returns `false` if another row has this index */
  #place(id: string, node: RowNode, index: number): boolean {
    const data = this.#rows[index]
    if (data === undefined || this.#idOf(data) !== id) return false
    if (node.data !== data) node.updateData(data)
    node.setRowIndex(index)
    this.#position(node, index)
    return true
  }

  #position(node: RowNode, index: number): void {
    const { rowTop, rowHeight } = this.getRowBounds(index)
    if (node.rowHeight !== rowHeight) node.setRowHeight(rowHeight)
    node.setRowTop(rowTop)
  }

  #measureRows(): void {
    this.#rowHeight = _getRowHeightAsNumber(this.beans)
    const heightOf = this.#shown()?.heightOf
    let end = 0
    this.#tops = heightOf
      ? Float64Array.from([0, ...this.#rows.map((data) => (end += heightOf(data) ?? this.#rowHeight))])
      : null
  }

  #dispatchUpdate(): void {
    this.eventSvc.dispatchEvent({
      type: 'modelUpdated',
      animate: false,
      keepRenderedRows: true,
      newData: false,
      newPage: false,
      newPageSize: false,
    })
  }

  getRow(index: number): RowNode | undefined {
    const data = this.#rows[index]
    if (data === undefined) return undefined
    const id = this.#idOf(data)
    const known = this.#nodes.get(id)
    if (known) {
      // A row may have been replaced in the array.
      if (known.data !== data) known.updateData(data)
      return known
    }
    const node = new RowNode(this.beans)
    node.setDataAndId(data, id)
    node.uiLevel = 0
    node.setRowIndex(index)
    this.#position(node, index)
    this.#nodes.set(id, node)
    return node
  }

  getRowNode(id: string): RowNode | undefined {
    const known = this.#nodes.get(id)?.rowIndex
    if (typeof known === 'number') return this.getRow(known)
    this.#indexes ??= new Map(this.#rows.map((row, index) => [this.#idOf(row), index]))
    const index = this.#indexes.get(id)
    return index === undefined ? undefined : this.getRow(index)
  }

  isRowPresent({ id }: RowNode): boolean {
    return id !== undefined && this.getRowNode(id) !== undefined
  }

  /** Visits only the rows that have nodes. */
  forEachNode(callback: (node: RowNode, index: number) => void): void {
    for (const node of this.#nodes.values()) callback(node, node.rowIndex ?? 0)
  }

  resetRowHeights(): void {
    this.#measureRows()
    this.forEachNode((node, index) => this.#position(node, index))
    this.#dispatchUpdate()
  }

  getRowBounds(index: number): RowBounds {
    const [top, end] = [this.#tops?.[index], this.#tops?.[index + 1]]
    return top === undefined || end === undefined
      ? { rowTop: index * this.#rowHeight, rowHeight: this.#rowHeight }
      : { rowTop: top, rowHeight: end - top }
  }

  getRowIndexAtPixel(pixel: number): number {
    const index = this.#tops
      ? this.#tops.findLastIndex((top) => top <= pixel)
      : Math.floor(pixel / this.#rowHeight)
    return Math.max(0, Math.min(this.#rows.length - 1, index))
  }

  getRowCount(): number {
    return this.#rows.length
  }

  getTopLevelRowCount(): number {
    return this.#rows.length
  }

  getTopLevelRowDisplayedIndex(index: number): number {
    return index
  }

  isEmpty(): boolean {
    return this.#rows.length === 0
  }

  isRowsToRender(): boolean {
    return this.#rows.length > 0
  }

  isLastRowIndexKnown(): boolean {
    return true
  }

  /** Row heights are never estimated. */
  ensureRowHeightsValid(): boolean {
    return false
  }

  onRowHeightChanged(): void {
    this.resetRowHeights()
  }

  /** Screens show their own text for an empty grid. */
  getOverlayType(): null {
    return null
  }

  /** The grid's own row selection isn't used. */
  getNodesInRangeForSelection(): RowNode[] {
    return []
  }

  getType(): 'infinite' {
    return 'infinite'
  }
}

/** Takes the place of the infinite model's module, so that `rowModelType: 'infinite'` selects this model. */
export const LazyRowModelModule: Module = {
  moduleName: 'InfiniteRowModel',
  version: RowApiModule.version,
  rowModels: ['infinite'],
  beans: [LazyRowModel],
}
