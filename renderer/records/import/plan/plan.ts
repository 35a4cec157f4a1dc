/**
 * Plans an import. Each row is exactly one of these: a new record, a change, a row that changes nothing, or a
 * row that can't be imported, with the reasons. Nothing is written here.
 */
import { type Decimal, isZero, parseDecimal } from '../../../../shared/format/money.ts'
import { type ImportRow, isBlank } from '../../../../shared/import/table.ts'
import {
  type Edits,
  type EditValue,
  EMPTY_REFERENCE,
  isEmpty,
  type RecordData,
  sameValue,
  shownValue,
  valueAt,
  withEdit,
} from '../../../../shared/records/changes.ts'
import {
  type ContactDetail,
  countryPath,
  DETAIL_NOUNS,
  malformedDetail,
} from '../../../../shared/records/contact-details.ts'
import { type FieldType, objectDefinition } from '../../../../shared/records/definition.ts'
import { editability, pathHeading } from '../../../../shared/records/fields.ts'
import { nameKey, typedNameKey } from '../../../../shared/records/names.ts'
import { type Interruptible, ROWS_PER_STEP } from '../../list/time-slice.ts'
import { type ImportTarget, rowFingerprint } from './fingerprint.ts'
import {
  clearRefusal,
  type FieldColumn,
  ImportFields,
  type ImportFieldsInput,
  NEVER_WRITTEN,
  type RowValues,
  type UnreadCell,
} from './import-fields.ts'
import {
  fieldText,
  joinedName,
  KnownReferences,
  type MatchBy,
  MatchSurvey,
  nameAt,
  nameContradiction,
  partsOfFullName,
  recordFullName,
  RecordIndex,
  RenamedRecords,
  type RowKeys,
} from './matching.ts'
import { findNonRecords, type NonRecords } from './non-records.ts'
import { describeDamage } from './values.ts'

export interface ImportInput extends ImportFieldsInput {
  /** Whether `records` is the whole list. Without it, no row can count as a new record. */
  readonly isWholeList: boolean
  /** Records that can't be changed now, such as those being sent, each with the reason. */
  readonly locked: ReadonlyMap<RecordData, string>
  /** The key for matching rows; `null` to use the best fit. */
  readonly matchBy: MatchBy | null
  /** Fields whose values are imported even if a spreadsheet seems to have damaged them. */
  readonly acceptedDamage: ReadonlySet<string>
}

/** A draft with edits as in `shared/records/changes.ts`. `records.saveDrafts` saves it. */
export interface PlannedDraft {
  readonly kind: 'insert' | 'change'
  /** Empty for a new record. */
  readonly recordId: string
  /** The record as read; empty for a new one. */
  readonly before: RecordData
  readonly edits: Edits
}

/** The effect of a row. `row` is its number in the file. */
export type RowPlan =
  | {
      readonly kind: 'insert' | 'change'
      readonly row: number
      readonly draft: PlannedDraft
      /** Sentences about skipped cells, and about values that don’t look right. The rest of the row is used. */
      readonly notes: readonly string[]
      /** Identifies the row in later imports (`findRepeats`). */
      readonly fingerprint: string
      /**
       * Whether the row renames a record that was found by number, or by an ID that may come from another
       * company. The match may be wrong.
       */
      readonly isRenamed: boolean
      /** Why the row doesn't look like a record, such as a total; empty if it does. */
      readonly skipReason: string
    }
  | {
      readonly kind: 'unchanged'
      readonly row: number
      /** The record, which already has these values. */
      readonly record: RecordData
      readonly notes: readonly string[]
    }
  | RefusedRow

export interface RefusedRow {
  readonly kind: 'refused'
  readonly row: number
  readonly reasons: readonly string[]
  /** Columns of the unreadable cells. */
  readonly columns: readonly number[]
  /** Why the row doesn't look like a record; empty if it does. */
  readonly skipReason: string
}

/** A column with values that a spreadsheet damaged. */
export interface DamagedColumn {
  readonly path: string
  readonly heading: string
  /** Number of damaged values. */
  readonly count: number
  /** One of them, as a sentence. */
  readonly example: string
}

