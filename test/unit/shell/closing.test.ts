/** The program quits on request even if something hangs, and a failing part doesn't keep others open. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SettingsStore } from '../../../electron/app/ports.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createCore } from '../../../electron/core.ts'
import type { Rows } from '../../../electron/rows/rows.ts'
import { closeBeforeQuit, type ClosingOptions } from '../../../electron/shell/closing.ts'
import { openStore } from '../../../electron/store/store.ts'
import { coreOptions, memorySecrets } from '../../reliability/world/core-parts.ts'
import { value } from '../../result.ts'
import { VirtualClock } from '../../virtual-clock.ts'
import { standIn } from '../records/list/stand-in.ts'
import { testFolder } from '../writing/world.ts'

/** Quits like Electron: emits `before-quit` until no listener prevents it. */
function program(close: (clock: VirtualClock) => Promise<void>, isHanging = false) {
  const clock = new VirtualClock()
  const happened: string[] = []
  let mayQuit: (event: { preventDefault(): void }) => void = () => undefined
  let ended = (): void => undefined
  const app: ClosingOptions['app'] = {
    on(event: string, listener: (event: { preventDefault(): void }) => void) {
      if (event === 'will-quit') mayQuit = listener
      else ended = listener as () => void
    },
    quit() {
      const objections: true[] = []
      mayQuit({ preventDefault: () => objections.push(true) })
      if (objections.length > 0) return
      ended()
      happened.push('ended')
    },
  }
  closeBeforeQuit(
    {
      app,
      clock,
      close: () => close(clock),
      log: (where, cause) => happened.push(`${where}: ${String(cause)}`),
      isHanging: () => isHanging,
      kill: () => happened.push('killed'),
    },
    20_000,
  )
  return { app, clock, happened }
}

describe('quitting', () => {
  test('waits for what is open, and logs why it couldn’t be closed', async () => {
    const well = program((clock) => clock.sleep(5_000))
    well.app.quit()
    expect(well.happened).toEqual([])
    await well.clock.advance(40_000)
    expect(well.happened).toEqual(['ended'])
    const failing = program(() => Promise.reject(new Error('disk')))
    failing.app.quit()
    await failing.clock.settle()
    expect(failing.happened).toEqual(['closing: Error: disk', 'ended'])
  })

  test('waits no longer than its limit, and not for a hanging thread', async () => {
    const stuck = program(() => new Promise(() => undefined))
    stuck.app.quit()
    await stuck.clock.advance(40_000)
    expect(stuck.happened).toEqual(['closing: Error: not done within 20 s', 'killed'])
    const held = program(() => Promise.resolve(), true)
    held.app.quit()
    await held.clock.settle()
    expect(held.happened[0]).toBe('killed')
  })
})

test('every part is closed even if others fail, and each failure is logged', async () => {
  const folder = testFolder()
  const told: string[] = []
  const options = coreOptions(
    { userData: folder, queues: join(folder, 'connections'), state: null },
    standIn<SettingsStore>({
      get: () => DEFAULT_SETTINGS,
      connections: () => [],
      currentConnectionId: () => null,
    }),
    memorySecrets(null),
    (where, cause) => told.push(`${where}: ${String(cause)}`),
    { rows: { ...standIn<Rows>({}), close: () => Promise.reject(new Error('worker')) } },
  )
  await value(createCore(options)).close()
  expect(told).toEqual(['closing: Error: worker'])
  // The store was closed after that: it can be opened again.
  value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 })).close()
})
