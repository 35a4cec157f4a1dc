// Bills and their payment, card charges and the card's monthly bill, and what is paid every month.
import { dayOf, type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { partOf } from '../cents.ts'
import { BOOKKEEPERS } from '../records/people.ts'
import { CARD_ISSUER } from '../records/lists.ts'
import { type Party, type BooksSource, weighted } from './ledger.ts'

/** Posts what a company buys, from the first day of its books to today. */
export function postPurchases(source: BooksSource): void {
  let check = 2000
  let owedOnCard = 0
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    const years = (month - source.start) / 365
    postBills(source, month, years)
    if (owedOnCard > 0) payCard(source, month + 21, owedOnCard, String(++check))
    owedOnCard = postCharges(source, month, years)
    for (const standing of source.profile.standing) {
      const { year, month: number } = partsOf(month)
      const day = dayOf(year, number, standing.date)
      const sway = 1 + standing.sway * (source.random.unit() * 2 - 1)
      if (day > source.today) continue
      const cents = Math.max(partOf(standing.cents, sway * (1 + 0.02 * Math.floor(years))), 1)
      source.ledger.post({
        type: 'Check',
        day,
        number: String(++check),
        party: vendor(source, standing.vendor),
        memo: standing.memo,
        enteredBy: source.random.pick(BOOKKEEPERS),
        lines: [
          [source.lists.accountId(standing.account), cents],
          [source.lists.accountId('checking'), -cents],
        ],
      })
    }
  }
}

function vendor(source: BooksSource, name: string): Party {
  return { object: 'vendor', id: source.lists.vendorId(name) }
}

function daysIn(source: BooksSource, month: Day, usual: number): Day[] {
  const count = Math.round(usual * source.volume * (0.85 + 0.3 * source.random.unit()))
  return Array.from({ length: count }, () => source.random.whole(month, monthEnd(month)))
    .filter((day) => day <= source.today)
    .toSorted((a, b) => a - b)
}

function postBills(source: BooksSource, month: Day, years: number): void {
  const { random, profile, lists, ledger } = source
  const season = profile.season[partsOf(month).month - 1] ?? 1
  for (const day of daysIn(source, month, profile.monthly.bills * season)) {
    const purchase = weighted(random, profile.bills)
    const cents = partOf(random.whole(purchase.low, purchase.high), 1 + 0.04 * years)
    const party = vendor(source, random.pick(purchase.vendors))
    const classId = random.chance(0.85) ? random.pick(lists.classIds) : ''
    const bill = ledger.post({
      type: 'Bill',
      day,
      number: String(random.whole(10_000, 99_999)),
      party,
      memo: purchase.memo,
      classId,
      dueDay: day + 30,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('payable'), -cents],
        [lists.accountId(purchase.account), cents],
      ],
    })
    const paid = day + random.whole(12, 38)
    if (paid > source.today || random.chance(0.01)) continue
    ledger.post({
      type: 'Bill Payment',
      day: paid,
      number: String(random.whole(4000, 4999)),
      party,
      memo: `Bill ${bill.number}`,
      classId,
      settles: bill,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('payable'), cents],
        [lists.accountId('checking'), -cents],
      ],
    })
  }
}

/** Posts a month's card charges; returns what they add up to. */
function postCharges(source: BooksSource, month: Day, years: number): number {
  const { random, profile, lists, ledger } = source
  let owed = 0
  for (const day of daysIn(source, month, profile.monthly.charges)) {
    const purchase = weighted(random, profile.card)
    const cents = partOf(random.whole(purchase.low, purchase.high), 1 + 0.03 * years)
    owed += cents
    ledger.post({
      type: 'Credit Card Charge',
      day,
      party: vendor(source, random.pick(purchase.vendors)),
      memo: purchase.memo,
      enteredBy: random.pick(BOOKKEEPERS),
      lines: [
        [lists.accountId('card'), -cents],
        [lists.accountId(purchase.account), cents],
      ],
    })
  }
  return owed
}

function payCard(source: BooksSource, day: Day, cents: number, number: string): void {
  if (day > source.today) return
  source.ledger.post({
    type: 'Check',
    day,
    number,
    party: vendor(source, CARD_ISSUER),
    memo: 'Card statement',
    lines: [
      [source.lists.accountId('card'), cents],
      [source.lists.accountId('checking'), -cents],
    ],
  })
}