export interface ImportPlan {
  /** One outcome per row of the table, in the file's order. */
  readonly outcomes: readonly RowPlan[]
  readonly counts: {
    readonly rows: number
    readonly inserts: number
    readonly changes: number
    readonly unchanged: number
    readonly refused: number
    /** Changes that may affect the wrong record (`isRenamed`). They are also counted as changes. */
    readonly renames: number
    /** Rows that don't look like records. They aren't counted anywhere else. */
    readonly skipped: number
  }
  readonly damage: readonly DamagedColumn[]
  /** New records that would post an opening balance, by row number. */
  readonly openingBalances: ReadonlyMap<number, Decimal>
  readonly matchBy: MatchBy
  /** The keys for which the file has columns. */
  readonly canMatchBy: readonly MatchBy[]
  /** Sentences about ambiguous columns. */
  readonly notes: readonly string[]
  /** Headings of columns without a field. */
  readonly skippedColumns: readonly string[]
}

/** Plans an import in time slices. Takes about a second in all for 100,000 rows. */
export function* planImport(input: ImportInput): Interruptible<ImportPlan> {
  const { object } = input.target
  const singular = objectDefinition(object)?.singular ?? 'record'
  const numberField = input.records.some((record) => fieldText(record, 'AccountNumber') !== '')
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
  const outcomes = yield* resolveDuplicates(planned, input.target)
  const isSkipped = (outcome: RowPlan): boolean => outcome.kind !== 'unchanged' && outcome.skipReason !== ''
  const count = (kind: RowPlan['kind']): number =>
    outcomes.reduce((sum, outcome) => sum + (outcome.kind === kind && !isSkipped(outcome) ? 1 : 0), 0)
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
      skipped: outcomes.filter(isSkipped).length,
    },
    damage: planner.damage,
    openingBalances: openingBalances(outcomes),
    matchBy,
    canMatchBy: planner.canMatchBy(),
    notes: [
      ...planner.notes,
      ...foreignNumberNotes(survey, matchBy, singular),
      ...malformedRows(input.target.object, outcomes),
    ],
    skippedColumns: input.columns.flatMap(({ heading, path }) => (path === null ? [heading] : [])),
  }
}

/** Warns that the file's own numbers would replace those in the books if rows are matched by name. */
function foreignNumberNotes(survey: MatchSurvey, matchBy: MatchBy, singular: string): readonly string[] {
  const count = survey.otherNumbers
  if (matchBy !== 'name' || count === 0) return []
  const rows = `${count.toLocaleString('en-US')} ${count === 1 ? 'row has' : 'rows have'}`
  return [
    `${rows} a number that belongs to another ${singular}. Skip the column if the file has its own numbers.`,
  ]
}

/** Says how many rows have an email address, a phone number, or a ZIP code that doesn’t look right. They are imported all the same. */
function malformedRows(object: string, outcomes: readonly RowPlan[]): readonly string[] {
  const counts = new Map<ContactDetail, number>()
  for (const outcome of outcomes) {
    if (outcome.kind !== 'insert' && outcome.kind !== 'change') continue
    for (const detail of new Set(malformedValues(object, outcome.draft).map((each) => each.detail)))
      counts.set(detail, (counts.get(detail) ?? 0) + 1)
  }
  return [...counts].map(([detail, count]) => {
    const rows = `${count.toLocaleString('en-US')} ${count === 1 ? 'row has' : 'rows have'}`
    return `${rows} ${DETAIL_NOUNS[detail]} that doesn’t look right. You can still import ${count === 1 ? 'it' : 'them'}.`
  })
}

interface MalformedValue {
  readonly path: string
  readonly value: string
  readonly detail: ContactDetail
}

function malformedValues(
  object: string,
  { before, edits }: Pick<PlannedDraft, 'before' | 'edits'>,
): readonly MalformedValue[] {
  return Object.values(edits).flatMap(({ path, now }) => {
    if (typeof now !== 'string') return []
    const beside = countryPath(path)
    const country = beside === null ? '' : shownValue(object, before, edits, beside)
    const detail = malformedDetail(path, now, typeof country === 'string' ? country : '')
    return detail === null ? [] : [{ path, value: now, detail }]
  })
}

function malformedNotes(object: string, draft: Pick<PlannedDraft, 'before' | 'edits'>): readonly string[] {
  return malformedValues(object, draft).map(
    ({ path, value, detail }) =>
      `“${pathHeading(object, path)}”: “${value}” doesn’t look like ${DETAIL_NOUNS[detail]}.`,
  )
}

