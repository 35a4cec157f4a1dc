/**
 * Finds doubled entries in a ledger. Two entries with the same number are almost certainly doubled. Two taxi rides on
 * one day look the same as one ride that was entered twice, so entries with other numbers, or none, are only likely
 * doubled.
 */
import { says } from '../../shared/format/format.ts'
import { compareDecimals, type Decimal, sumDecimals } from '../../shared/format/money.ts'
import type { ReportRow } from '../../shared/reports/reports.ts'
import { type Finding } from '../../shared/review/review.ts'
import type { DoubledEntry } from './evidence/evidence.ts'
import { type EntryName, firstWords, isJournal } from './ledger-entries.ts'

/** A row of the ledger with an amount. */
export interface LedgerRow {
  readonly row: ReportRow
  /** The key of its account. */
  readonly account: string
  readonly amount: Decimal
  /** The amount without its sign. */
  readonly size: Decimal
  readonly isCredit: boolean
  /** The side of a positive amount in its column. */
  readonly side: Finding['side']
}

/** A row of the ledger with the parts of its name. */
interface Posting extends LedgerRow, EntryName {
  /** The account, the side, and the amount. They are the same in doubles. */
  readonly place: string
  /** The first name, in lowercase. Without one, the name in its double. Empty if neither has one. */
  readonly who: string
  /** The text after the name. */
  readonly memo: string
}

type Doubled = Pick<DoubledEntry, 'key' | 'severity' | 'detail'> & { readonly postings: readonly Posting[] }

type NameOf = (row: ReportRow) => EntryName

/** Returns the entries of a day that look doubled. Few do, so names are parsed only where amounts repeat. */
export function doubledOnDay(day: string, rows: readonly LedgerRow[], nameOf: NameOf): readonly Doubled[] {
  const repeated = repeatedPlaces(rows)
  const twice = enteredTwice(rows, repeated, nameOf)
  const taken = new Set(twice.flatMap(({ postings }) => postings.map(({ row }) => row)))
  const isLeft = ({ row }: LedgerRow): boolean => !taken.has(row)
  const left = repeated.map((those) => those.filter(isLeft))
  const alike = [...alikeOnDay(rows.filter(isLeft), left, nameOf)].flatMap(([who, postings]) =>
    doubledIn(`${day}|${who}`, postings),
  )
  for (const { row } of alike.flatMap(({ postings }) => postings)) taken.add(row)
  const rest = left.map((those) => those.filter(isLeft))
  const found = [...twice, ...alike, ...sameLines(day, rows.filter(isLeft), rest, nameOf)]
  return found.filter((each) => !areOrdinarySales(each, rows, nameOf))
}

/**
 * Whether these are sales receipts of a customer with three or more on this day, such as *Walk-in Customer*. Some of them
 * have the same price. If all are there twice, they may have been imported twice.
 */
function areOrdinarySales(
  { severity, postings }: Doubled,
  rows: readonly LedgerRow[],
  nameOf: NameOf,
): boolean {
  const isSale = ({ type, number }: EntryName): boolean =>
    number !== '' && /\bsales? receipts?\b|\bcash sales?\b/i.test(type)
  const who = postings[0]?.who ?? ''
  if (severity !== 'check' || who === '') return false
  if (!postings.every((each) => isSale(each) && each.who === who)) return false
  const ofCustomer = postingsOf(rows, nameOf).filter((each) => isSale(each) && each.who === who)
  const sales = [...Map.groupBy(ofCustomer, entryOf).values()]
  const alike = Map.groupBy(sales, (lines) =>
    lines
      .map(({ place }) => place)
      .toSorted()
      .join(';'),
  )
  const isTwice = alike.size > 1 && [...alike.values()].every(({ length }) => length % 2 === 0)
  return sales.length > 2 && !isTwice
}

