/** Warnings to review before sending: likely mistakes that don't prevent it. */
import type { Format } from '../../../shared/format/format.ts'
import { compareDecimals, type Decimal, isZero, parseDecimal } from '../../../shared/format/money.ts'
import {
  type EditValue,
  type FieldEdit,
  isDeactivation,
  type Reference,
  textOf,
} from '../../../shared/records/changes.ts'
import {
  type ContactDetail,
  countryPath,
  DETAIL_NOUNS,
  malformedDetail,
} from '../../../shared/records/contact-details.ts'
import { fieldDefinition } from '../../../shared/records/definition.ts'
import type { ReferenceStatus } from '../list/references.svelte.ts'
import { formatProblem, isTypedName, type Problem } from './problems.ts'
import { type RowDraft, rowIdOf } from './row-draft.ts'

export interface Warning {
  readonly kind:
    | 'name'
    | 'rename'
    | 'missing'
    | 'reference'
    | 'inactive'
    | 'amount'
    | 'opening'
    | 'held-back'
    | ContactDetail
  /** The record or field, shown in bold. */
  readonly subject: string
  readonly text: string
  readonly rowIds: readonly string[]
  /** The field, unless the whole record is meant. */
  readonly path?: string
  /** For `missing`: the field, and what was probably meant. */
  readonly reference?: { readonly path: string; readonly meant: Reference | null }
}

/** Warnings with the same cause. */
export interface WarningGroup {
  /** The sentence about several records, without their number; empty if each record has its own. */
  readonly text: string
  readonly warnings: readonly Warning[]
}

/** Most serious first: what isn't sent, what posts or changes money, what may be rejected, and likely typos. */
const GRAVITY: readonly Warning['kind'][] = [
  'held-back',
  'missing',
  'opening',
  'amount',
  'inactive',
  'name',
  'reference',
  'email',
  'phone',
  'zip',
  'rename',
]

/** The sentence about several records, for kinds whose warnings differ by record. */
const OF_SEVERAL: Partial<Readonly<Record<Warning['kind'], string>>> = {
  rename: 'would be renamed.',
  opening: 'have an opening balance, which will post to the books.',
  amount: 'have an amount at least 100 times larger or smaller than before.',
  inactive: 'would be made inactive with a balance.',
  email: 'have an email address that doesn’t look right.',
  phone: 'have a phone number that doesn’t look right.',
  zip: 'have a ZIP code that doesn’t look right.',
}

/** Groups warnings by cause, the most serious first. */
export function groupWarnings(warnings: readonly Warning[]): readonly WarningGroup[] {
  const groups = new Map<string, Warning[]>()
  for (const warning of warnings) {
    const cause = OF_SEVERAL[warning.kind] ?? warning.text
    const key = `${warning.kind} ${cause}`
    const group = groups.get(key)
    if (group) group.push(warning)
    else groups.set(key, [warning])
  }
  return [...groups.values()]
    .map((group): WarningGroup => {
      const [first] = group
      return { text: first ? (OF_SEVERAL[first.kind] ?? pluralText(first)) : '', warnings: group }
    })
    .toSorted((left, right) => gravity(left) - gravity(right))
}

function gravity({ warnings }: WarningGroup): number {
  return Math.min(...warnings.map(({ kind }) => GRAVITY.indexOf(kind)))
}

/** Converts the sentence about one record to the plural. */
function pluralText({ text }: Warning): string {
  const verbs: Readonly<Record<string, string>> = {
    changes: 'change',
    contains: 'contain',
    has: 'have',
    is: 'are',
    uses: 'use',
  }
  const [verb = '', ...rest] = text.split(' ')
  return [verbs[verb] ?? verb, ...rest].join(' ').replace('and is not sent', 'and are not sent')
}

