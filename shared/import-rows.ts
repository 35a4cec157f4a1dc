/** One row of a file at a time: who it is about, what it changes, and why it can't be used. */
import {
  EMPTY_REFERENCE,
  isEmpty,
  sameValue,
  valueAt,
  withEdit,
  type Edits,
  type EditValue,
  type RecordData,
} from './changes.ts'
import { fieldWords } from './field-words.ts'
import { clearRefusal, ImportFields, KEPT, type FieldColumn, type UnreadCell } from './import-fields.ts'
import { own, recordFullName, type RecordIndex, type RowKeys } from './import-matching.ts'
import { joinedName, nameAt, nameContradiction, partsOfFullName } from './import-names.ts'
import { nameKey } from './names.ts'
import type { ImportInput, PlannedDraft } from './import-plan.ts'
import { KnownReferences } from './import-references.ts'
import { RenamedRecords } from './import-renamed.ts'
import { isBlank, type ImportRow } from './import-table.ts'
import { editability } from './editability.ts'
import { objectDefinition, type FieldType } from './records.ts'
import { ROWS_A_STEP, type Steps } from './steps.ts'

/** A row before doubles in the file are looked for. */
export type PlannedRow =
  | {
      readonly kind: 'draft'
      readonly row: number
      readonly draft: PlannedDraft
      readonly notes: readonly string[]
      /** The record that it is about: rows of one identity are doubles. */
      readonly identity: string
      readonly values: ReadonlyMap<string, EditValue>
    }
  | {
      readonly kind: 'unchanged'
      readonly row: number
      readonly record: RecordData
      readonly notes: readonly string[]
      readonly identity: string
      readonly values: ReadonlyMap<string, EditValue>
    }
  | { readonly kind: 'refused'; readonly row: number; readonly reasons: readonly string[] }

export class RowPlanner {
  readonly #input: ImportInput
  readonly #object: string
  readonly #index: RecordIndex
  readonly #numberField: string
  readonly #singular: string
  readonly #fields: ImportFields
  readonly #references: KnownReferences
  readonly #renamed = new RenamedRecords()

  constructor(input: ImportInput, index: RecordIndex, numberField: string, singular: string) {
    this.#input = input
    this.#object = input.target.object
    this.#index = index
    this.#numberField = numberField
    this.#singular = singular
    this.#fields = new ImportFields(input)
    this.#references = new KnownReferences(this.#object, input.records)
  }

  /** How columns were read, where that was in doubt, by the column's heading. */
  get notes(): readonly string[] {
    return this.#fields.notes
  }

  /** Learns from whole columns how their cells are written, and which references are known. Before the first `plan`. */
  *prepare(): Steps<void> {
    for (const { path, type } of yield* this.#fields.prepare()) {
      if (type === 'reference') yield* this.#references.collect(path)
    }
    // A new record's parent may come from its full name.
    yield* this.#references.collect('Parent')
    yield* this.#collectRenamed()
  }

  /** Which records have been renamed by this very file before. */
  *#collectRenamed(): Steps<void> {
    const [id, name, fullName] = ['ID', 'Name', 'FullName'].map((path) => this.#fields.textReader(path))
    if (!id || !name || !fullName) return
    for (const [at, row] of this.#input.table.rows.entries()) {
      const record = this.#index.byId(id(row))
      if (record) this.#renamed.note(fullName(row), name(row), record)
      if (at % ROWS_A_STEP === 0) yield
    }
  }