/** Groups the rows that have the same amount, account, and side as another one. */
function repeatedPlaces(rows: readonly LedgerRow[]): readonly (readonly LedgerRow[])[] {
  return [...Map.groupBy(rows, ({ size }) => size).values()].flatMap((alike) => {
    const [one, other] = alike
    // Most amounts occur twice: once on each side.
    if (one === undefined || other === undefined || (alike.length === 2 && !haveOnePlace(one, other)))
      return []
    return [...Map.groupBy(alike, placeOf).values()].filter(({ length }) => length > 1)
  })
}

/** Returns the entries, or the types, that have two lines with one place, name, and memo. `null` leaves a line out. */
function withEqualLines(
  repeated: readonly (readonly LedgerRow[])[],
  nameOf: NameOf,
  ownerOf: (name: EntryName) => string | null,
): ReadonlySet<string> {
  const owners = new Set<string>()
  for (const those of repeated) {
    const names = those.map(({ row }) => nameOf(row))
    for (const [one, other] of Map.groupBy(names, (each) => `${ownerOf(each) ?? ''}|${each.rest}`).values()) {
      const owner = one && other ? ownerOf(one) : null
      if (owner !== null) owners.add(owner)
    }
  }
  return owners
}

/** Returns the numbered entries whose lines are all there twice. Each line may have its own name and memo. */
function enteredTwice(
  rows: readonly LedgerRow[],
  repeated: readonly (readonly LedgerRow[])[],
  nameOf: NameOf,
): readonly Doubled[] {
  const suspects = withEqualLines(repeated, nameOf, (name) => (name.number === '' ? null : entryOf(name)))
  if (suspects.size === 0) return []
  const entries = Map.groupBy(postingsOf(rows, nameOf), entryOf)
  return [...suspects].flatMap((suspect) => {
    const postings = entries.get(suspect) ?? []
    if (!areRepeated(postings, ({ place }) => place)) return []
    if (areRepeated(postings, lineIn)) return [certainly(postings)]
    // One copy may name the customer, and the other the job.
    const lines = Map.groupBy(
      postings.filter(({ who }) => who !== ''),
      lineIn,
    )
    const repeatedNames = [...lines.values()].flatMap(([one, other]) =>
      one && other ? [customerOf(one.who)] : [],
    )
    // Two other names, such as those of two vendors, keep the entries apart.
    const isOneName = inPlaces(postings).every((those) => {
      const names = new Set(those.map(({ who }) => customerOf(who)).filter((who) => who !== ''))
      return names.size < 2 || repeatedNames.some((each) => names.has(each))
    })
    return repeatedNames.length > 0 && isOneName && !postings.some(({ type }) => isJournal(type))
      ? [underOtherNames(postings)]
      : []
  })
}

/** The customer of a job, such as *Ash* of *Ash:Job 1*. */
function customerOf(who: string): string {
  return who.split(':', 1)[0] ?? ''
}

function inPlaces(postings: readonly Posting[]): readonly (readonly Posting[])[] {
  return [...Map.groupBy(postings, ({ place }) => place).values()]
}

function lineIn({ place, rest }: Posting): string {
  return `${place}|${rest}`
}

function underOtherNames(postings: readonly Posting[]): Doubled {
  return {
    key: postings[0]?.title ?? '',
    severity: 'check',
    detail: says`Each of its amounts appears at least twice, but not all of them under the same name. They may be separate entries.`,
    postings,
  }
}

function certainly(postings: readonly Posting[]): Doubled {
  // A journal may have equal lines, such as rent by location, or pay of two employees.
  const isSplit =
    new Set(postings.map(({ rest }) => rest)).size === 1 ||
    inPlaces(postings).every((those) => haveOwnMemos(those.map(({ memo }) => memo)))
  const mayBeSplit = isSplit && postings.every(({ type }) => isJournal(type))
  return {
    key: postings[0]?.title ?? '',
    severity: mayBeSplit ? 'check' : 'likely',
    detail: mayBeSplit
      ? says`Each of its lines appears at least twice. It may be one entry with equal lines.`
      : says`Each of its lines appears at least twice.`,
    postings,
  }
}