/** Returns the fields whose references were typed as names that no loaded record has. */
export function uncheckedReferences(
  drafts: Iterable<RowDraft>,
  context: Pick<WarningContext, 'object' | 'referenceStatus'>,
): ReadonlySet<string> {
  const paths = new Set<string>()
  for (const { edits } of drafts) {
    for (const { path, now } of Object.values(edits)) {
      if (paths.has(path) || !isTypedName(now)) continue
      if (context.referenceStatus(path, now.FullName) !== 'known') paths.add(path)
    }
  }
  return paths
}

interface WarningContext {
  readonly object: string
  readonly format: Format
  /** Returns the name of a row. */
  readonly nameOf: (draft: RowDraft) => string
  /** Returns the name of a path. */
  readonly fieldLabel: (path: string) => string
  readonly problems: (draft: RowDraft) => readonly Problem[]
  /** Whether a reference with this name exists. */
  readonly referenceStatus: (path: string, fullName: string) => ReferenceStatus
  /** The reference that a missing name was probably meant to be. */
  readonly similarReference: (path: string, fullName: string) => Reference | null
  /** Returns the text of a field with its edits; empty if it has none. */
  readonly shownText: (draft: RowDraft, path: string) => string
}

/** Returns all warnings about the drafts to send. */
export function warningsOf(drafts: Iterable<RowDraft>, context: WarningContext): readonly Warning[] {
  return [...drafts].flatMap((draft) => [
    ...problemWarnings(draft, context),
    ...Object.values(draft.edits).flatMap((edit): Warning[] => {
      const warning = editWarning(draft, edit, context)
      return warning ? [{ ...warning, path: edit.path }] : []
    }),
  ])
}

function problemWarnings(draft: RowDraft, context: WarningContext): Warning[] {
  return context.problems(draft).flatMap((problem): Warning[] => {
    const rowIds = [rowIdOf(draft)]
    switch (problem.kind) {
      case 'name-taken':
        return [
          {
            kind: 'name',
            subject: problem.fullName,
            text: 'has a name that already exists. The application may reject the second one.',
            rowIds,
          },
        ]
      case 'required':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft) || 'A new record',
            text: `has no ${context.fieldLabel(problem.path).toLocaleLowerCase()} and is not sent.`,
            rowIds,
          },
        ]
      case 'colon':
        return [
          {
            kind: 'name',
            subject: context.nameOf(draft),
            text: `contains a colon. Put the part before it in ${context.fieldLabel('Parent')}, or the application may reject it.`,
            rowIds,
          },
        ]
      case 'own-parent':
        return [
          {
            kind: 'reference',
            subject: context.nameOf(draft),
            text: `would be its own ${context.fieldLabel(problem.path).toLocaleLowerCase()}, directly or indirectly. The application may reject it.`,
            rowIds,
          },
        ]
      case 'unsupported':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft),
            text: `changes ${context.fieldLabel(problem.path)}, which this application doesn’t accept. It won’t be sent.`,
            rowIds,
          },
        ]
      case 'inexact':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft) || 'A new record',
            text: `has too many decimal places in ${context.fieldLabel(problem.path).toLocaleLowerCase()} and is not sent.`,
            rowIds,
          },
        ]
      case 'not-json':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft) || 'A new record',
            text: `is not sent: ${formatProblem(problem, context.fieldLabel)}.`,
            rowIds,
          },
        ]
      case 'no-such-reference':
        return [
          {
            kind: 'missing',
            subject: context.nameOf(draft) || 'A new record',
            text: `uses ${context.fieldLabel(problem.path).toLocaleLowerCase()} “${problem.fullName}”, which this company doesn’t have.`,
            rowIds,
            reference: {
              path: problem.path,
              meant: context.similarReference(problem.path, problem.fullName),
            },
          },
        ]
      case 'vanished':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft),
            text: 'is no longer in the list.',
            rowIds,
          },
        ]
      case 'shared-id':
        return [
          {
            kind: 'held-back',
            subject: context.nameOf(draft),
            text: 'has the same ID as another record, so they can’t be told apart. It is not sent.',
            rowIds,
          },
        ]
    }
  })
}

