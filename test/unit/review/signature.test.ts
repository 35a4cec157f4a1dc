import { describe, expect, it } from 'vitest'
import { signature } from '../../../electron/app/program/program.ts'
import { formatKeptName, formatSigner } from '../../../shared/review/review.ts'

describe('who signs a decision', () => {
  it('is the preparer, or else the person whose account it is', () => {
    expect(signature(' Dana Cole ', 'root')).toBe('Dana Cole')
    expect(signature('', 'dana')).toBe('dana')
  })

  it('is no one if the account isn’t a person’s', () => {
    for (const account of ['root', 'Administrator', 'USER', ' admin '])
      expect(signature('', account)).toBe('')
  })

  it('is promised only if someone is known; otherwise, the way to sign is shown', () => {
    expect(formatKeptName(' Dana Cole ', 'dana')).toBe('with the name Dana Cole.')
    expect(formatKeptName('', signature('', 'dana'))).toBe('with the name dana.')
    expect(formatKeptName('', signature('', 'root'))).toMatch(/^without a name\. .* Prepared by\.$/)
  })

  it('omits “by” if no one is known', () => {
    expect(`Closed${formatSigner('Dana Cole')}, May 3`).toBe('Closed by Dana Cole, May 3')
    expect(`Closed${formatSigner('')}, May 3`).toBe('Closed, May 3')
  })
})
