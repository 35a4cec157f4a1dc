/**
 * Plans an import, row by row: new records, changes, rows that change nothing, and rows that can't be used, with reasons.
 * Every row is exactly one of these. Nothing is written here.
 */
import type { ColumnChoice } from '../headings.ts'
import { type ImportTarget, rowFingerprint } from '../fingerprint.ts'
import { runToCompletion, ROWS_PER_STEP, type Interruptible } from '../../list/time-slice.ts'
import {
  cellText,
  type HeadedTable,
  type ImportCell,
  type ImportRow,
  isBlank,
} from '../../../../shared/import/table.ts'
import {
  type Edits,
  type EditValue,
  EMPTY_REFERENCE,
  isEmpty,
  isReferenceShaped,
  memberOf,
  pathType,
  type RecordData,
  sameValue,
  topField,
  valueAt,
  withEdit,
} from '../../../../shared/records/changes.ts'
import { type FieldType, isDescribed, objectDefinition } from '../../../../shared/records/definition.ts'
import { editability, fieldWords, fieldsOf } from '../../../../shared/records/fields.ts'
import { nameKey, typedNameKey } from '../../../../shared/records/names.ts'
import {
  joinedName,
  KnownReferences,
  type MatchBy,
  MatchSurvey,
  nameAt,
  nameContradiction,
  own,
  partsOfFullName,
  recordFullName,
  RecordIndex,
  RenamedRecords,
  type RowKeys,
} from './matching.ts'
import { type Decimal, isZero, parseDecimal } from '../../../../shared/format/money.ts'
import { describeDamage, isDateText } from './damage.ts'
import { createSetAside, type SetAside } from './set-aside.ts'
import { type ChosenWriting, type ColumnReader, columnReader, type LocalWriting } from './values.ts'

export interface ImportInput {
  readonly target: ImportTarget
  readonly table: HeadedTable
  readonly columns: readonly ColumnChoice[]
  /** The list as it was read. */
  readonly records: readonly RecordData[]
  /** Whether that is the whole list. Only then can a row be a new record. */
  readonly isWholeList: boolean
  /** Field names in the metadata; `null` when it could not be read. */
  readonly supported: ReadonlySet<string> | null
  /** Records that can't be changed now, such as those being sent, with the reason. */
  readonly closed: ReadonlyMap<RecordData, string>
  readonly local: LocalWriting
  readonly chosen: ChosenWriting
  /** `null` for the best fit. */
  readonly matchBy: MatchBy | null
  /** Fields whose values are taken even where a spreadsheet seems to have damaged them. */
  readonly acceptedDamage: ReadonlySet<string>
}

/** A draft in the shape of `shared/records/changes.ts`; saved by `records.saveDrafts`. */
export interface PlannedDraft {
  readonly kind: 'insert' | 'change'
  /** Empty for a new record. */
  readonly recordId: string
  /** The record as it was read; empty for a new one. */
  readonly before: RecordData
  readonly edits: Edits
}

/** What a row would do. `row` is its number in the file. */
export type RowOutcome =
  | {
      readonly kind: 'insert' | 'change'
      readonly row: number
      readonly draft: PlannedDraft
      /** Sentences about cells that are left out. The rest of the row is used. */
      readonly notes: readonly string[]
      /** For the repeat guard (`findRepeats`). */
      readonly fingerprint: string
      /** Renames a record that was found by its number or by an ID that may be foreign, so the match may be wrong. */
      readonly isRenamed: boolean
      /** Why it seems to be no record, such as a total; empty for a record. */
      readonly setAside: string
    }
  | {
      readonly kind: 'unchanged'
      readonly row: number
      /** The record that already has these values. */
      readonly record: RecordData
      readonly notes: readonly string[]
    }
  | RefusedRow

export interface RefusedRow {
  readonly kind: 'refused'
  readonly row: number
  readonly reasons: readonly string[]
  /** Columns of the cells that can't be read. */
  readonly columns: readonly number[]
  /** Why it seems to be no record; empty for a record. */
  readonly setAside: string
}

