/**
 * What is done to companies rather than to records: a user created, a company provisioned or de-provisioned, at the
 * current service or the older one. Each act is held against what the service has in the end.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Provisioning } from '../../shared/contract/companies.ts'
import type { SampleStorage } from '../../electron/sample/storage.ts'
import { CONNECTION_ID } from './core-parts.ts'
import { pause, value } from './person.ts'
import type { World } from './world.ts'

/** With the place where the service keeps what it was told: the truth. */
export interface CompanyWorld extends World {
  readonly storage: SampleStorage
}

export const ACTS = ['create a user', 'provision', 'de-provision', 'de-provision (older)'] as const
export type Act = (typeof ACTS)[number]

/** Requests that each act sends, at most one of them by one word of the person. */
const WRITES: Readonly<Record<Act, { readonly method: string; readonly path: RegExp }>> = {
  'create a user': { method: 'POST', path: /\/v2\/manage\/user$/i },
  provision: { method: 'POST', path: /\/v2\/manage\/company$/i },
  'de-provision': { method: 'PATCH', path: /\/v2\/manage\/endpoint$/i },
  'de-provision (older)': { method: 'PATCH', path: /\/v1\/manage\/endpoint$/i },
}

/** How an act changes something. */
export function methodOf(act: Act): string {
  return WRITES[act].method
}

const LONGEST_WAIT = 60_000

/** What an act came to: how it ended, and what was found wrong. */
export interface ActEnd {
  readonly end: string
  readonly findings: readonly string[]
}

/** Answers null when there is nothing left to do it to. */
export async function perform(world: CompanyWorld, act: Act): Promise<ActEnd | null> {
  switch (act) {
    case 'create a user':
      return createUser(world)
    case 'provision':
      return provision(world)
    case 'de-provision':
    case 'de-provision (older)':
      return deprovision(world, act)
  }
}

async function createUser(world: CompanyWorld): Promise<ActEnd> {
  const before = usersOf(world)
  const created = await world.person.call('companies.createUser', { connectionId: CONNECTION_ID })
  await atRest(world)
  const made = usersOf(world) - before
  const findings = sentOnce(world, 'create a user')
  if (made > 1) findings.push(`doubled: ${made} users`)
  if (created.ok && made === 0) findings.push('reported as done: no user was created')
  const isInDoubt = !created.ok && /can’t be looked up/.test(created.error.advice)
  if (!created.ok && made > 0 && !isInDoubt) {
    findings.push(`done and nobody knows: ${created.error.kind} ${created.error.message}`)
  }
  return { end: created.ok ? 'done' : isInDoubt ? 'held' : 'not done', findings }
}

async function provision(world: CompanyWorld): Promise<ActEnd | null> {
  const { person, server } = world
  const before = new Set(endpointIds(world))
  const application = server.counters().state.files.find(({ isProvisioned }) => !isProvisioned)?.endpoint
  const known = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
  const userId = known.companies.find((each) => each.userId !== '')?.userId
  if (application === undefined || userId === undefined) return null
  const asked = { connectionId: CONNECTION_ID, application, userId, expectedFile: '', place: 'here' } as const
  const { provisioningId } = value(await person.call('companies.provision', asked))
  const current = async (): Promise<Provisioning> => {
    const all = value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))
    const found = all.find((each) => each.provisioningId === provisioningId)
    if (found === undefined) throw new Error('lost: the provisioning is in no list')
    return found
  }
  await until(async () => !['queued', 'sending'].includes((await current()).state))
  await atRest(world)
  // The person looks again once the way is free.
  server.control({ clearFaults: true })
  await person.call('activity.resume', { connectionId: CONNECTION_ID })
  const looked =
    (await current()).state === 'waiting'
      ? await person.call('companies.lookForProvisioned', { provisioningId })
      : null
  await atRest(world)
  const findings = sentOnce(world, 'provision')
  const { state, company } = await current()
  const more = endpointIds(world).filter((endpointId) => !before.has(endpointId))
  if (more.length > 1) findings.push(`doubled: ${more.length} companies`)
  const isThere = company !== null && more.includes(company.endpointId)
  if (state === 'arrived' && !isThere) findings.push('reported as arrived: it is not there')
  // Where the list before was not whole nobody can tell what is new, and that is said; and of two set-ups of one
  // user that are both waited for, the first is given what came of the second.
  const isSaid = state === 'waiting' && looked?.ok === false && looked.error.kind === 'not-found'
  const all = value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))
  const isFound = more.every((id) => all.some((each) => each.company?.endpointId === id))
  if (!isFound && !isSaid) findings.push(`${state}, although it is there`)
  return { end: isSaid ? 'can’t be told' : state, findings }
}

function endpointIds({ server }: CompanyWorld): readonly string[] {
  return server.counters().state.companies.map(({ endpointId }) => endpointId)
}

async function deprovision(
  world: CompanyWorld,
  act: 'de-provision' | 'de-provision (older)',
): Promise<ActEnd | null> {
  const { person, server } = world
  const version = act === 'de-provision' ? 'v2' : 'v1'
  const { companies } = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
  // The one whose books are open stays.
  const company = companies.find(
    ({ ref, isActive, listedBy }) =>
      isActive &&
      ref.endpointId !== person.company.endpointId &&
      (version === 'v1' ? listedBy === 'v1' : listedBy !== 'v1'),
  )
  if (company === undefined) return null
  const { ref, label, companyName } = company
  const typedName = label === '' ? companyName : label
  const done = await person.call('companies.deprovision', { company: ref, typedName })
  await atRest(world)
  server.control({ clearFaults: true })
  const findings = sentOnce(world, act)
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

function sentOnce({ server }: CompanyWorld, act: Act): string[] {
  const { method, path } = WRITES[act]
  const { requests } = server.counters()
  const sent = requests.filter((request) => request.method === method && path.test(request.path)).length
  return sent > 1 ? [`sent ${sent} times by one word`] : []
}

/** Nothing is on its way, and what was cut off has surely ended: a shut lane would let the next act count it. */
async function atRest({ person }: CompanyWorld): Promise<void> {
  await until(async () => {
    const lanes = value(await person.call('activity.lanes', {}))
    return lanes.every(
      ({ running, waiting, paused, shutUntil }) =>
        running === null && (waiting.length === 0 || paused !== null) && shutUntil === null,
    )
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + LONGEST_WAIT
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It never comes to rest.')
    await pause(8)
  }
}
