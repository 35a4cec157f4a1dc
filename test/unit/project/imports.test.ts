// The rules about imports between rooms. Each kind of rule is broken once.
import { resolve } from 'node:path'
import { ESLint } from 'eslint'
import ts from 'typescript-eslint'
import { describe, expect, test } from 'vitest'
import { importsRule } from '../../../scripts/lint/imports.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Only the rule under test, so that no types are computed. The real configuration is tested below. */
const justArrows = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parser: ts.parser },
    plugins: { bookbridge: { rules: { imports: importsRule(root) } } },
    rules: { 'bookbridge/imports': 'error' },
  },
})

async function complaints(file: string, code: string): Promise<string[]> {
  const [result] = await justArrows.lintText(code, { filePath: resolve(root, file) })
  return result?.messages.map((message) => message.message) ?? ['not linted']
}

describe('a forbidden import is reported', () => {
  const wrong: [file: string, code: string, words: string][] = [
    [
      'renderer/records/records.ts',
      "import { open } from '../../electron/app/records/records.ts'",
      'electron/app',
    ],
    [
      'renderer/ui/Button.svelte.ts',
      "import { session } from '../frame/session.svelte.ts'",
      'renderer/frame',
    ],
    [
      'renderer/frame/session.svelte.ts',
      "import { x } from '../companies/list/rows.ts'",
      'renderer/companies',
    ],
    [
      'renderer/reports/report.svelte.ts',
      "import { x } from '../records/list/reader.svelte.ts'",
      'renderer/records',
    ],
    [
      'renderer/activity/log.ts',
      "import type { X } from '../settings/SettingsScreen.svelte'",
      'renderer/settings',
    ],
    ['renderer/main.ts', "import { tour } from '../scripts/tour.ts'", 'not part of the program'],
    [
      'renderer/records/api.ts',
      "import { contract } from '../../shared/contract/contract.ts'",
      'only types of',
    ],
    ['electron/app/records/records.ts', "import { api } from '../../renderer/api.ts'", 'renderer'],
    ['electron/app/records/records.ts', "import { window } from '../../shell/window.ts'", 'electron/shell'],
    [
      'electron/app/records/records.ts',
      "import type { Window } from '../../shell/window.ts'",
      'electron/shell',
    ],
    ['electron/app/records/records.ts', "export { window } from '../../shell/window.ts'", 'electron/shell'],
    ['electron/app/records/records.ts', "export * from '../../shell/window.ts'", 'electron/shell'],
    ['electron/app/records/records.ts', "await import('../../shell/window.ts')", 'electron/shell'],
    ['electron/app/records/records.ts', "type W = import('../../shell/window.ts').Window", 'electron/shell'],
    ['electron/app/deep/records.ts', "require('../../shell/window.ts')", 'electron/shell'],
    ['electron/app/records/records.ts', "import { main } from '../../main.ts'", 'electron/main.ts'],
    ['electron/app/records/records.ts', "import { server } from '../../test/fixtures/server.ts'", 'not part'],
    ['electron/shell/window.ts', "import { journal } from '../store/journal.ts'", 'electron/store'],
    ['electron/shell/window.ts', "import { client } from '../service/client.ts'", 'electron/service'],
    ['electron/writing/runner.ts', "import { rows } from '../rows/rows.ts'", 'electron/rows'],
    ['electron/writing/runner.ts', "import { app } from '../app/records.ts'", 'electron/app'],
    [
      'electron/service/queue/scheduler.ts',
      "import { journal } from '../../store/journal.ts'",
      'electron/store',
    ],
    ['electron/rows/rows.ts', "import { client } from '../service/client.ts'", 'electron/service'],
    [
      'electron/store/journal/journal.ts',
      "import { client } from '../../service/client.ts'",
      'electron/service',
    ],
    [
      'electron/store/blocked-queues.ts',
      "import { pickNext } from '../service/queue/request-queue.ts'",
      'only types of',
    ],
    ['electron/files/csv/csv.ts', "import { journal } from '../../store/journal.ts'", 'electron/store'],
    ['electron/sample/books.ts', "import { parse } from '../../shared/format/money.ts'", 'shared'],
    ['electron/sample/books.ts', "import { client } from '../service/client.ts'", 'electron/service'],
    [
      'electron/app/program/sample.ts',
      "new URL('../../sample/sample-worker.ts', import.meta.url)",
      'electron/sample',
    ],
    ['electron/preload.ts', "import { contract } from '../shared/contract/contract.ts'", 'only types of'],
    ['electron/preload.ts', "import { app } from './app/records.ts'", 'electron/app'],
    [
      'shared/format/money.ts',
      "import { journal } from '../../electron/store/journal/journal.ts'",
      'electron/store',
    ],
    ['shared/format/money.ts', "import { contract } from '../contract/contract.ts'", 'only types of'],
    ['electron/app/records/records.ts', "import { app } from 'electron'", "'electron'"],
    ['electron/core.ts', "import { app } from 'electron/main'", "'electron/main'"],
    ['electron/app/records/records.ts', "import { createCore } from '../../core.ts'", 'electron/core.ts'],
    ['electron/rows/rows.ts', "import { wire } from '../service/protocol/wire.ts'", 'only types of'],
    ['electron/app/connection.ts', "import keytar from 'keytar'", "'keytar'"],
    ['electron/app/program/settings.ts', "import Store from 'electron-store'", "'electron-store'"],
    ['renderer/records/grid.ts', "import { createGrid } from 'ag-grid-community'", "'ag-grid-community'"],
    ['renderer/records/form.ts', "import * as z from 'zod'", "'zod'"],
    ['electron/writing/records/states.ts', "import * as z from 'zod/mini'", "'zod/mini'"],
    ['electron/app/records/records.ts', "import { DatabaseSync } from 'node:sqlite'", "'node:sqlite'"],
    ['electron/app/records/records.ts', "import { request } from 'undici'", "'undici'"],
    ['electron/shell/updates.ts', "import { ofetch } from 'ofetch'", "'ofetch'"],
    ['electron/rows/rows.ts', "import { get } from 'node:https'", "'node:https'"],
    ['renderer/api.ts', "import { readFile } from 'node:fs/promises'", "'node:fs/promises'"],
    ['shared/format/money.ts', "import { readFile } from 'node:fs/promises'", "'node:fs/promises'"],
    ['electron/preload.ts', "import { readFile } from 'node:fs/promises'", "'node:fs/promises'"],
  ]
  test.each(wrong)('%s: %s', async (file, code, words) => {
    const said = await complaints(file, code)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(words)
  })
})

