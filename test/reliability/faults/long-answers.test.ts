/**
 * Responses with extremely long text: whatever the service sends, each call's answer still fits the contract. An answer
 * that doesn't is a defect, and the window would get no other message.
 */
import { expect, test } from 'vitest'
import type { CallName } from '../../../shared/contract/contract.ts'
import { value } from '../../result.ts'
import { LIST } from '../world/person.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'
import type { World } from '../world/world.ts'

const LONG = 'long '.repeat(1_000)
const LONG_WORD = 'w'.repeat(5_000)

const ERROR = { Code: LONG_WORD, Message: LONG, Severity: LONG, Detail: LONG }
const RECORD = {
  ID: LONG_WORD,
  Name: LONG,
  FullName: LONG,
  EditSequence: LONG_WORD,
  Phone: LONG,
  [LONG_WORD]: LONG,
  TermsRef: { ID: LONG_WORD, FullName: LONG, [LONG_WORD]: LONG },
}
const REPORT = {
  ReportType: LONG,
  StartDate: LONG,
  EndDate: LONG,
  Columns: ['', LONG, 'Total'],
  ReportLineData: [
    { RowType: 'DataRow', EntityRef: { FullName: LONG, ID: LONG_WORD }, Values: ['1'.repeat(3_000), '2.00'] },
    { RowType: 'SubtotalRow', EntityRef: { FullName: `Total ${LONG}`, ID: '' }, Values: ['3.00', LONG] },
  ],
}
const COMPANY = {
  companyName: LONG,
  fullPath: LONG,
  version: LONG,
  dateTimeCreated: LONG,
  dateTimeLastAccess: LONG,
  endpoint: LONG,
  endpointId: LONG_WORD,
  id: LONG,
  isActive: true,
  userId: LONG,
  externalId: LONG,
  appName: LONG,
  token: LONG,
}

/** From now on, the service responds with this envelope. */
function answering({ server }: World, method: string, path: string, envelope: object): void {
  const text = JSON.stringify({ RequestId: LONG_WORD, HasErrors: true, ...envelope })
  server.addFaults({ match: { method, path }, times: 0, fault: { kind: 'body', text } })
}

/** Makes every call that the window makes when the user looks at its screens. */
async function lookAround({ person }: World): Promise<void> {
  const { company } = person
  const { connectionId } = company
  const calls: [CallName, object][] = [
    ['companies.list', { connectionId }],
    ['records.drafts', { company, object: LIST }],
    ['records.batches', { company, object: LIST }],
    ['activity.queues', {}],
    ['activity.log', { connectionId: null, before: null, limit: 100 }],
    ['activity.unfinished', { connectionId }],
    [
      'history.entries',
      { connectionId, company: null, object: '', outcome: null, text: '', cursor: '', limit: 100 },
    ],
  ]
  for (const [name, input] of calls)
    expect(await person.call(name, input as never), name).toMatchObject({ ok: true })
  for (const { batchId, operationId } of await person.operations()) {
    const which = { of: 'batch', batchId } as const
    value(await person.call('history.records', { which, outcome: null, text: '', cursor: '', limit: 100 }))
    value(await person.call('history.requests', { operationId }))
  }
}

test.for([
  ['errors alone', { Contents: [], Errors: [ERROR, LONG] }],
  ['errors of records', { Contents: [{ Object: null, Errors: [ERROR], Kind: LONG }], Errors: null }],
  ['records with errors', { Contents: [{ Object: RECORD, Errors: [ERROR], Kind: LONG }], Errors: [ERROR] }],
  ['records', { Contents: [{ Object: RECORD, Errors: null, Kind: LONG }], Errors: null, HasErrors: false }],
] as const)('a list of %s', async ([, envelope], { onTestFinished }) => {
  const world = await startVirtualWorld(onTestFinished)
  answering(world, 'GET', `/${LIST}`, envelope)
  await world.person.read()
  await lookAround(world)
  expect(world.running.defects).toEqual([])
})

test.for([
  ['a refusal', { Contents: [{ Object: null, Errors: [ERROR], Kind: LONG }], Errors: null }],
  ['an error of the whole', { Contents: [], Errors: [ERROR] }],
  [
    'the record itself, with a long id and long notes',
    {
      Contents: [
        {
          Object: { ...RECORD, Name: 'Long', FullName: 'Long', Phone: '555-long', Notes: LONG.repeat(30) },
          Errors: null,
          Kind: LONG,
        },
      ],
      Errors: null,
      HasErrors: false,
    },
  ],
  ['another record', { Contents: [{ Object: RECORD, Errors: null, Kind: LONG }], Errors: null }],
] as const)('a write: %s', async ([, envelope], { onTestFinished }) => {
  const world = await startVirtualWorld(onTestFinished)
  const { person, ledger } = world
  const draftId = await ledger.insert(person, 'd1', 'Long', '555-long')
  answering(world, 'POST', '/v2/data/', envelope)
  ledger.allowSend([draftId])
  value(await person.send([draftId]))
  await person.settle()
  await lookAround(world)
  expect(world.running.defects).toEqual([])
})

test.for([
  [
    'a report with errors beside it',
    { Contents: [{ Object: REPORT, Errors: [ERROR], Kind: LONG }], Errors: null },
  ],
  ['a report', { Contents: [{ Object: REPORT, Errors: null, Kind: LONG }], Errors: null, HasErrors: false }],
] as const)('%s', async ([, envelope], { onTestFinished }) => {
  const world = await startVirtualWorld(onTestFinished)
  answering(world, 'GET', 'selectReport', envelope)
  const { company } = world.person
  const period = { from: '2026-01-01', to: '2026-03-31' }
  value(await world.person.call('reports.select', { company, name: 'ProfitAndLoss', ...period }))
  await lookAround(world)
})

test('a list of companies', async ({ onTestFinished }) => {
  const world = await startVirtualWorld(onTestFinished)
  answering(world, 'GET', '/v2/manage/', { Contents: [{ Object: COMPANY, Errors: null }], Errors: null })
  const { connectionId } = world.person.company
  await world.person.call('companies.refresh', { connectionId })
  await lookAround(world)
})