/**
 * Returns entries whose lines are all there again in another entry of their type. Each line may have its own name and memo,
 * such as a deposit that names its customer on one line only.
 */
function sameLines(
  day: string,
  rows: readonly LedgerRow[],
  repeated: readonly (readonly LedgerRow[])[],
  nameOf: NameOf,
): readonly Doubled[] {
  const suspects = withEqualLines(repeated, nameOf, ({ type }) => type)
  if (suspects.size === 0) return []
  const postings = postingsOf(rows, nameOf).filter(({ type }) => suspects.has(type))
  return [...Map.groupBy(postings, ({ type }) => type).values()].flatMap((those) =>
    [...sameNumbered(those), ...unnumberedTwice(those)].flatMap((alike) =>
      likely(`${day}|${alike.find(({ who }) => who !== '')?.who ?? ''}`, alike),
    ),
  )
}

/** Whether an entry has a number and no name, such as the sales of a shop: nothing but their amount is the same. */
function isOnlyAmount({ who, number, type }: Posting): boolean {
  if (who !== '' || number === '' || isJournal(type)) return false
  // What looks like a number may be a name.
  return /^\d+$/.test(number) || /\b(?:sales?|receipts?|invoices?|payments?|refunds?)\b/i.test(type)
}

function lineOf({ place, rest, row, account }: Posting): string {
  return `${place}|${rest}|${idOf(row, account)}`
}

/**
 * Groups entries that have the same lines under different numbers: journals, and entries with a name on each line. Others,
 * such as the sales of a shop, may all be alike.
 */
function sameNumbered(postings: readonly Posting[]): readonly (readonly Posting[])[] {
  const numbered = postings.filter(({ number }) => number !== '')
  const entries = [...Map.groupBy(numbered, entryOf).values()].filter(
    (entry) => areBalanced(entry) && entry.every(({ type, who }) => isJournal(type) || who !== ''),
  )
  const linesIn = (entry: readonly Posting[]): string => entry.map(lineOf).toSorted().join(';')
  return [...Map.groupBy(entries, linesIn).values()].flatMap((alike) =>
    alike.length > 1 ? [alike.flat()] : [],
  )
}

/** Groups lines without a number that are there more than once and balance: those of one amount, and all others. */
function unnumberedTwice(postings: readonly Posting[]): readonly (readonly Posting[])[] {
  const lines = Map.groupBy(
    postings.filter(({ number }) => number === ''),
    lineOf,
  )
  const twice = [...lines.values()].filter(({ length }) => length > 1)
  const sizes = [...Map.groupBy(twice, ([first]) => first?.size ?? '').values()]
  const isOne = (those: readonly (readonly Posting[])[]): boolean =>
    areBalanced(those.flatMap(([first]) => first ?? []))
  const alone = sizes.filter(isOne)
  const others = sizes.filter((each) => !alone.includes(each)).flat()
  return [...alone, ...(isOne(others) ? [others] : [])].map((those) => those.flat())
}

/** Whether there are debits and credits, and they are equal. */
function areBalanced(postings: readonly Posting[]): boolean {
  const sum = (isCredit: boolean): Decimal =>
    sumDecimals(postings.flatMap((each) => (each.isCredit === isCredit ? [each.size] : [])))
  return postings.length > 1 && compareDecimals(sum(false), sum(true)) === 0
}

function postingsOf(rows: readonly LedgerRow[], nameOf: NameOf): readonly Posting[] {
  return rows.map((each) => {
    const name = nameOf(each.row)
    const memo = name.rest.slice(firstWords(name.rest, 1).length + 2)
    return { ...each, ...name, place: placeOf(each), who: whoOf(name), memo }
  })
}