/** A column with values that a spreadsheet has damaged. */
export interface DamagedColumn {
  readonly path: string
  readonly heading: string
  /** Rows with such a value. */
  readonly count: number
  /** One of them, in a sentence. */
  readonly example: string
}

export interface ImportPlan {
  /** In the file's order, one for each of the table's rows. */
  readonly outcomes: readonly RowOutcome[]
  readonly counts: {
    readonly rows: number
    readonly inserts: number
    readonly changes: number
    readonly unchanged: number
    readonly refused: number
    /** Changes of records that may be others (`isRenamed`); counted among the changes, too. */
    readonly renames: number
    /** Rows that seem to be no records; counted nowhere else. */
    readonly setAside: number
  }
  readonly damage: readonly DamagedColumn[]
  /** New records that would post an opening balance, by row number. */
  readonly openingBalances: ReadonlyMap<number, Decimal>
  readonly matchBy: MatchBy
  /** What the file's columns allow to match by. */
  readonly canMatchBy: readonly MatchBy[]
  /** Sentences about columns that could be read in several ways. */
  readonly notes: readonly string[]
  /** Headings of columns without a field. */
  readonly leftOut: readonly string[]
}

/** Plans an import without a pause: about a second for 100,000 rows. */
export function planImport(input: ImportInput): ImportPlan {
  return runToCompletion(planInSlices(input))
}

/** `planImport` in time slices. */
export function* planInSlices(input: ImportInput): Interruptible<ImportPlan> {
  const { object } = input.target
  const singular = objectDefinition(object)?.singular ?? 'record'
  const numberField = input.records.some((record) => own(record, 'AccountNumber') !== '')
    ? 'AccountNumber'
    : 'Number'
  const index = new RecordIndex(numberField, singular)
  for (const [at, record] of input.records.entries()) {
    index.add(record)
    if (at % ROWS_PER_STEP === 0) yield
  }
  const planner = new RowPlanner(input, index, numberField, singular)
  yield* planner.prepare()
  const survey = yield* planner.survey()
  const matchBy = input.matchBy ?? survey.best
  const planned: PlannedRow[] = []
  for (const row of input.table.rows) {
    planned.push(planner.plan(row, matchBy, survey))
    if (planned.length % ROWS_PER_STEP === 0) yield
  }
  const outcomes = yield* withoutDoubles(planned, input.target)
  const wasSetAside = (outcome: RowOutcome): boolean =>
    outcome.kind !== 'unchanged' && outcome.setAside !== ''
  const count = (kind: RowOutcome['kind']): number =>
    outcomes.reduce((sum, outcome) => sum + (outcome.kind === kind && !wasSetAside(outcome) ? 1 : 0), 0)
  return {
    outcomes,
    counts: {
      rows: outcomes.length,
      inserts: count('insert'),
      changes: count('change'),
      unchanged: count('unchanged'),
      refused: count('refused'),
      renames: outcomes.reduce(
        (sum, outcome) => sum + (outcome.kind === 'change' && outcome.isRenamed ? 1 : 0),
        0,
      ),
      setAside: outcomes.filter(wasSetAside).length,
    },
    damage: planner.damage,
    openingBalances: openingBalances(outcomes),
    matchBy,
    canMatchBy: planner.canMatchBy(),
    notes: [...planner.notes, ...foreignNumbers(survey, matchBy, singular)],
    leftOut: input.columns.flatMap(({ heading, path }) => (path === null ? [heading] : [])),
  }
}

/** Warns about the file's own numbers: with rows matched by name, they would replace those in the books. */
function foreignNumbers(survey: MatchSurvey, matchBy: MatchBy, singular: string): readonly string[] {
  const count = survey.otherNumbers
  if (matchBy !== 'name' || count === 0) return []
  const rows = `${count.toLocaleString('en-US')} ${count === 1 ? 'row has' : 'rows have'}`
  return [
    `${rows} a number that belongs to another ${singular}. Skip the column if the file has its own numbers.`,
  ]
}

/** A balance is only taken with a new record, and the application posts it. */
function openingBalances(outcomes: readonly RowOutcome[]): ReadonlyMap<number, Decimal> {
  const balances = new Map<number, Decimal>()
  for (const outcome of outcomes) {
    const now = outcome.kind === 'insert' ? outcome.draft.edits['Balance']?.now : undefined
    const amount = typeof now === 'string' ? parseDecimal(now) : null
    if (amount !== null && !isZero(amount)) balances.set(outcome.row, amount)
  }
  return balances
}

