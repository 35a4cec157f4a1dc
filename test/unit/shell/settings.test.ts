/** The settings file: damage is set aside with a notice, the rest is kept, and a failing disk doesn’t stop the program. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { platform } from 'node:process'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SavedConnection } from '../../../electron/app/ports.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createSystemClock } from '../../../electron/clock.ts'
import { value } from '../../result.ts'
import { fillDisk, mountSmallDisk } from '../../small-disk.ts'

vi.mock('electron', () => ({
  default: { app: { getPath: () => '', getVersion: () => '0.0.0' }, ipcMain: { on: () => undefined } },
}))

const { openSettings } = await import('../../../electron/shell/settings.ts')

const CONNECTION: SavedConnection = {
  connectionId: 'c1',
  name: 'Office',
  address: 'https://service.test',
  isSample: false,
  legacyAddress: '',
  settings: {},
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-settings-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  return folder
}

function folderWith(content: unknown): string {
  const folder = emptyFolder()
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(folder, 'settings.json'), text)
  return folder
}

function onDisk(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')) as Record<string, unknown>
}

function setAside(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('settings.json.damaged-'))
}

/** A separate disk; `null` if this account may not create one. */
function smallDisk(size: string): string | null {
  const folder = join(emptyFolder(), 'disk')
  const unmount = mountSmallDisk(folder, size)
  if (unmount === null) return null
  onTestFinished(unmount)
  return folder
}

describe('settings', () => {
  test('that were saved are there at the next start, readable only by their owner', () => {
    const folder = emptyFolder()
    const first = openSettings(folder, createSystemClock())
    expect(first.store.get()).toEqual(DEFAULT_SETTINGS)
    value(first.store.set({ theme: 'dark', batchSize: 10 }))
    value(first.store.setConnections([CONNECTION], 'c1'))
    const second = openSettings(folder, createSystemClock())
    expect(second.store.get()).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark', batchSize: 10 })
    expect(second.store.connections()).toEqual([CONNECTION])
    expect(second.store.currentConnectionId()).toBe('c1')
    expect(second.notices).toEqual([])
    if (platform !== 'win32') expect(statSync(join(folder, 'settings.json')).mode & 0o077).toBe(0)
  })

  test.each([
    ['cut off in the middle', '{"settings":{"theme":"da'],
    ['empty', ''],
    ['zeros, as after a power cut', '\0'.repeat(200)],
    ['a list', '[1,2]'],
    ['null', 'null'],
    ['a word', '"settings"'],
  ])('in a file that is %s are set aside; defaults are used, with a notice', (_what, text) => {
    const folder = folderWith(text)
    const { store, notices } = openSettings(folder, createSystemClock())
    expect(store.get()).toEqual(DEFAULT_SETTINGS)
    expect(store.connections()).toEqual([])
    const [name = ''] = setAside(folder)
    expect(notices).toMatchObject([{ kind: 'file', message: expect.stringContaining(name) as string }])
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
    value(store.set({ theme: 'light' }))
    expect(openSettings(folder, createSystemClock())).toMatchObject({ notices: [], store: {} })
    expect(openSettings(folder, createSystemClock()).store.get().theme).toBe('light')
  })

  test('lose only invalid values, which are named, and the original file is kept', () => {
    const folder = folderWith({
      settings: { theme: 'purple', batchSize: 10, readSeconds: '120', graceSeconds: 7 },
      connections: [CONNECTION, { connectionId: 7 }],
      currentConnectionId: ['c1'],
    })
    const { store, notices } = openSettings(folder, createSystemClock())
    expect(store.get()).toEqual({ ...DEFAULT_SETTINGS, batchSize: 10, graceSeconds: 7 })
    expect(store.connections()).toEqual([CONNECTION])
    expect(store.currentConnectionId()).toBe('c1')
    expect(notices).toHaveLength(1)
    for (const part of ['“theme”', '“readSeconds”', 'one connection', 'which connection was in use']) {
      expect(notices[0]?.message).toContain(part)
    }
    const [name = ''] = setAside(folder)
    expect(readFileSync(join(folder, name), 'utf8')).toContain('purple')
    expect(openSettings(folder, createSystemClock()).notices).toEqual([])
    expect(openSettings(folder, createSystemClock()).store.get().batchSize).toBe(10)
  })

  test.each([
    ['preferences', { settings: 'dark', connections: [CONNECTION] }],
    ['connections', { settings: { batchSize: 10 }, connections: { c1: CONNECTION } }],
  ])('with invalid %s keep the rest', (_what, content) => {
    const { store, notices } = openSettings(folderWith(content), createSystemClock())
    expect(notices).toHaveLength(1)
    expect(store.connections().length + (store.get().batchSize === 10 ? 1 : 0)).toBe(1)
  })

  test.each([
    { isSample: true },
    { address: 'http://service.test' },
    { address: 'https://name:word@service.test' },
    { address: 'https://service.test/?next=1' },
    { address: 'file:///etc' },
    { legacyAddress: 'http://service.test' },
    { address: '' },
  ])('lose a connection that could not have been created here: %j', (wrong) => {
    const folder = folderWith({ connections: [CONNECTION, { ...CONNECTION, connectionId: 'c2', ...wrong }] })
    expect(openSettings(folder, createSystemClock()).store.connections()).toEqual([CONNECTION])
  })

  test('that are too large are set aside unread', () => {
    const folder = folderWith(
      `${JSON.stringify({ connections: [CONNECTION] })}${' '.repeat(33 * 1024 * 1024)}`,
    )
    const { store, notices } = openSettings(folder, createSystemClock())
    expect(store.connections()).toEqual([])
    expect(notices[0]?.message).toMatch(/^The settings file was damaged\. It was set aside as /)
    expect(setAside(folder)).toHaveLength(1)
  })

  test('keep a connection that has only an older service', () => {
    const older = { ...CONNECTION, address: '', legacyAddress: 'https://older.test' }
    const folder = folderWith({ connections: [older] })
    expect(openSettings(folder, createSystemClock()).store.connections()).toEqual([older])
  })

  test('of a newer program keep unknown values whenever they are saved', () => {
    const folder = folderWith({
      settings: { batchSize: 10, density: 'airy' },
      connections: [{ ...CONNECTION, tenant: 't-1' }],
      currentConnectionId: 'c1',
      layout: { rail: 'wide' },
    })
    const { store, notices } = openSettings(folder, createSystemClock())
    expect(notices).toEqual([])
    value(store.set({ theme: 'dark' }))
    value(store.setConnections(store.connections(), 'c1'))
    expect(onDisk(folder)).toMatchObject({
      settings: { batchSize: 10, density: 'airy', theme: 'dark' },
      connections: [{ connectionId: 'c1', tenant: 't-1' }],
      layout: { rail: 'wide' },
    })
    expect(store.get()).not.toHaveProperty('density')
  })

  test('behind something other than a file are left alone, and the program starts', () => {
    const folder = emptyFolder()
    mkdirSync(join(folder, 'settings.json'))
    const { store, notices } = openSettings(folder, createSystemClock())
    expect(notices).toMatchObject([{ kind: 'file' }])
    expect(store.get()).toEqual(DEFAULT_SETTINGS)
    expect(store.set({ theme: 'dark' })).toMatchObject({ ok: false, error: { kind: 'file' } })
    expect(statSync(join(folder, 'settings.json')).isDirectory()).toBe(true)
  })
})