/** Groups the postings of a day by name where two may be the same. */
function alikeOnDay(
  rows: readonly LedgerRow[],
  repeated: readonly (readonly LedgerRow[])[],
  nameOf: NameOf,
): ReadonlyMap<string, readonly Posting[]> {
  const suspects = new Set<string>()
  for (const those of repeated) {
    if (those.length < 2) continue
    const names = those.map(({ row }) => whoOf(nameOf(row)))
    // One without a name may be the double of one with a name.
    if (new Set(names).size < names.length || names.includes('')) for (const name of names) suspects.add(name)
  }
  if (suspects.size === 0) return new Map()
  const postings = postingsOf(rows, nameOf)
  const alike = Map.groupBy(postings, ({ place, type }) => `${place}|${type}`)
  const named = postings.map((each): Posting => {
    if (each.who !== '') return each
    const others = alike.get(`${each.place}|${each.type}`) ?? []
    const [who = '', ...more] = new Set(others.map((other) => other.who).filter((other) => other !== ''))
    return more.length > 0 ? each : { ...each, who }
  })
  return Map.groupBy(
    named.filter(({ who }) => suspects.has(who)),
    ({ who }) => who,
  )
}

function haveOnePlace(one: LedgerRow, other: LedgerRow): boolean {
  return one.account === other.account && one.isCredit === other.isCredit
}

function placeOf({ account, isCredit, size }: LedgerRow): string {
  return `${account}|${isCredit ? '-' : ''}${size}`
}

function whoOf({ rest }: EntryName): string {
  return firstWords(rest, 1).toLowerCase()
}

function entryOf({ type, number, title }: EntryName): string {
  return number === '' ? title : `${type}|${number}`
}

/** Returns postings of one day and name that look doubled. */
function doubledIn(group: string, postings: readonly Posting[]): readonly Doubled[] {
  const suspects = new Set<string>()
  for (const those of inPlaces(postings))
    if (those.length > 1) for (const each of those) suspects.add(entryOf(each))
  const entries = Map.groupBy(
    postings.filter((each) => suspects.has(entryOf(each))),
    entryOf,
  )
  const found: Doubled[] = []
  const left: (readonly Posting[])[] = []
  for (const those of entries.values()) {
    const [first] = those
    if (first !== undefined && first.number !== '' && isDoubled(those)) found.push(certainly(those))
    else left.push(those)
  }
  if (left.length < 2 && left[0]?.[0]?.number !== '') return found
  const alike = alikeEntries(left)
  for (const those of alike) found.push(...likely(group, those))
  const taken = new Set(alike.flat())
  const rest = left.flat().filter((each) => !taken.has(each))
  for (const those of Map.groupBy(rest, ({ type }) => type).values()) {
    const twice = bothSidesTwice(those)
    if (twice.length > 0) found.push(...likely(group, twice))
  }
  return found
}

/** Returns the finding for entries that may be doubled, or none if they aren’t. */
function likely(group: string, postings: readonly Posting[]): readonly Doubled[] {
  if (postings.every(isOnlyAmount)) return []
  const numbers = [...new Set(postings.flatMap(({ number }) => (number === '' ? [] : [number])))]
  const listed = numbers.slice(0, 5).join(', ')
  // Without a name, what looks like a number may be one.
  const [same, different] = postings.some(({ rest }) => rest === '')
    ? ['date and amount', 'numbers or names']
    : ['date, name, and amount', 'numbers']
  const detail =
    numbers.length < 2
      ? says`More than one entry has the same ${same} in the same accounts. They may be separate entries.`
      : says`Entries with different ${different} (${listed}) have the same ${same} in the same account. They may be separate entries.`
  const amounts = [...new Set(postings.map(({ place }) => place))].toSorted().join(';')
  return [{ key: `likely|${group}|${amounts}`, severity: 'check', detail, postings }]
}

/**
 * Whether postings with the same identity occur equally often, and more than once. An invoice with two equal lines is
 * not doubled, because its total occurs once. A transaction that the ledger shows in only one account can't be judged.
 */
