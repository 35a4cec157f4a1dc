/** Finds tax IDs in vendors, for **Tidy up** and for a month's review. */
import { type RecordData, textOf } from '../../shared/records/changes.ts'

/**
 * Names of a vendor’s tax ID in accounting applications. The specification has none.
 *
 * *Assumption* (decisions.md, “A vendor’s tax ID”).
 */
const TAX_ID =
  /^(?:(?:vendor|federal|us|business)?_?tax_?(?:payer_?)?(?:id(?:ent(?:ifier|ity)?)?|identification)(?:_?(?:number|no))?|tin|ein|ssn)$/i

/**
 * Creates a function that returns a record's tax IDs, without punctuation. It returns an empty text for an empty field, and
 * an empty list if there is no such field. Records of one list have the same few fields.
 */
export function createTaxIdReader(): (record: RecordData) => readonly string[] {
  const known = new Map<string, boolean>()
  const isTaxId = (field: string): boolean => {
    const is = known.get(field) ?? TAX_ID.test(field)
    known.set(field, is)
    return is
  }
  return (record) =>
    Object.keys(record)
      .filter(isTaxId)
      .map((field) =>
        textOf(record[field])
          .replace(/[^\p{L}\p{N}]/gu, '')
          .toLowerCase(),
      )
}
