/** What a set-up begins as, and whether it was asked for before: one visit provisions once. Decides only. */
import type { Provisioning } from '../../shared/contract/companies.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { JournalProvisioning } from '../store/manage-journal.ts'

/** What is asked for. */
export interface ProvisionWhat {
  readonly application: string
  /** `null`: a new user is made first, unless a set-up that this one tries again has made one. */
  readonly userId: string | null
  readonly expectedFile: string
  readonly place: Provisioning['place']
  /** `begunAt` of the visit that asks. */
  readonly visit?: string
  /** The earlier set-up that this one tries again: looked for once more, right before anything is sent. */
  readonly again?: string
}

/** By what a click is known again: the visit in which it was made, and what it tries again. */
export type Asking = Pick<JournalProvisioning, 'visit' | 'again'>

const ON_THEIR_WAY: readonly Provisioning['state'][] = ['queued', 'making-user', 'sending']

/** Whether the same was asked for before: in this visit, or as another try of the same set-up that may still come. */
export function wasAsked(all: readonly JournalProvisioning[], { visit, again }: Asking): boolean {
  return all.some(({ value, ...other }) => {
    if (visit !== null && other.visit === visit && other.again === again) return true
    if (again === null) return false
    if (value.provisioningId === again) return ON_THEIR_WAY.includes(value.state)
    return other.again === again && value.state !== 'refused' && value.state !== 'dropped'
  })
}

/**
 * A set-up at its beginning, with the user that an earlier try made; an error where something is missing, or where
 * it was asked for before.
 * @param begun its new id, and when it was asked for (ISO)
 * @param all the set-ups of the connection
 */
export function newProvisioning(
  begun: Pick<Provisioning, 'provisioningId' | 'connectionId' | 'queuedAt'>,
  what: ProvisionWhat,
  all: readonly JournalProvisioning[],
): Result<JournalProvisioning> {
  const { application, userId, expectedFile, place, visit = null, again = null } = what
  if (application.trim() === '' || userId?.trim() === '') return err(SOMETHING_MISSING)
  if (wasAsked(all, { visit, again })) return err(ASKED_ALREADY)
  const value: Provisioning = {
    ...begun,
    application: application.trim(),
    ...(userId === null ? userMadeBefore(all, again) : { userId: userId.trim(), newUser: null }),
    expectedFile,
    place,
    state: 'queued',
    stoppedWaiting: false,
    sentAt: null,
    lastLookedAt: null,
    nextLookAt: null,
    company: null,
    before: 'unknown',
    error: null,
  }
  return ok({ value, listBefore: null, looks: 0, visit, again, askedAbout: [], elsewhere: '' })
}

/** The user that an earlier try made, the nearest first: nobody can look one up, so one that is known is used. */
function userMadeBefore(
  all: readonly JournalProvisioning[],
  again: string | null,
): Pick<Provisioning, 'userId' | 'newUser'> {
  for (let next = again; next !== null;) {
    const earlier = all.find(({ value }) => value.provisioningId === next)
    if (earlier?.value.newUser?.state === 'made') {
      const { userId, newUser } = earlier.value
      return { userId, newUser }
    }
    next = earlier?.again ?? null
  }
  return { userId: '', newUser: { state: 'to-make', askedAt: null } }
}

const SOMETHING_MISSING = appError(
  'invalid-input',
  'Application and user ID are needed to provision a company.',
)
const ASKED_ALREADY = appError(
  'invalid-input',
  'This company has been asked for already, so nothing more is sent.',
  'Choose its row in Companies, and press Go on.',
)