describe('a disk that fails', () => {
  test('if full: there is a notice, the saved file is intact, and saving works again once there is space', (context) => {
    const folder = smallDisk('512k')
    if (folder === null) {
      context.skip('this account may not mount a file system of its own')
      return
    }
    const { store } = openSettings(folder, createSystemClock())
    value(store.set({ theme: 'dark' }))
    fillDisk(folder)
    const columnStates = { customers: 'x'.repeat(20_000) }
    expect(store.set({ columnStates })).toMatchObject({
      ok: false,
      error: { kind: 'file', message: 'The settings couldn’t be saved.' },
    })
    expect(store.get()).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark' })
    expect(store.setConnections([{ ...CONNECTION, name: 'x'.repeat(20_000) }], 'c1').ok).toBe(false)
    expect(store.connections()).toEqual([])
    expect(openSettings(folder, createSystemClock())).toMatchObject({ notices: [] })
    expect(openSettings(folder, createSystemClock()).store.get().theme).toBe('dark')
    for (const name of readdirSync(folder).filter((each) => each.startsWith('filler-'))) {
      rmSync(join(folder, name))
    }
    value(store.set({ columnStates }))
    expect(openSettings(folder, createSystemClock()).store.get().columnStates).toEqual(columnStates)
  })

  test('if read-only: there is a notice about a damaged file at the start, and the program keeps running', (context) => {
    const folder = smallDisk('512k')
    if (folder === null) {
      context.skip('this account may not mount a file system of its own')
      return
    }
    for (const content of [
      '{"settings":',
      JSON.stringify({ settings: { theme: 'purple', batchSize: 10 } }),
    ]) {
      execFileSync('mount', ['-o', 'remount,rw', folder])
      writeFileSync(join(folder, 'settings.json'), content)
      execFileSync('mount', ['-o', 'remount,ro', folder])
      const { store, notices } = openSettings(folder, createSystemClock())
      expect(notices).toMatchObject([{ kind: 'file' }])
      expect(store.get().theme).toBe('system')
      expect(store.set({ theme: 'dark' })).toMatchObject({ ok: false, error: { kind: 'file' } })
      expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(content)
    }
  })
})
