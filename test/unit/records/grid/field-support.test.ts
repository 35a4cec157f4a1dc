/** Which fields an application supports: read once, and again on refresh or for another version. */
import { expect, test } from 'vitest'
import { createFieldSupport } from '../../../../electron/app/records/field-support.ts'
import type { ServiceClient } from '../../../../electron/service/protocol/wire.ts'
import { ok } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { storedCompany } from '../../writing/world.ts'
import { standIn } from '../list/stand-in.ts'

test('metadata is read again on request, and if the application has another version', async () => {
  const answers = [['Name'], ['Name', 'Phone'], ['Name', 'Phone', 'Email']]
  let asked = 0
  const client = standIn<ServiceClient>({
    read: () => Promise.resolve(ok({ paths: answers[asked++], types: new Map() })),
  })
  const support = createFieldSupport(client, { connections: () => [] })
  const company = storedCompany()
  expect(value(await support(company, 'customer')).paths).toEqual(['Name'])
  expect(value(await support(company, 'customer')).paths).toEqual(['Name'])
  expect(value(await support(company, 'customer', { refresh: true })).paths).toEqual(['Name', 'Phone'])
  // Sending uses the latest answer.
  expect(value(await support(company, 'customer')).paths).toEqual(['Name', 'Phone'])
  const updated = { ...company, version: 'another' }
  expect(value(await support(updated, 'customer')).paths).toEqual(['Name', 'Phone', 'Email'])
  expect(asked).toBe(3)
})
