/**
 * Actions on companies: provisioning, also with a new user, and de-provisioning, at the current or the older service. Each
 * one is compared with what the service has in the end.
 */
import type { SampleStorage } from '../../../electron/sample/storage.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { pause } from '../world/person.ts'
import type { World } from '../world/world.ts'

/** A world with access to the service's own data, which is the truth. */
export interface CompanyWorld extends World {
  readonly storage: SampleStorage
}

export const ACTIONS = [
  'provision for a new user',
  'provision',
  'de-provision',
  'de-provision (older)',
] as const
export type Action = (typeof ACTIONS)[number]

/** Requests that each action sends, at most one per permission of the user. */
const WRITES: Readonly<Record<Action, { readonly method: string; readonly path: RegExp }>> = {
  'provision for a new user': { method: 'POST', path: /\/v2\/manage\/user$/i },
  provision: { method: 'POST', path: /\/v2\/manage\/company$/i },
  'de-provision': { method: 'PATCH', path: /\/v2\/manage\/endpoint$/i },
  'de-provision (older)': { method: 'PATCH', path: /\/v1\/manage\/endpoint$/i },
}

/** The HTTP method of an action's write. */
export function methodOf(action: Action): string {
  return WRITES[action].method
}

const MAX_WAIT_MS = 60_000

/** The result of an action: how it ended, and what was wrong. */
export interface ActionResult {
  readonly end: string
  readonly findings: readonly string[]
}

/** Returns `null` if nothing is left for it. */
export async function perform(world: CompanyWorld, action: Action): Promise<ActionResult | null> {
  switch (action) {
    case 'provision for a new user':
      return provisionForNewUser(world)
    case 'provision':
      return provision(world)
    case 'de-provision':
    case 'de-provision (older)':
      return deprovision(world, action)
  }
}

/** Creates the user first, then the company: at most one of each, and none that the program doesn't know about. */
async function provisionForNewUser(world: CompanyWorld): Promise<ActionResult | null> {
  const users = usersOf(world)
  const ended = await provisionFor(world, null)
  if (ended === null) return null
  const made = usersOf(world) - users
  const { newUser, state } = ended.provisioning
  const findings = [...ended.findings, ...sentOnce(world, 'provision for a new user')]
  if (made > 1) findings.push(`doubled: ${made} users`)
  if (newUser?.state === 'made' && made === 0) findings.push('reported as made: no user was')
  if (made > 0 && newUser?.state !== 'made' && newUser?.state !== 'held') {
    findings.push(`a user was created without being reported: ${newUser?.state ?? 'none'}, ${state}`)
  }
  return { end: `${ended.end}, user ${newUser?.state ?? 'none'}`, findings }
}

async function provision(world: CompanyWorld): Promise<ActionResult | null> {
  const known = value(await world.person.call('companies.list', { connectionId: CONNECTION_ID }))
  const userId = known.companies.find((each) => each.userId !== '')?.userId
  return userId === undefined ? null : provisionFor(world, userId)
}

