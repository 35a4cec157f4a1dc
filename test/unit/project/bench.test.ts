/** Whether the bench measures or refuses to, by what other programs used of the processors. */
import { expect, test } from 'vitest'
import { decide } from '../../../scripts/parts/idle.ts'

test('an idle computer is measured at once', () => {
  expect(decide([0.02])).toBe('measure')
  expect(decide([0.1])).toBe('measure')
})

test('a computer that was busy is measured once it is idle', () => {
  expect(decide([])).toBe('sample again')
  expect(decide([0.9, 0.11])).toBe('sample again')
  expect(decide([0.9, 0.11, 0.04])).toBe('measure')
})

test('a computer that stays busy is not measured', () => {
  const busy = Array.from({ length: 8 }, () => 0.5)
  expect(decide(busy.slice(1))).toBe('sample again')
  expect(decide(busy)).toBe('refuse')
  expect(decide([...busy.slice(1), 0.03])).toBe('measure')
})