/** Collects opening balances by row number. Only new records have one, and the application posts it. */
function openingBalances(outcomes: readonly RowPlan[]): ReadonlyMap<number, Decimal> {
  const balances = new Map<number, Decimal>()
  for (const outcome of outcomes) {
    const now = outcome.kind === 'insert' ? outcome.draft.edits['Balance']?.now : undefined
    const amount = typeof now === 'string' ? parseDecimal(now) : null
    if (amount !== null && !isZero(amount)) balances.set(outcome.row, amount)
  }
  return balances
}

/** Returns the fingerprints of the rows that become drafts, by row number. */
export function rowFingerprints(plan: ImportPlan): ReadonlyMap<number, string> {
  return new Map(
    plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'insert' || outcome.kind === 'change'
        ? [[outcome.row, outcome.fingerprint] as const]
        : [],
    ),
  )
}

/** Returns the rows that can't be imported although they look like records. */
export function refusedRows(plan: ImportPlan): readonly RefusedRow[] {
  return plan.outcomes.filter(
    (outcome): outcome is RefusedRow => outcome.kind === 'refused' && outcome.skipReason === '',
  )
}

function isSkippedRow(row: PlannedRow | undefined): boolean {
  return row?.kind === 'draft' && row.skipReason !== ''
}

/**
 * Resolves several rows about one record. If they agree, the first one is used. If they differ, none is,
 * because it is unclear which one is right. A skipped row yields to the others.
 */
function* resolveDuplicates(
  planned: readonly PlannedRow[],
  target: ImportTarget,
): Interruptible<readonly RowPlan[]> {
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
    const records = all.filter((index) => !isSkippedRow(planned[index]))
    const group = records.length > 0 ? records : all
    const numbers = group.map((index) => String(planned[index]?.row ?? 0))
    const [first, ...others] = group
    if (group.every((index) => fingerprints[index] === fingerprints[first ?? 0])) {
      for (const index of others) reasons.set(index, `Same as row ${numbers[0] ?? ''}.`)
    } else {
      const named = `${numbers.slice(0, 6).join(', ')}${numbers.length > 6 ? ' and more' : ''}`
      for (const index of group)
        reasons.set(
          index,
          `Rows ${named} have different values for the same record. Keep only one of them in the file.`,
        )
    }
    for (const index of all)
      if (!group.includes(index)) reasons.set(index, `Same name as row ${numbers[0] ?? ''}.`)
  }
  return planned.map((row, index) => {
    const reason = reasons.get(index)
    if (row.kind === 'refused') return row
    const skipReason = row.kind === 'draft' ? row.skipReason : ''
    if (reason !== undefined)
      return { kind: 'refused', row: row.row, reasons: [reason], columns: [], skipReason }
    if (row.kind === 'unchanged')
      return { kind: row.kind, row: row.row, record: row.record, notes: row.notes }
    const { draft, notes, isRenamed } = row
    const fingerprint = fingerprints[index] ?? ''
    return { kind: draft.kind, row: row.row, draft, notes, isRenamed, skipReason, fingerprint }
  })
}

