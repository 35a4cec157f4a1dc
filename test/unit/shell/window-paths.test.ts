/** The window can name paths, but decides neither whom the program trusts nor which folders the system opens. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Handlers, runCall } from '../../../electron/app/calls.ts'
import { createProgram, createShowableFiles } from '../../../electron/app/program/program.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { standIn } from '../records/list/stand-in.ts'
import { testFolder } from '../writing/world.ts'
import { settingsCalls } from './settings-fixture.ts'

const ELSEWHERE = '\\\\evil.example\\share\\ca.pem'

test('the window can remove a file of certificates, but not choose one', async () => {
  const { handlers: calls, kept } = settingsCalls(
    { ...DEFAULT_SETTINGS, certificateFile: '/office/authority.pem' },
    null,
  )
  const handlers = calls as Handlers
  const named = await runCall(handlers, 'settings.set', { certificateFile: ELSEWHERE })
  expect(named.refused).toBe('invalid input: certificateFile invalid_value')
  expect(kept().certificateFile).toBe('/office/authority.pem')
  const cleared = await runCall(handlers, 'settings.set', { certificateFile: '', theme: 'dark' })
  expect(cleared.refused).toBeNull()
  expect(kept()).toMatchObject({ certificateFile: '', theme: 'dark' })
})

describe('a file is shown in its folder', () => {
  const userData = testFolder()
  const run = standIn<ReportRun>({
    folder: join(userData, 'reports'),
    files: [{ name: 'all.xlsx' }],
    items: [{ files: ['one.pdf'] }],
  })

  async function showing(path: string, savedBefore: readonly string[] = []) {
    const shown: string[] = []
    const opened: string[] = []
    let next = ''
    const showable = createShowableFiles({
      dialog: { choose: () => Promise.resolve(next === '' ? null : next) },
      userData,
      damagedFiles: () => ['/data/bookbridge.sqlite.damaged-1'],
      runs: () => [run],
    })
    for (next of ['', ...savedBefore]) await showable.dialog.choose('name', 'csv')
    const handlers = createProgram({
      accountName: '',
      facts: { version: '1', electronVersion: '1', isChromiumHost: true, platform: 'linux', locale: 'en' },
      userData,
      notices: [],
      damagedFiles: () => [],
      outside: {
        openGuide: () => Promise.resolve(''),
        showFile: (each) => shown.push(each),
        openFile: (each) => Promise.resolve((opened.push(each), '')),
      },
      isShowable: (each) => showable.has(each),
      licenseFiles: [],
      defect: () => undefined,
      reopen: () => undefined,
    }) as Handlers
    const { result } = await runCall(handlers, 'app.showFile', { path })
    expect(result.ok).toBe(shown.length === 1)
    // Documents among these can also be opened; programs and folders can’t.
    await runCall(handlers, 'app.openFile', { path })
    expect(opened).toEqual(shown.filter((each) => /\.(?:csv|pdf|xlsx)$/.test(each)))
    return shown
  }

  test.each([
    ['saved here', '/home/anna/list.csv'],
    ['saved here as another kind', '/home/anna/tool.exe'],
    ['set aside as damaged', '/data/bookbridge.sqlite.damaged-1'],
    ['a run’s', join(run.folder, 'one.pdf')],
    ['a run’s of several', join(run.folder, 'all.xlsx')],
    ['our own folder', userData],
  ])('when it was %s', async (_what, path) => {
    expect(await showing(path, ['/home/anna/list.csv', '/home/anna/tool.exe'])).toEqual([path])
  })

  test.each([ELSEWHERE, '', '/etc/passwd', '/home/anna/list.csv', join(run.folder, '..', 'other')])(
    'but no other: %s',
    async (path) => {
      expect(await showing(path)).toEqual([])
    },
  )
})