describe('an allowed import passes', () => {
  const right: [file: string, code: string][] = [
    ['renderer/records/records.ts', "import { parse } from '../../shared/format/money.ts'"],
    ['renderer/records/records.ts', "import { call } from '../api.ts'"],
    ['renderer/records/records.ts', "import { x } from '../history/history.svelte.ts'"],
    ['renderer/activity/Now.ts', "import { outcomeOf } from '../companies/unfinished.ts'"],
    ['renderer/reports/a.ts', "import '../frame/session.svelte.ts'; import '../ui/text/search.ts'"],
    ['renderer/App.svelte.ts', "await import('./reports/ReportsScreen.svelte')"],
    ['renderer/records/api.ts', "import type { Contract } from '../../shared/contract/contract.ts'"],
    ['renderer/records/Records.ts', "await import('../ui/grid/RecordsGrid.svelte')"],
    ['renderer/ui/grid/create.ts', "import { createGrid } from 'ag-grid-community'"],
    ['electron/main.ts', "import { app } from 'electron'; import './core.ts'"],
    ['electron/main.ts', "new URL('./rows-worker.js', import.meta.url)"],
    ['electron/core.ts', "import { journal } from './store/journal.ts'"],
    ['electron/rows/rows.ts', "import type { RawResponse } from '../service/protocol/wire.ts'"],
    ['electron/main.ts', "new URL('./sample/sample-worker.ts', import.meta.url)"],
    [
      'electron/preload.ts',
      "import { contextBridge } from 'electron'; import '../shared/contract/channels.ts'",
    ],
    ['electron/shell/window.ts', "import { app } from 'electron'; import '../app/ports.ts'"],
    ['electron/shell/keys/keychain.ts', "import keytar from 'keytar'"],
    [
      'electron/app/records/records.ts',
      "import { rows } from '../rows/rows.ts'; import '../writing/runner.ts'",
    ],
    ['electron/writing/runner.ts', "import { journal } from '../store/journal.ts'"],
    ['electron/rows/rows.ts', "import { decode } from '../service/protocol/envelope.ts'"],
    ['electron/service/transport/transport.ts', "import { request } from 'undici'; import './envelope.ts'"],
    ['electron/store/journal/journal.ts', "import { DatabaseSync } from 'node:sqlite'"],
    ['electron/sample/books.ts', "import { DatabaseSync } from 'node:sqlite'; import './company.ts'"],
    ['shared/contract/contract.ts', "import * as z from 'zod'; import './money.ts'"],
    ['test/e2e/first-hour.spec.ts', "import { main } from '../../electron/main.ts'"],
    ['scripts/start.ts', "import { x } from '../test/chromium-host/launch.ts'"],
  ]
  test.each(right)('%s: %s', async (file, code) => {
    expect(await complaints(file, code)).toEqual([])
  })
})

describe('the configuration that npm run check uses', () => {
  const configured = new ESLint({ cwd: root })

  /** The severity and options that the repository's own configuration has for a rule in a file. */
  async function rule(file: string, name: string): Promise<unknown> {
    const config: unknown = await configured.calculateConfigForFile(resolve(root, file))
    return (config as { rules: Record<string, unknown> }).rules[name]
  }

  test('applies the import rules in every room', async () => {
    for (const file of ['electron/app/a.ts', 'renderer/a.ts', 'renderer/A.svelte', 'shared/a.ts']) {
      expect(await rule(file, 'bookbridge/imports')).toEqual([2])
    }
  })

  test('rejects the raw ipcMain, any, non-null assertions, default exports, and console', async () => {
    expect(JSON.stringify(await rule('electron/shell/window.ts', 'no-restricted-imports'))).toContain(
      'ipcMain',
    )
    expect(JSON.stringify(await rule('electron/shell/ipc.ts', 'no-restricted-imports'))).not.toContain(
      'ipcMain',
    )
    expect(await rule('electron/app/a.ts', '@typescript-eslint/no-explicit-any')).toMatchObject([2])
    expect(await rule('electron/app/a.ts', 'no-console')).toMatchObject([2, {}])
    expect(await rule('electron/app/a.ts', '@typescript-eslint/no-non-null-assertion')).toEqual([2])
    expect(await rule('electron/app/a.ts', 'no-restricted-syntax')).toMatchObject([
      2,
      { selector: 'ExportDefaultDeclaration' },
    ])
  })
})
