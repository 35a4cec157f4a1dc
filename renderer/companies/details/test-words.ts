/** A test of a company in a word, for the list. */
import type { CompanyTest } from '../list/companies.svelte.ts'

/** A test in one or two words, for the list. */
export function testWord(test: CompanyTest | null): string {
  if (test === null) return ''
  if (test.state === 'running') return 'Testing…'
  if (test.state === 'failed') return 'Not tested'
  return { answered: 'Answered', refused: 'Refused', silent: 'Silent' }[test.result.outcome]
}
