// Record ids as the applications make them: a desktop file's "80000012-1767225600", an online company's "58".
import { type Application } from '../refusal.ts'
import { type ObjectName } from './definition.ts'

const FIRST_ONLINE: Readonly<Record<ObjectName, number>> = {
  account: 31,
  class: 5_000_000_001,
  currency: 1,
  customer: 1001,
  employee: 501,
  item: 11,
  itemsalestax: 801,
  taxcode: 2,
  terms: 3,
  vendor: 601,
}
const FIRST_DESKTOP = 0x80000001

/** The id of the `index`th record ever made in a list (from 0), made at a moment. */
export function idOf(application: Application, object: ObjectName, index: number, created: number): string {
  if (application === 'qbo') return String(FIRST_ONLINE[object] + index)
  const sequence = (FIRST_DESKTOP + index).toString(16).toUpperCase()
  return `${sequence}-${String(Math.floor(created / 1000))}`
}

/** The index that an id was made from; negative or NaN where it is no id of this kind. */
export function indexOfId(application: Application, object: ObjectName, id: string): number {
  if (application === 'qbo') return /^\d+$/.test(id) ? Number(id) - FIRST_ONLINE[object] : Number.NaN
  const match = /^([0-9A-F]{8})-\d+$/.exec(id)
  return match?.[1] === undefined ? Number.NaN : Number.parseInt(match[1], 16) - FIRST_DESKTOP
}