function areRepeated(postings: readonly Posting[], identity: (posting: Posting) => string): boolean {
  if (postings.length < 4) return false
  const counts = [...Map.groupBy(postings, identity).values()].map(({ length }) => length)
  return counts.length > 1 && counts.reduce(commonDivisor) > 1
}

function isDoubled(postings: readonly Posting[]): boolean {
  return areRepeated(postings, ({ place }) => place) && !areOfSeveral(postings)
}

/** Whether the rows belong to several people with similar names: each has its own ID and its own full name. */
function areOfSeveral(postings: readonly Posting[]): boolean {
  const ids = new Map<string, Set<string>>()
  for (const { row, account, rest } of postings) {
    const id = idOf(row, account)
    // One without a name may be the double of one with a name.
    if (id === '' && firstWords(rest, 1) === '') continue
    ids.set(id, (ids.get(id) ?? new Set()).add(rest))
  }
  const names = [...ids.values()].flatMap((each) => [...each])
  return ids.size > 1 && new Set(names).size === names.length
}

/** The ID of the name; empty if it is the account’s. */
function idOf({ id }: ReportRow, account: string): string {
  return id === account ? '' : id
}

/** Whether each has a memo of its own, such as *Installment 2 of 3*. */
function haveOwnMemos(memos: readonly string[]): boolean {
  return !memos.includes('') && new Set(memos).size === memos.length
}

/**
 * Groups entries that are equal on both sides or, if their types differ, on one side: a cost that was entered both as a
 * bill and as a check.
 */
function alikeEntries(entries: readonly (readonly Posting[])[]): readonly (readonly Posting[])[] {
  const bySide = new Map<string, (readonly Posting[])[]>()
  for (const entry of entries) {
    const [debits, credits] = [false, true].map((isCredit) =>
      entry
        .filter((each) => each.isCredit === isCredit)
        .map(({ place }) => place)
        .toSorted()
        .join(';'),
    )
    const sides = debits === '' || credits === '' ? [debits, credits] : [`${debits ?? ''} ${credits ?? ''}`]
    const keys = [...sides, debits, credits].filter((each) => each !== undefined && each !== '')
    for (const key of new Set(keys)) bySide.set(key ?? '', [...(bySide.get(key ?? '') ?? []), entry])
  }
  const alike: (readonly Posting[])[] = []
  const taken = new Set<readonly Posting[]>()
  for (const [side, all] of bySide) {
    const those = all.filter((each) => !taken.has(each))
    const isWhole = side.includes(' ')
    const hasTypes = new Set(those.map(([first]) => first?.type)).size > 1
    if (those.length < 2 || areOfSeveral(those.flat()) || !(isWhole || hasTypes)) continue
    if (!hasTypes && haveOwnMemos(those.map(([first]) => first?.memo ?? ''))) continue
    for (const each of those) taken.add(each)
    alike.push(those.flat())
  }
  return alike
}

/**
 * Returns postings that occur twice, if their debits equal their credits. Entries without a number can't be
 * distinguished, but two equal lines of one entry occur twice on only one side. A numbered entry counts once.
 */
function bothSidesTwice(postings: readonly Posting[]): readonly Posting[] {
  const identities = [
    ({ rest }: Posting) => rest,
    // The ID is that of the name, unless it is the account’s.
    ({ row, account, rest }: Posting) => idOf(row, account) || rest,
    // Without a memo, it may be the double of one with a memo.
    ({ who }: Posting) => who,
  ]
  for (const identity of identities) {
    const places = Map.groupBy(postings, (each) => `${each.place}|${identity(each)}`)
    const twice = [...places.values()].filter((those) => {
      const numbered = new Set(those.flatMap(({ number }) => (number === '' ? [] : [number])))
      const count = numbered.size + those.filter(({ number }) => number === '').length
      return count > 1 && !haveOwnMemos(those.map(({ memo }) => memo))
    })
    if (areBalanced(twice.flatMap(([first]) => first ?? [])) && !areOfSeveral(twice.flat())) {
      return twice.flat()
    }
  }
  return []
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}