/** A planned row before duplicates are resolved. */
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
      readonly skipReason: string
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
  #nonRecords: NonRecords = new Map()

  constructor(input: ImportInput, index: RecordIndex, numberField: string, singular: string) {
    this.#input = input
    this.#object = input.target.object
    this.#index = index
    this.#numberField = numberField
    this.#singular = singular
    this.#fields = new ImportFields(input)
    this.#references = new KnownReferences(this.#object, input.records)
  }

  /** Sentences about ambiguous columns. */
  get notes(): readonly string[] {
    return this.#fields.notes
  }

  /** Infers the formats of all columns and collects known references. Call it before `plan`. */
  *prepare(): Interruptible<void> {
    for (const { path, type } of yield* this.#fields.prepare()) {
      if (type === 'reference') yield* this.#references.collect(path)
    }
    // The parent of a new record may come from its full name.
    yield* this.#references.collect('Parent')
    yield* this.#collectRenamed()
    const { table, columns, local, formats } = this.#input
    const nameColumns = columns.flatMap(({ path, column }) =>
      path === 'Name' || path === 'FullName' || path === 'ID' ? [column] : [],
    )
    this.#nonRecords = yield* findNonRecords(table, nameColumns, { local, chosen: formats })
  }

  /** Columns with damaged values, in the file's order. Complete after the last call of `plan`. */
  get damage(): readonly DamagedColumn[] {
    return this.#input.columns.flatMap(({ path, heading }) => {
      const found = path === null ? undefined : this.#damage.get(path)
      return path === null || found === undefined ? [] : [{ path, heading, ...found }]
    })
  }

  /** Collects the records that an earlier import of this file renamed. */
  *#collectRenamed(): Interruptible<void> {
    const [id, name, fullName] = ['ID', 'Name', 'FullName'].map((path) => this.#fields.textReader(path))
    if (!id || !name || !fullName) return
    for (const [at, row] of this.#input.table.rows.entries()) {
      const record = this.#index.byId(id(row))
      if (record) this.#renamed.add(fullName(row), name(row), record)
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

  /** Surveys what the keys of the whole file find. Call it before `plan`. */
  *survey(): Interruptible<MatchSurvey> {
    const survey = new MatchSurvey()
    for (const [at, row] of this.#input.table.rows.entries()) {
      survey.add(this.#index.fit(this.#keys(this.#read(row).values)))
      if (at % ROWS_PER_STEP === 0) yield
    }
    return survey
  }

  plan(row: ImportRow, matchBy: MatchBy, survey: MatchSurvey): PlannedRow {
    const made = this.#plan(row, matchBy, survey)
    const planned = made.kind === 'refused' ? { ...made, columns: this.#fileColumns(made.columns) } : made
    // A row that matches a record is about that record, whatever it looks like.
    const isMatched =
      planned.kind === 'unchanged' || (planned.kind === 'draft' && planned.draft.kind === 'change')
    return isMatched ? planned : { ...planned, skipReason: this.#nonRecords.get(row.number) ?? '' }
  }

  /** Reads a row. Where a file has full names in its column of names, as QuickBooks Desktop writes jobs, they are that. */
  #read(row: ImportRow): RowValues {
    const read = this.#fields.read(row)
    const name = nameAt(read.values, 'Name')
    const isFullName =
      name.includes(':') &&
      !read.values.has('FullName') &&
      objectDefinition(this.#object)?.fields.some((field) => field.name === 'Parent') === true &&
      !this.#index.isName(name)
    if (!isFullName) return read
    const values = new Map(read.values).set('FullName', name)
    values.delete('Name')
    return { ...read, values }
  }

  /** Maps derived columns to the columns of the file that they come from. */
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
    const { values, cleared, unread } = this.#read(row)
    const beyond = row.cells.findIndex(
      (cell, at) => at >= this.#input.table.headings.length && !isBlank(cell),
    )
    if (beyond >= 0)
      reasons.push(
        `This row has more cells than headings (column ${String((this.#fileColumns([beyond])[0] ?? beyond) + 1)}).`,
      )
    if (values.size === 0 && unread.length === 0 && reasons.length === 0) reasons.push('This row is blank.')
    if (reasons.length > 0 || this.#blockingCells(unread, 'existing').length > 0)
      return refusedRow(
        row.number,
        [...unread.map(({ reason }) => reason), ...reasons],
        [...unread.map(({ column }) => column), ...(beyond >= 0 ? [beyond] : [])],
      )

    const match = this.#index.match(this.#keys(values), matchBy)
    switch (match.kind) {
      case 'refused':
        return refusedRow(row.number, [match.reason])
      case 'new':
        return this.#insert(row, values, unread)
      case 'found':
        return this.#change(row, match.record, values, cleared, unread, {
          by: match.by,
          isNameDoubtful: match.by === 'number' || (match.by === 'id' && survey.areIdsForeign),
        })
    }
  }

  /** Unreadable cells that block their row. Cells that would be skipped anyway don't. */
  #blockingCells(unread: readonly UnreadCell[], kind: 'new' | 'existing'): readonly UnreadCell[] {
    const keys = ['ID', 'Name', 'Parent', this.#numberField]
    return unread.filter(({ path }) => keys.includes(path) || this.#skipNote(path, kind) === '')
  }

  /** Says why a field is skipped; empty if it is imported. */
  #skipNote(path: string, kind: 'new' | 'existing'): string {
    const can = editability(this.#object, path, this.#input.supported, kind)
    return can.editable ? '' : `“${pathHeading(this.#object, path)}” is skipped. ${can.reason}`
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
      currentFullName: this.#renamed.currentName(fullName),
    }
  }

  #insert(row: ImportRow, read: ReadonlyMap<string, EditValue>, unread: readonly UnreadCell[]): PlannedRow {
    const refuse = (reason: string): PlannedRow => refusedRow(row.number, [reason])
    const blocking = this.#blockingCells(unread, 'new')
    if (blocking.length > 0)
      return refusedRow(
        row.number,
        blocking.map(({ reason }) => reason),
        blocking.map(({ column }) => column),
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
        return refuse(`No match, and a new ${this.#singular} needs “${pathHeading(this.#object, field)}”.`)
    }
    const notes = unread.map(({ path }) => this.#skipNote(path, 'new'))
    let edits: Edits = {}
    for (const [path, value] of values) {
      if (NEVER_WRITTEN.includes(path)) continue
      const skipped = this.#skipNote(path, 'new') || this.#damageNote(path, value, '')
      if (skipped === '') edits = withEdit(edits, this.#object, path, null, this.#resolved(path, value))
      else notes.push(skipped)
    }
    if (Object.keys(edits).length === 0) return refuse(notes[0] ?? 'Nothing to add.')
    notes.push(...malformedNotes(this.#object, { before: {}, edits }))
    const keys = this.#keys(values)
    return {
      kind: 'draft',
      row: row.number,
      draft: { kind: 'insert', recordId: '', before: {}, edits },
      notes,
      identity: `new ${typedNameKey(keys.fullName || keys.name) || JSON.stringify([...values])}`,
      values: read,
      isRenamed: false,
      skipReason: '',
    }
  }

  /** Adds the name and parent of a new record if only its full name gives them (decisions.md, "Names of records"). */
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
    const notes = unread.map(({ path }) => this.#skipNote(path, 'existing'))
    const reasons: { readonly reason: string; readonly column: number }[] = []
    let edits: Edits = {}
    const wanted = new Map(values)
    for (const column of cleared) {
      const now = column.type === 'reference' ? EMPTY_REFERENCE : ''
      const was = valueAt(this.#object, record, column.path)
      if (isEmpty(was)) continue
      const reason = clearRefusal(this.#object, column)
      if (reason === '') wanted.set(column.path, now)
      else reasons.push({ reason, column: column.column })
    }
    for (const [path, value] of wanted) {
      if (NEVER_WRITTEN.includes(path) || (isByName && path === 'Name')) continue
      const was = valueAt(this.#object, record, path)
      const now = this.#resolved(path, value)
      if (hasSameValue(this.#fields.type(path), was, now)) continue
      const skipped = this.#skipNote(path, 'existing') || this.#damageNote(path, now, was)
      if (skipped === '') edits = withEdit(edits, this.#object, path, was, now)
      else notes.push(skipped)
    }
    if (reasons.length > 0)
      return refusedRow(
        row.number,
        reasons.map(({ reason }) => reason),
        reasons.map(({ column }) => column),
      )
    const recordId = fieldText(record, 'ID')
    // A name that was only used to find the record counts as the same in any spelling.
    const rowValues = isByName ? new Map(values).set('Name', fieldText(record, 'Name')) : values
    const identity = `record ${recordId || nameKey(recordFullName(record))}`
    if (Object.keys(edits).length === 0)
      return { kind: 'unchanged', row: row.number, record, notes, identity, values: rowValues }
    const lockReason = this.#input.locked.get(record)
    if (lockReason !== undefined) return refusedRow(row.number, [lockReason])
    if (recordId === '') return refusedRow(row.number, ['The record has no ID, so it can’t be changed.'])
    const draft: PlannedDraft = { kind: 'change', recordId, before: record, edits }
    notes.push(...malformedNotes(this.#object, draft))
    const isRenamed = isNameDoubtful && Object.hasOwn(edits, 'Name')
    return {
      kind: 'draft',
      row: row.number,
      draft,
      notes,
      identity,
      values: rowValues,
      isRenamed,
      skipReason: '',
    }
  }

  /** Counts a damaged value and says that it is skipped; empty if the value is imported. */
  #damageNote(path: string, value: EditValue, was: EditValue): string {
    if (typeof value !== 'string' || typeof was !== 'string' || this.#fields.type(path) !== 'text') return ''
    const how = describeDamage(value.trim(), was.trim(), this.#fields.kind(path))
    if (how === '') return ''
    const label = pathHeading(this.#object, path)
    const kept = was === '' ? `“${label}” is skipped` : `“${label}” stays “${was}”`
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
  // The parts of a split column have the same reason.
  return { kind: 'refused', row, reasons: [...new Set(reasons)], columns, skipReason: '' }
}

/**
 * Whether a cell has the record's value. Surrounding whitespace and line ends don't matter, because files
 * change them.
 */
function hasSameValue(type: FieldType, was: EditValue, now: EditValue): boolean {
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