function editWarning(draft: RowDraft, edit: FieldEdit, context: WarningContext): Warning | null {
  const rowIds = [rowIdOf(draft)]
  const subject = context.nameOf(draft) || 'A new record'
  if (edit.path === 'Name' && draft.kind === 'change' && typeof edit.was === 'string' && edit.was !== '')
    return { kind: 'rename', subject: edit.was, text: `would be renamed “${textOf(edit.now)}”.`, rowIds }
  const type = fieldDefinition(context.object, edit.path).type
  if (type === 'reference' && isTypedName(edit.now)) {
    // A missing one is a problem, and its row isn't sent.
    if (context.referenceStatus(edit.path, edit.now.FullName) !== 'unknown') return null
    const field = context.fieldLabel(edit.path).toLocaleLowerCase()
    return {
      kind: 'reference',
      subject,
      text: `uses ${field} “${edit.now.FullName}”, which no other record uses. Check the spelling.`,
      rowIds,
    }
  }
  if (isDeactivation(edit)) {
    const balance = parseDecimal(context.shownText(draft, 'Balance'))
    if (balance === null || isZero(balance)) return null
    return {
      kind: 'inactive',
      subject,
      text: `would be made inactive with a balance of ${context.format.money(balance)}.`,
      rowIds,
    }
  }
  if (type !== 'money') return contactWarning(draft, edit, context, subject)
  return amountWarning(draft, edit, context, subject, rowIds)
}

function contactWarning(
  draft: RowDraft,
  { path, now }: FieldEdit,
  context: WarningContext,
  subject: string,
): Warning | null {
  if (typeof now !== 'string') return null
  const beside = countryPath(path)
  const kind = malformedDetail(path, now, beside === null ? '' : context.shownText(draft, beside))
  if (kind === null) return null
  const text = `: ${context.fieldLabel(path)} “${now}” doesn’t look like ${DETAIL_NOUNS[kind]}.`
  return { kind, subject, text, rowIds: [rowIdOf(draft)] }
}

function amountWarning(
  draft: RowDraft,
  edit: FieldEdit,
  context: WarningContext,
  subject: string,
  rowIds: readonly string[],
): Warning | null {
  const now = amountOf(edit.now)
  if (now === null) return null
  if (draft.kind === 'insert' && edit.path === 'Balance' && !isZero(now)) {
    const text = `has an opening balance of ${context.format.money(now)}, which will post to the books.`
    return { kind: 'opening', subject, text, rowIds }
  }
  const was = edit.was === null ? null : amountOf(edit.was)
  if (was === null || isZero(was) || !isHundredfold(was, now)) return null
  return {
    kind: 'amount',
    subject,
    text: `: ${context.fieldLabel(edit.path)} changes from ${context.format.money(was)} to ${context.format.money(now)}.`,
    rowIds,
  }
}

function amountOf(value: EditValue): Decimal | null {
  return typeof value === 'string' ? parseDecimal(value) : null
}

/** Whether one amount is at least a hundred times the other, which suggests a misplaced decimal mark. */
function isHundredfold(was: Decimal, now: Decimal): boolean {
  if (isZero(now)) return false
  const [small, large] = compareDecimals(absolute(was), absolute(now)) < 0 ? [was, now] : [now, was]
  return compareDecimals(hundredTimes(absolute(small)), absolute(large)) <= 0
}

function absolute(value: Decimal): Decimal {
  return (value.startsWith('-') ? value.slice(1) : value) as Decimal
}

/** Multiplies by 100 exactly, by moving the decimal point. */
function hundredTimes(value: Decimal): Decimal {
  const [whole = '', fraction = ''] = value.split('.')
  const digits = fraction.padEnd(2, '0')
  const rest = digits.slice(2)
  return `${whole}${digits.slice(0, 2)}${rest === '' ? '' : `.${rest}`}` as Decimal
}