/** Fingerprints of the rows that became drafts, by their numbers in the file. */
export function rowFingerprints(plan: ImportPlan): ReadonlyMap<number, string> {
  return new Map(
    plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'insert' || outcome.kind === 'change'
        ? [[outcome.row, outcome.fingerprint] as const]
        : [],
    ),
  )
}

/** The rows that can't be used and that may be records. */
export function refusedRows(plan: ImportPlan): readonly RefusedRow[] {
  return plan.outcomes.filter(
    (outcome): outcome is RefusedRow => outcome.kind === 'refused' && outcome.setAside === '',
  )
}

function isSetAside(row: PlannedRow | undefined): boolean {
  return row?.kind === 'draft' && row.setAside !== ''
}

/**
 * Settles rows about one record. Where they agree, the first is used. Where they differ, nobody can tell which is meant,
 * so none is used. A row that was set aside gives way to the others.
 */
function* withoutDoubles(
  planned: readonly PlannedRow[],
  target: ImportTarget,
): Interruptible<readonly RowOutcome[]> {
  const fingerprints: string[] = []
  for (const row of planned) {
    fingerprints.push(row.kind === 'refused' ? '' : rowFingerprint(target, row.values))
    if (fingerprints.length % ROWS_PER_STEP === 0) yield
  }
  const groups = new Map<string, number[]>()
  planned.forEach((row, index) => {
    if (row.kind === 'refused') return
    const group = groups.get(row.identity)
    if (group === undefined) groups.set(row.identity, [index])
    else group.push(index)
  })
  const reasons = new Map<number, string>()
  for (const all of groups.values()) {
    if (all.length === 1) continue
    const records = all.filter((index) => !isSetAside(planned[index]))
    const group = records.length > 0 ? records : all
    const numbers = group.map((index) => String(planned[index]?.row ?? 0))
    const [first, ...others] = group
    if (group.every((index) => fingerprints[index] === fingerprints[first ?? 0])) {
      for (const index of others) reasons.set(index, `Same as row ${numbers[0] ?? ''}.`)
    } else {
      const named = `${numbers.slice(0, 6).join(', ')}${numbers.length > 6 ? ' and more' : ''}`
      for (const index of group)
        reasons.set(index, `Rows ${named} change the same record differently. Keep one.`)
    }
    for (const index of all)
      if (!group.includes(index)) reasons.set(index, `Same name as row ${numbers[0] ?? ''}.`)
  }
  return planned.map((row, index) => {
    const reason = reasons.get(index)
    if (row.kind === 'refused') return row
    const setAside = row.kind === 'draft' ? row.setAside : ''
    if (reason !== undefined)
      return { kind: 'refused', row: row.row, reasons: [reason], columns: [], setAside }
    if (row.kind === 'unchanged')
      return { kind: row.kind, row: row.row, record: row.record, notes: row.notes }
    const { draft, notes, isRenamed } = row
    const fingerprint = fingerprints[index] ?? ''
    return { kind: draft.kind, row: row.row, draft, notes, isRenamed, setAside, fingerprint }
  })
}

/** A row before it is compared with the other rows of the file. */
export type PlannedRow =
  | {
      readonly kind: 'draft'
      readonly row: number
      readonly draft: PlannedDraft
      readonly notes: readonly string[]
      /** Identifies the record. Rows with the same identity are about the same record. */
      readonly identity: string
      readonly values: ReadonlyMap<string, EditValue>
      readonly isRenamed: boolean
      readonly setAside: string
    }
  | {
      readonly kind: 'unchanged'
      readonly row: number
      readonly record: RecordData
      readonly notes: readonly string[]
      readonly identity: string
      readonly values: ReadonlyMap<string, EditValue>
    }
  | RefusedRow

