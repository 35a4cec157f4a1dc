/** An import of before, in words. */
import type { PastImport } from '../../../shared/import-fingerprint.ts'
import type { Format } from '../../ui/format.ts'

/** *imported 3 March, 48 added and 2 changed* */
export function beforeWords({ importedAt, added, changed }: PastImport, format: Format): string {
  const became = [
    added > 0 ? `${format.count(added)} added` : '',
    changed > 0 ? `${format.count(changed)} changed` : '',
  ].filter(Boolean)
  return `imported ${format.moment(importedAt)}, ${became.join(' and ')}`
}
