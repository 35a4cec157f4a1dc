/** Texts of Add company: how files differ, instructions for the client, and titles while waiting. */
import { describe, expect, test } from 'vitest'
import { fileDifference } from '../../../renderer/companies/wizard/verdict.ts'
import {
  canGoBack,
  instructionsText,
  knownFacts,
  reportedProblem,
  waitTitle,
} from '../../../renderer/companies/wizard/wait.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { appError } from '../../../shared/result.ts'

const AT = '2026-03-01T09:02:00.000Z'

function waiting(change: Partial<Provisioning>): Provisioning {
  return {
    provisioningId: 'p1',
    connectionId: 'c1',
    application: 'qbd',
    userId: 'u1',
    newUser: null,
    expectedFile: 'Juniper.qbw',
    place: 'here',
    state: 'waiting',
    stoppedWaiting: false,
    queuedAt: AT,
    sentAt: AT,
    lastRecheckedAt: null,
    nextRecheckAt: null,
    company: null,
    before: 'not-there',
    error: null,
    ...change,
  }
}

describe('how two files differ', () => {
  const marked = (pieces: readonly { readonly text: string; readonly differs: boolean }[]): string =>
    pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')

  test.each([
    ['Juniper 2026.qbw', 'Juniper 2025.qbw', 'Juniper [2026].qbw', 'Juniper [2025].qbw'],
    ['Juniper.qbw', 'Alder.qbw', '[Juniper].qbw', '[Alder].qbw'],
    ['JUNIPER.qbw', 'Juniper.QBW', 'JUNIPER.qbw', 'Juniper.QBW'],
    ['C:\\A\\Juniper.qbw', 'C:\\B\\Juniper.qbw', 'C:\\[A]\\Juniper.qbw', 'C:\\[B]\\Juniper.qbw'],
    ['Juniper Ridge.qbw', 'Juniper.qbw', 'Juniper[ Ridge].qbw', 'Juniper.qbw'],
    ['', 'Juniper.qbw', '', '[Juniper.qbw]'],
  ])('%s against %s', (named, returned, left, right) => {
    const difference = fileDifference(named, returned)
    expect(marked(difference.named)).toBe(left)
    expect(marked(difference.returned)).toBe(right)
  })
})

describe('the instructions', () => {
  const facts = { application: 'qbd', file: ' Juniper.qbw ', within: '10 minutes' } as const

  test('for the client ask for help, and name the file and the time', () => {
    const text = instructionsText({ ...facts, place: 'client' })
    expect(text).toMatch(/^Please help us/)
    expect(text).toContain('“Juniper.qbw”')
    expect(text).toContain('Within 10 minutes')
  })

  test('for this computer say what to do before and after Provision company', () => {
    const text = instructionsText({ ...facts, place: 'here' })
    expect(text).toContain('Before Provision company')
    expect(text).not.toContain('Please help us')
  })

  test('for online books don’t mention a computer or agent, and name the company if it was named', () => {
    const online = { ...facts, application: 'qbo', place: 'client' } as const
    const text = instructionsText({ ...online, file: ' Juniper Ridge ' })
    expect(text).not.toMatch(/agent|machine/)
    expect(text).toContain('choose “Juniper Ridge”')
    expect(instructionsText({ ...online, file: '' })).toContain('ask us which one to choose')
  })
})

describe('a wait', () => {
  const dialog = appError('company-unavailable', 'A dialog is open.')

  test('leads back to the choices if the service said what is wrong, but not while it doesn’t respond', () => {
    expect(canGoBack(waiting({ error: dialog }))).toBe(true)
    expect(canGoBack(waiting({ state: 'refused', error: dialog }))).toBe(true)
    expect(canGoBack(waiting({ error: appError('timed-out', 'No answer.') }))).toBe(false)
    expect(canGoBack(waiting({ state: 'sending' }))).toBe(false)
    expect(canGoBack(waiting({ state: 'arrived' }))).toBe(false)
  })

  test('shows the service’s message, and keeps waiting', () => {
    const said = waiting({ error: dialog })
    expect(reportedProblem(said)).toBe(dialog)
    expect(waitTitle(said)).toBe('The service couldn’t add the company')
    expect(knownFacts(said).at(-1)?.text).toContain('may still finish')
  })

  test('isn’t a problem if only the answer is missing', () => {
    expect(reportedProblem(waiting({ error: appError('timed-out', 'No answer.') }))).toBeNull()
    expect(waitTitle(waiting({}))).toContain('Waiting for someone to authorize access')
  })

  test('that was never sent says so, but not if its user was requested', () => {
    const unsent = { state: 'refused', sentAt: null, error: dialog } as const
    expect(waitTitle(waiting(unsent))).toBe('Nothing was sent')
    const asked = waiting({ ...unsent, newUser: { state: 'held', askedAt: AT } })
    expect(waitTitle(asked)).toBe('No company was requested')
    expect(knownFacts(asked).map(({ text }) => text)[0]).toContain('No clear response came.')
  })

  test('never says that nothing is billed, because an earlier attempt for the same books may be', () => {
    for (const state of ['queued', 'making-user', 'refused'] as const) {
      const said = knownFacts(waiting({ state, sentAt: null })).map(({ strong, text }) => `${strong} ${text}`)
      expect(said.join(' ')).not.toMatch(/nothing is billed/i)
    }
  })

  test('ends the service’s message before our own words follow', () => {
    const said = (message: string) =>
      reportedProblem(waiting({ error: appError('service-error', message) }))?.message
    expect(said('The service says: Limit reached')).toBe('The service says: Limit reached.')
    expect(said('Limit reached!')).toBe('Limit reached!')
  })
})