class RowPlanner {
  readonly #input: ImportInput
  readonly #object: string
  readonly #index: RecordIndex
  readonly #numberField: string
  readonly #singular: string
  readonly #fields: ImportFields
  readonly #references: KnownReferences
  readonly #renamed = new RenamedRecords()
  readonly #damage = new Map<string, { count: number; readonly example: string }>()
  #setAside: SetAside = () => ''

  constructor(input: ImportInput, index: RecordIndex, numberField: string, singular: string) {
    this.#input = input
    this.#object = input.target.object
    this.#index = index
    this.#numberField = numberField
    this.#singular = singular
    this.#fields = new ImportFields(input)
    this.#references = new KnownReferences(this.#object, input.records)
  }

  /** Sentences about columns that could be read in several ways. */
  get notes(): readonly string[] {
    return this.#fields.notes
  }

  /** Learns from whole columns how cells are written, and which references are known. Call before `plan`. */
  *prepare(): Interruptible<void> {
    for (const { path, type } of yield* this.#fields.prepare()) {
      if (type === 'reference') yield* this.#references.collect(path)
    }
    // A new record's parent may come from its full name.
    yield* this.#references.collect('Parent')
    yield* this.#collectRenamed()
    const { table, columns } = this.#input
    const nameColumns = columns.flatMap(({ path, column }) =>
      path === 'Name' || path === 'FullName' || path === 'ID' ? [column] : [],
    )
    this.#setAside = createSetAside(table, nameColumns)
  }

