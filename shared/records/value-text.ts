/** Formats a field's value as text. */
import type { Format } from '../format/format.ts'
import { canonicalDecimal, parseDecimal } from '../format/money.ts'
import { shownText } from '../format/text.ts'
import { type EditValue, pathType } from './changes.ts'
import type { FieldType } from './definition.ts'

/** A value without formatting: a reference by the name of its record, or by its ID if it has none. */
export function plainValue(value: EditValue): string {
  return typeof value === 'string' ? value : value.FullName || value.ID
}

/** A key for comparing values across companies: references by name, because IDs are only valid in their own company. */
export function valueKey(type: FieldType, value: EditValue): string {
  const text = plainValue(value)
  const amount = type === 'money' ? parseDecimal(text) : null
  return amount === null ? text : canonicalDecimal(amount)
}

/** Formats a value: amounts and times in the region's format, booleans as yes and no. */
export function valueText(type: FieldType, value: EditValue, format: Format): string {
  if (typeof value !== 'string') return shownText(plainValue(value))
  switch (type) {
    case 'money':
      return format.money(value)
    case 'timestamp':
      return format.fullMoment(value)
    case 'boolean':
      return value === 'true' ? 'Yes' : value === 'false' ? 'No' : value
    case 'text':
    case 'address':
    case 'contact':
    case 'reference':
      return shownText(value)
  }
}

/** Formats a field's value: *(empty)* if it has none, and an empty text for `null`. */
export function fieldValueText(
  object: string,
  path: string,
  value: EditValue | null,
  format: Format,
): string {
  return value === null ? '' : valueText(pathType(object, path), value, format) || '(empty)'
}