  plan(row: ImportRow): PlannedRow {
    const reasons: string[] = []
    const { values, cleared, unread } = this.#fields.read(row)
    const beyond = row.cells.findIndex(
      (cell, at) => at >= this.#input.table.headings.length && !isBlank(cell),
    )
    if (beyond >= 0)
      reasons.push(`There is more in this row than there are headings (column ${String(beyond + 1)}).`)
    if (values.size === 0 && unread.length === 0 && reasons.length === 0)
      reasons.push('None of the columns that are fields has anything in this row.')
    if (reasons.length > 0 || this.#missed(unread, 'existing').length > 0)
      return {
        kind: 'refused',
        row: row.number,
        reasons: [...unread.map(({ reason }) => reason), ...reasons],
      }

    const match = this.#index.match(this.#keys(values))
    switch (match.kind) {
      case 'refused':
        return { kind: 'refused', row: row.number, reasons: [match.because] }
      case 'new':
        return this.#insert(row, values, unread)
      case 'found':
        return this.#change(row, match.record, values, cleared, unread, match.by === 'name')
    }
  }

  /** Why unread cells refuse their row: those that are left out of such a record anyway refuse nothing. */
  #missed(unread: readonly UnreadCell[], kind: 'new' | 'existing'): readonly string[] {
    const keys = ['ID', 'Name', 'Parent', this.#numberField]
    const missed = unread.filter(({ path }) => keys.includes(path) || this.#leftOut(path, kind) === '')
    return missed.map(({ reason }) => reason)
  }

  /** Says that a field is not taken, and why; empty for one that is. */
  #leftOut(path: string, kind: 'new' | 'existing'): string {
    const can = editability(this.#object, path, this.#input.supported, kind)
    return can.editable ? '' : `“${fieldWords(this.#object, path)}” is left out. ${can.because}`
  }

  #keys(values: ReadonlyMap<string, EditValue>): RowKeys {
    const [name, parent] = [nameAt(values, 'Name'), nameAt(values, 'Parent')]
    const fullName = nameAt(values, 'FullName') || joinedName(parent, name)
    return {
      id: nameAt(values, 'ID'),
      fullName,
      number: nameAt(values, this.#numberField),
      name,
      parent,
      fullNameToday: this.#renamed.today(fullName),
    }
  }

  #insert(row: ImportRow, read: ReadonlyMap<string, EditValue>, unread: readonly UnreadCell[]): PlannedRow {
    const refuse = (...reasons: readonly string[]): PlannedRow => ({
      kind: 'refused',
      row: row.number,
      reasons,
    })
    const missed = this.#missed(unread, 'new')
    if (missed.length > 0) return refuse(...missed)
    if (!this.#input.isWholeList)
      return refuse(
        `It matches nothing in what was read, which is not the whole list. Get the whole list first, so that no ${this.#singular} is added twice.`,
      )
    const contradiction = nameContradiction(read)
    if (contradiction !== '') return refuse(contradiction)
    const values = this.#withNames(read)
    for (const field of objectDefinition(this.#object)?.required ?? []) {
      const value = values.get(field)
      if (value === undefined || isEmpty(value))
        return refuse(
          `It matches no ${this.#singular}, and a new one needs “${fieldWords(this.#object, field)}”.`,
        )
    }
    const notes = unread.map(({ path }) => this.#leftOut(path, 'new'))
    let edits: Edits = {}
    for (const [path, value] of values) {
      if (KEPT.includes(path)) continue
      const leftOut = this.#leftOut(path, 'new')
      if (leftOut === '') edits = withEdit(edits, this.#object, path, null, this.#resolved(path, value))
      else notes.push(leftOut)
    }
    if (Object.keys(edits).length === 0) return refuse(notes[0] ?? 'There is nothing in it to add.')
    const keys = this.#keys(values)
    return {
      kind: 'draft',
      row: row.number,
      draft: { kind: 'insert', recordId: '', before: {}, edits },
      notes,
      identity: `new ${nameKey(keys.fullName || keys.name) || JSON.stringify([...values])}`,
      values: read,
    }
  }

  /** A new record's name and parent, where only its full name gives them (decisions.md, "names of records"). */
  #withNames(values: ReadonlyMap<string, EditValue>): ReadonlyMap<string, EditValue> {
    const { name, parent } = partsOfFullName(nameAt(values, 'FullName'))
    const named = new Map(values)
    if (name !== '' && !named.has('Name')) named.set('Name', name)
    if (parent !== '' && !named.has('Parent')) named.set('Parent', { ID: '', FullName: parent })
    return named
  }

  #change(
    row: ImportRow,
    record: RecordData,
    values: ReadonlyMap<string, EditValue>,
    cleared: readonly FieldColumn[],
    unread: readonly UnreadCell[],
    isByName: boolean,
  ): PlannedRow {
    const notes = unread.map(({ path }) => this.#leftOut(path, 'existing'))
    const reasons: string[] = []
    let edits: Edits = {}
    const wanted = new Map(values)
    for (const column of cleared) {
      const now = column.type === 'reference' ? EMPTY_REFERENCE : ''
      const was = valueAt(this.#object, record, column.path)
      if (isEmpty(was)) continue
      const because = clearRefusal(this.#object, column)
      if (because === '') wanted.set(column.path, now)
      else reasons.push(because)
    }
    for (const [path, value] of wanted) {
      if (KEPT.includes(path) || (isByName && path === 'Name')) continue
      const was = valueAt(this.#object, record, path)
      const now = this.#resolved(path, value)
      if (isSame(this.#fields.type(path), was, now)) continue
      const leftOut = this.#leftOut(path, 'existing')
      if (leftOut === '') edits = withEdit(edits, this.#object, path, was, now)
      else notes.push(leftOut)
    }
    if (reasons.length > 0) return { kind: 'refused', row: row.number, reasons }
    const recordId = own(record, 'ID')
    // A name that only found the record says the same in any case.
    const said = isByName ? new Map(values).set('Name', own(record, 'Name')) : values
    const identity = `record ${recordId || nameKey(recordFullName(record))}`
    if (Object.keys(edits).length === 0)
      return { kind: 'unchanged', row: row.number, record, notes, identity, values: said }
    const closed = this.#input.closed.get(record)
    if (closed !== undefined) return { kind: 'refused', row: row.number, reasons: [closed] }
    if (recordId === '')
      return { kind: 'refused', row: row.number, reasons: ['The record has no ID, so it can’t be changed.'] }
    const draft: PlannedDraft = { kind: 'change', recordId, before: record, edits }
    return { kind: 'draft', row: row.number, draft, notes, identity, values: said }
  }

  #resolved(path: string, value: EditValue): EditValue {
    return typeof value === 'string' || isEmpty(value) ? value : this.#references.resolve(path, value)
  }
}

/** Whether a cell says what the record has: blanks around text and kinds of line ends are a file's, not a person's. */
function isSame(type: FieldType, was: EditValue, now: EditValue): boolean {
  if (typeof was !== 'string' || typeof now !== 'string') {
    const [left, right] = [was, now].map((value) => (typeof value === 'string' ? value : value.FullName))
    return sameValue('reference', was, now) || nameKey(left ?? '') === nameKey(right ?? '')
  }
  if (type === 'money') return sameValue(type, was, now)
  if (type === 'timestamp' && now.length === 10) return was.slice(0, 10) === now
  return plain(was) === plain(now)
}

function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim()
}