  /** Columns with damaged values, in the file's order. After the last `plan`. */
  get damage(): readonly DamagedColumn[] {
    return this.#input.columns.flatMap(({ path, heading }) => {
      const found = path === null ? undefined : this.#damage.get(path)
      return path === null || found === undefined ? [] : [{ path, heading, ...found }]
    })
  }

  /** Finds records that an earlier import of this file renamed. */
  *#collectRenamed(): Interruptible<void> {
    const [id, name, fullName] = ['ID', 'Name', 'FullName'].map((path) => this.#fields.textReader(path))
    if (!id || !name || !fullName) return
    for (const [at, row] of this.#input.table.rows.entries()) {
      const record = this.#index.byId(id(row))
      if (record) this.#renamed.note(fullName(row), name(row), record)
      if (at % ROWS_PER_STEP === 0) yield
    }
  }

  canMatchBy(): readonly MatchBy[] {
    const has = (path: string): boolean => this.#fields.textReader(path) !== null
    const can: Readonly<Record<MatchBy, boolean>> = {
      id: has('ID'),
      name: has('Name') || has('FullName'),
      number: has(this.#numberField),
    }
    return (['id', 'name', 'number'] as const).filter((by) => can[by])
  }

  /** Measures how the whole file fits the list. Call before `plan`. */
  *survey(): Interruptible<MatchSurvey> {
    const survey = new MatchSurvey()
    for (const [at, row] of this.#input.table.rows.entries()) {
      survey.add(this.#index.fit(this.#keys(this.#fields.read(row).values)))
      if (at % ROWS_PER_STEP === 0) yield
    }
    return survey
  }

  plan(row: ImportRow, matchBy: MatchBy, survey: MatchSurvey): PlannedRow {
    const made = this.#plan(row, matchBy, survey)
    const planned = made.kind === 'refused' ? { ...made, columns: this.#fileColumns(made.columns) } : made
    // A row that names a record here is about that record, whatever it looks like.
    const isMatched =
      planned.kind === 'unchanged' || (planned.kind === 'draft' && planned.draft.kind === 'change')
    return isMatched ? planned : { ...planned, setAside: this.#setAside(row) }
  }

  /** The file's own columns, where some are derived. */
  #fileColumns(columns: readonly number[]): readonly number[] {
    const { headings, derivedFrom = [] } = this.#input.table
    const own = headings.length - derivedFrom.length
    return [
      ...new Set(
        columns.flatMap((column) => {
          if (column < own) return [column]
          return derivedFrom[column - own] ?? [column - derivedFrom.length]
        }),
      ),
    ]
  }

  #plan(row: ImportRow, matchBy: MatchBy, survey: MatchSurvey): PlannedRow {
    const reasons: string[] = []
    const { values, cleared, unread } = this.#fields.read(row)
    const beyond = row.cells.findIndex(
      (cell, at) => at >= this.#input.table.headings.length && !isBlank(cell),
    )
    if (beyond >= 0)
      reasons.push(
        `This row has more cells than headings (column ${String((this.#fileColumns([beyond])[0] ?? beyond) + 1)}).`,
      )
    if (values.size === 0 && unread.length === 0 && reasons.length === 0) reasons.push('This row is blank.')
    if (reasons.length > 0 || this.#missed(unread, 'existing').length > 0)
      return refusedRow(
        row.number,
        [...unread.map(({ reason }) => reason), ...reasons],
        [...unread.map(({ column }) => column), ...(beyond >= 0 ? [beyond] : [])],
      )

    const match = this.#index.match(this.#keys(values), matchBy)
    switch (match.kind) {
      case 'refused':
        return refusedRow(row.number, [match.because])
      case 'new':
        return this.#insert(row, values, unread)
      case 'found':
        return this.#change(row, match.record, values, cleared, unread, {
          by: match.by,
          isNameDoubtful: match.by === 'number' || (match.by === 'id' && survey.areIdsForeign),
        })
    }
  }

  /** Unread cells that make their row unusable. Cells that would be left out anyway don't. */
  #missed(unread: readonly UnreadCell[], kind: 'new' | 'existing'): readonly UnreadCell[] {
    const keys = ['ID', 'Name', 'Parent', this.#numberField]
    return unread.filter(({ path }) => keys.includes(path) || this.#leftOut(path, kind) === '')
  }

  /** Says why a field is left out; empty for one that is taken. */
  #leftOut(path: string, kind: 'new' | 'existing'): string {
    const can = editability(this.#object, path, this.#input.supported, kind)
    return can.editable ? '' : `“${fieldWords(this.#object, path)}” is skipped. ${can.because}`
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
    const refuse = (reason: string): PlannedRow => refusedRow(row.number, [reason])
    const missed = this.#missed(unread, 'new')
    if (missed.length > 0)
      return refusedRow(
        row.number,
        missed.map(({ reason }) => reason),
        missed.map(({ column }) => column),
      )
    if (!this.#input.isWholeList)
      return refuse(
        `No match, but only part of the list is loaded. Get the whole list first to avoid duplicates.`,
      )
    const contradiction = nameContradiction(read)
    if (contradiction !== '') return refuse(contradiction)
    const values = this.#withNames(read)
    for (const field of objectDefinition(this.#object)?.required ?? []) {
      const value = values.get(field)
      if (value === undefined || isEmpty(value))
        return refuse(`No match, and a new ${this.#singular} needs “${fieldWords(this.#object, field)}”.`)
    }
    const notes = unread.map(({ path }) => this.#leftOut(path, 'new'))
    let edits: Edits = {}
    for (const [path, value] of values) {
      if (KEPT.includes(path)) continue
      const leftOut = this.#leftOut(path, 'new') || this.#keptFromDamage(path, value, '')
      if (leftOut === '') edits = withEdit(edits, this.#object, path, null, this.#resolved(path, value))
      else notes.push(leftOut)
    }
    if (Object.keys(edits).length === 0) return refuse(notes[0] ?? 'Nothing to add.')
    const keys = this.#keys(values)
    return {
      kind: 'draft',
      row: row.number,
      draft: { kind: 'insert', recordId: '', before: {}, edits },
      notes,
      identity: `new ${typedNameKey(keys.fullName || keys.name) || JSON.stringify([...values])}`,
      values: read,
      isRenamed: false,
      setAside: '',
    }
  }

  /** A new record's name and parent, where only its full name gives them (decisions.md, "Names of records"). */
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
    { by, isNameDoubtful }: { readonly by: MatchBy; readonly isNameDoubtful: boolean },
  ): PlannedRow {
    const isByName = by === 'name'
    const notes = unread.map(({ path }) => this.#leftOut(path, 'existing'))
    const reasons: { readonly because: string; readonly column: number }[] = []
    let edits: Edits = {}
    const wanted = new Map(values)
    for (const column of cleared) {
      const now = column.type === 'reference' ? EMPTY_REFERENCE : ''
      const was = valueAt(this.#object, record, column.path)
      if (isEmpty(was)) continue
      const because = clearRefusal(this.#object, column)
      if (because === '') wanted.set(column.path, now)
      else reasons.push({ because, column: column.column })
    }
    for (const [path, value] of wanted) {
      if (KEPT.includes(path) || (isByName && path === 'Name')) continue
      const was = valueAt(this.#object, record, path)
      const now = this.#resolved(path, value)
      if (isSame(this.#fields.type(path), was, now)) continue
      const leftOut = this.#leftOut(path, 'existing') || this.#keptFromDamage(path, now, was)
      if (leftOut === '') edits = withEdit(edits, this.#object, path, was, now)
      else notes.push(leftOut)
    }
    if (reasons.length > 0)
      return refusedRow(
        row.number,
        reasons.map(({ because }) => because),
        reasons.map(({ column }) => column),
      )
    const recordId = own(record, 'ID')
    // A name that only found the record says the same in any case.
    const said = isByName ? new Map(values).set('Name', own(record, 'Name')) : values
    const identity = `record ${recordId || nameKey(recordFullName(record))}`
    if (Object.keys(edits).length === 0)
      return { kind: 'unchanged', row: row.number, record, notes, identity, values: said }
    const closed = this.#input.closed.get(record)
    if (closed !== undefined) return refusedRow(row.number, [closed])
    if (recordId === '') return refusedRow(row.number, ['The record has no ID, so it can’t be changed.'])
    const draft: PlannedDraft = { kind: 'change', recordId, before: record, edits }
    const isRenamed = isNameDoubtful && Object.hasOwn(edits, 'Name')
    return { kind: 'draft', row: row.number, draft, notes, identity, values: said, isRenamed, setAside: '' }
  }

  /** Says that a damaged value isn't taken, and counts it; empty for a value that is taken. */
  #keptFromDamage(path: string, value: EditValue, was: EditValue): string {
    if (typeof value !== 'string' || typeof was !== 'string' || this.#fields.type(path) !== 'text') return ''
    const how = describeDamage(value.trim(), was.trim(), this.#fields.isDateColumn(path))
    if (how === '') return ''
    const words = fieldWords(this.#object, path)
    const kept = was === '' ? `“${words}” is skipped` : `“${words}” stays “${was}”`
    const found = this.#damage.get(path)
    if (found) found.count += 1
    else
      this.#damage.set(path, {
        count: 1,
        example: was === '' ? `“${value}” ${how}.` : `“${value}” ${how}. In the books: “${was}”.`,
      })
    return this.#input.acceptedDamage.has(path) ? '' : `${kept}: “${value}” ${how}.`
  }

  #resolved(path: string, value: EditValue): EditValue {
    return typeof value === 'string' || isEmpty(value) ? value : this.#references.resolve(path, value)
  }
}

function refusedRow(row: number, reasons: readonly string[], columns: readonly number[] = []): RefusedRow {
  // The pieces of a split column share their reason.
  return { kind: 'refused', row, reasons: [...new Set(reasons)], columns, setAside: '' }
}

/** Whether a cell has the record's value. Outer blanks and kinds of line ends don't count: files change them. */
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

/** A column that has a field, with its reader. */
export interface FieldColumn extends ColumnChoice {
  readonly path: string
  readonly words: string
  readonly type: FieldType
  readonly reader: ColumnReader
  /** Whether most of its filled cells are dates. */
  readonly isDateColumn: boolean
}

/** A cell that is no value of its field. */
export interface UnreadCell {
  readonly column: number
  readonly path: string
  readonly reason: string
}

/** Fields that identify a record or that the application writes. They are silently skipped. */
const KEPT = ['ID', 'FullName', 'CreatedDate', 'LastModifiedDate']

/** The values of one row. */
interface RowRead {
  readonly values: ReadonlyMap<string, EditValue>
  /** Columns whose empty cell clears the field. */
  readonly cleared: readonly FieldColumn[]
  readonly unread: readonly UnreadCell[]
}

class ImportFields {
  readonly #input: ImportInput
  #columns: readonly FieldColumn[] = []

  constructor(input: ImportInput) {
    this.#input = input
  }

  /** Sentences about columns that could be read in several ways. */
  get notes(): readonly string[] {
    return this.#columns.flatMap(({ heading, reader }) => reader.notes.map((note) => `“${heading}”: ${note}`))
  }

  /** Learns from whole columns how their cells are written. @returns those that are fields */
  *prepare(): Interruptible<readonly FieldColumn[]> {
    const { table, columns, records, local, chosen, target } = this.#input
    const fields: FieldColumn[] = []
    for (const column of columns) {
      const { path } = column
      if (path === null) continue
      const cells = table.rows.map(({ cells: all }) => all[column.column] ?? '')
      const type = importType(target.object, path, records, this.#input.supported)
      const reader = columnReader(type, cells, local, chosen)
      const isDateColumn = type === 'text' && areMostlyDates(cells)
      fields.push({ ...column, path, words: fieldWords(target.object, path), type, reader, isDateColumn })
      yield
    }
    this.#columns = fields
    return fields
  }

  type(path: string): FieldType {
    const known = this.#columns.find((column) => column.path === path)?.type
    return known ?? pathType(this.#input.target.object, path)
  }

  isDateColumn(path: string): boolean {
    return this.#columns.find((column) => column.path === path)?.isDateColumn === true
  }

  /** Reads one field of a row alone; `null` where no column of the file is that field. */
  textReader(path: string): ((row: ImportRow) => string) | null {
    const column = this.#columns.find((each) => each.path === path)
    if (!column) return null
    return (row) => {
      const cell: ImportCell = row.cells[column.column] ?? ''
      const read = isBlank(cell) ? null : column.reader.read(cell)
      return read?.ok && typeof read.value === 'string' ? read.value.trim() : ''
    }
  }

  read(row: ImportRow): RowRead {
    const values = new Map<string, EditValue>()
    const cleared: FieldColumn[] = []
    const unread: UnreadCell[] = []
    for (const column of this.#columns) {
      const cell: ImportCell = row.cells[column.column] ?? ''
      if (isBlank(cell)) {
        if (column.emptyMeans === 'clear' && !KEPT.includes(column.path)) cleared.push(column)
        continue
      }
      const read = column.reader.read(cell)
      if (read.ok) values.set(column.path, read.value)
      else if (!KEPT.includes(column.path) || column.path === 'ID')
        unread.push({
          column: column.column,
          path: column.path,
          reason:
            (typeof cell === 'object' && 'error' in cell ? cell.reason : undefined) ??
            `“${column.heading}”: ${read.because}`,
        })
    }
    return { values, cleared, unread }
  }
}

function areMostlyDates(cells: readonly ImportCell[]): boolean {
  const filled = cells.filter((cell) => !isBlank(cell))
  return filled.filter((cell) => isDateText(cellText(cell).trim())).length * 2 > filled.length
}

/** Why a column's field can't be cleared; empty when it can (decisions.md, "Clearing a field"). */
function clearRefusal(object: string, column: FieldColumn): string {
  if (column.type === 'money') return `“${column.heading}” can’t be blank. Enter 0.`
  if (column.type === 'boolean') return `“${column.heading}” must be yes or no.`
  if (objectDefinition(object)?.required.includes(column.path) === true)
    return `“${column.heading}” can’t be blank.`
  return ''
}

/**
 * The type of a field. One that the definition doesn't know is a reference or text, as metadata and records show; where
 * all its values are dates, it is a date.
 */
export function importType(
  object: string,
  path: string,
  records: readonly RecordData[],
  supported: ReadonlySet<string> | null = null,
): FieldType {
  const type = pathType(object, path)
  if (type !== 'text' || isDescribed(object, topField(path))) return type
  const members = fieldsOf(supported ?? []).get(topField(path)) ?? []
  if (memberOf(path) === null && isReferenceShaped(members)) return 'reference'
  let dates = 0
  for (const record of records.slice(0, 1_000)) {
    const value = valueAt(object, record, path)
    if (typeof value !== 'string') return 'reference'
    if (value === '') continue
    if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value)) return 'text'
    dates += 1
  }
  return dates > 0 ? 'timestamp' : 'text'
}