async function provisionFor(
  world: CompanyWorld,
  userId: string | null,
): Promise<(ActionResult & { readonly provisioning: Provisioning }) | null> {
  const { person, server } = world
  const before = new Set(endpointIds(world))
  const application = server.counters().state.files.find(({ isProvisioned }) => !isProvisioned)?.endpoint
  if (application === undefined) return null
  const asked = { connectionId: CONNECTION_ID, application, userId, expectedFile: '', place: 'here' } as const
  const { provisioningId } = value(await person.call('companies.provision', asked))
  const current = async (): Promise<Provisioning> => {
    const all = value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))
    const found = all.find((each) => each.provisioningId === provisioningId)
    if (found === undefined) throw new Error('lost: the provisioning is in no list')
    return found
  }
  await until(async () => !['queued', 'making-user', 'sending'].includes((await current()).state))
  await waitUntilIdle(world)
  // The user checks again once the connection works.
  server.control({ clearFaults: true })
  await person.call('activity.resume', { connectionId: CONNECTION_ID })
  const recheck = () => person.call('companies.recheckProvisioning', { provisioningId })
  let rechecked = (await current()).state === 'waiting' ? await recheck() : null
  // On a busy computer, even a correct list may miss its deadline. The user is told, and checks again.
  while (rechecked?.ok === false && rechecked.error.kind === 'timed-out') rechecked = await recheck()
  await waitUntilIdle(world)
  // The service may have finished after that check. The next one finds it.
  if (rechecked?.ok === true && rechecked.value.state === 'waiting') rechecked = await recheck()
  await waitUntilIdle(world)
  const findings = sentOnce(world, 'provision')
  const provisioning = await current()
  const { state, company } = provisioning
  const more = endpointIds(world).filter((endpointId) => !before.has(endpointId))
  if (more.length > 1) findings.push(`doubled: ${more.length} companies`)
  const isThere = company !== null && more.includes(company.endpointId)
  if (state === 'arrived' && !isThere) findings.push('reported as arrived: it is not there')
  // If the earlier list was incomplete, no one can tell which company is new, and the program says so. If two setups of
  // one user are waiting, the first one gets the company of the second.
  const isReported = state === 'waiting' && rechecked?.ok === false && rechecked.error.kind === 'not-found'
  const all = value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))
  const isFound = more.every((id) => all.some((each) => each.company?.endpointId === id))
  if (!isFound && !isReported) findings.push(`${state}, although it is there`)
  return { end: isReported ? 'can’t be told' : state, findings, provisioning }
}

function endpointIds({ server }: CompanyWorld): readonly string[] {
  return server.counters().state.companies.map(({ endpointId }) => endpointId)
}

async function deprovision(
  world: CompanyWorld,
  action: 'de-provision' | 'de-provision (older)',
): Promise<ActionResult | null> {
  const { person, server } = world
  const version = action === 'de-provision' ? 'v2' : 'v1'
  const { companies } = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
  // Keeps the company whose books are open.
  const company = companies.find(
    ({ ref, isActive, listedBy }) =>
      isActive &&
      ref.endpointId !== person.company.endpointId &&
      (version === 'v1' ? listedBy === 'v1' : listedBy !== 'v1'),
  )
  if (company === undefined) return null
  const { ref } = company
  const done = await person.call('companies.deprovision', { company: ref })
  await waitUntilIdle(world)
  server.control({ clearFaults: true })
  const findings = sentOnce(world, action)
  const isActive = isActiveThere(world, ref)
  if (done.ok && done.value.isDeprovisioned && isActive) findings.push('reported as done: it is active')
  const all = value(await person.call('companies.deprovisionings', { connectionId: CONNECTION_ID }))
  const kept = all.find((each) => each.company.endpointId === ref.endpointId)?.state ?? 'nothing'
  if (kept === 'done' && isActive) findings.push('kept as done: it is active')
  if (['denied', 'not-sent', 'nothing'].includes(kept) && !isActive) {
    findings.push(`kept as ${kept}, although it was done`)
  }
  return { end: kept, findings }
}

function isActiveThere({ server, storage }: CompanyWorld, { endpointId }: CompanyRef): boolean {
  const company = server.counters().state.companies.find((each) => each.endpointId === endpointId)
  return company?.isActive ?? ![...storage.entries()].some(([name]) => name === 'legacy/inactive')
}

function usersOf({ storage }: CompanyWorld): number {
  return [...storage.entries()].filter(([name]) => name.startsWith('user/')).length
}

function sentOnce({ server }: CompanyWorld, action: Action): string[] {
  const { method, path } = WRITES[action]
  const { requests } = server.counters()
  const sent = requests.filter((request) => request.method === method && path.test(request.path)).length
  return sent > 1 ? [`sent ${sent} times with one permission`] : []
}

/** Waits until no request is running, not even an abandoned one, so that the next action doesn't count it. */
async function waitUntilIdle({ person }: CompanyWorld): Promise<void> {
  await until(async () => {
    const queues = value(await person.call('activity.queues', {}))
    return queues.every(
      ({ running, waiting, paused, blockedUntil }) =>
        running === null && (waiting.length === 0 || paused !== null) && blockedUntil === null,
    )
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('Requests never finish.')
    await pause(8)
  }
}
