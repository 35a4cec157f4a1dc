// What the window asks of its engine is something that the engine knows: a flag that it does not is passed over in
// silence, and the window would stutter as before.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { prepareWindowEngine } from '../../electron/shell/window-engine.ts'

function asked(): string[] {
  const switches = new Map<string, string>()
  prepareWindowEngine({
    commandLine: { appendSwitch: (name, value) => void switches.set(name, value) },
  })
  return (switches.get('js-flags') ?? '').split(' ')
}

function startsWith(flags: readonly string[]): boolean {
  return spawnSync(process.execPath, [...flags, '--eval', '0']).status === 0
}

test('the engine knows each flag that it is given', () => {
  expect(asked().filter((flag) => !startsWith([flag]))).toEqual([])
  expect(startsWith(['--no-such-flag=1'])).toBe(false)
})
