/** Extracts the parts of a list record that the rules use. */
import { isInactive, isObject, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { parentOf } from '../../../shared/records/names.ts'
import type { Source } from '../../../shared/review/rules.ts'
import { isMailable } from '../../tidy/address.ts'
import { createTaxIdReader } from '../../tidy/identifiers.ts'

/** The parts of a list record that the rules use. */
export interface ListedRecord {
  readonly id: string
  readonly name: string
  readonly fullName: string
  readonly parentId: string
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  /** `false` if the service doesn't say whether it is active. */
  readonly hasStatus: boolean
  /** Of a vendor: whether mail would arrive. `null` if the record has no such field. */
  readonly hasAddress: boolean | null
  /** Of a vendor. `null` if the record has no such field. */
  readonly hasTaxId: boolean | null
  /** `null` if the service doesn't say. */
  readonly is1099: boolean | null
  readonly phone: string
  readonly email: string
}

/** Creates a reader of a list, whose records have the same few fields. */
export function createRecordReader(source: Source): (record: RecordData) => ListedRecord {
  if (source !== 'vendors') return (record) => listedRecord(record, NO_MAILING_FACTS)
  const taxIds = createTaxIdReader()
  return (record) => listedRecord(record, mailingFacts(record, taxIds(record)))
}

/** Whether one of the fields is filled in; `null` if there is none. */
function isFilledIn(fields: readonly string[], isFilled: (field: string) => boolean): boolean | null {
  return fields.length === 0 ? null : fields.some(isFilled)
}

type MailingFacts = Pick<ListedRecord, 'hasAddress' | 'hasTaxId'>

const NO_MAILING_FACTS: MailingFacts = { hasAddress: null, hasTaxId: null }

/** What a vendor's 1099 needs. */
function mailingFacts(record: RecordData, taxIds: readonly string[]): MailingFacts {
  const addresses = ['Address', 'BillingAddress', 'ShippingAddress'].filter((each) => each in record)
  return {
    hasAddress: isFilledIn(addresses, (each) => {
      const value = record[each]
      return isObject(value) && isMailable(value)
    }),
    hasTaxId: taxIds.length === 0 ? null : taxIds.some((each) => each !== ''),
  }
}

/** Extracts the parts of a record that the rules use, as the service sent them. */
function listedRecord(record: RecordData, { hasAddress, hasTaxId }: MailingFacts): ListedRecord {
  const text = (name: string): string => textOf(record[name]).trim()
  const member = (name: string, inner: string): string => {
    const value = record[name]
    return isObject(value) ? textOf(value[inner]).trim() : ''
  }
  const name = text('Name')
  return {
    id: text('ID'),
    name,
    fullName: text('FullName') || name,
    parentId: parentOf(record).trim(),
    type: text('Type'),
    currency: member('Currency', 'FullName') || text('Currency'),
    isActive: !isInactive(record),
    hasStatus: text('IsActive') !== '',
    hasAddress,
    hasTaxId,
    is1099: text('EligibleFor1099') === '' ? null : text('EligibleFor1099').toLowerCase() === 'true',
    phone: text('Phone'),
    email: text('Email'),
  }
}
