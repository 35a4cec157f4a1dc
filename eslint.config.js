// The rules of `npm run check:lint`. Prettier does the formatting. scripts/lint/rooms.ts says which room may import
// which, and test/unit/project/imports.test.ts shows that each kind of wrong import is reported.
import js from '@eslint/js'
import { defineConfig } from 'eslint/config'
import prettier from 'eslint-config-prettier'
import importSort from 'eslint-plugin-simple-import-sort'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import { importsRule } from './scripts/lint/imports.ts'
import { tokensRule } from './scripts/lint/tokens.ts'
import svelteConfig from './svelte.config.js'

/** Tools that load these files ask for a default export. */
const configurations = ['*.config.{js,ts}', '**/*.config.{js,ts}']

/** A default or namespace import of Electron would include ipcMain. */
const rawIpc = {
  name: 'electron',
  importNames: ['ipcMain', 'default'],
  message:
    'Register calls through shell/ipc.ts, which checks the sender, the input, and the result against the contract.',
}

const namedExportsOnly = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name, so that a thing has one name in every file.',
}

/** For files that use values whose types ESLint can't see. */
const untypedIsFine = {
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
}

/**
 * svelte-check checks the types of components. To ESLint, their props are `any`, and each component would make it check
 * the whole program again, which takes half of the total time. With BOOKBRIDGE_DEEP=1, it takes that time to find what
 * only types reveal, such as a promise that no one awaits.
 */
const componentsWithoutTypes = {
  files: ['**/*.svelte'],
  ...(process.env.BOOKBRIDGE_DEEP === '1'
    ? {
        rules: untypedIsFine,
      }
    : { extends: [ts.configs.disableTypeChecked] }),
}

const noAwaitBlock = {
  selector: 'SvelteAwaitBlock',
  message: 'Svelte 5.57 keeps what it has shown in it for good, page for page: use ui/Lazy.svelte.',
}

const LATE = [
  'CallExpression[callee.name=/^(setTimeout|requestAnimationFrame|\\$effect)$/]',
  "CallExpression[callee.property.name='then']",
  ':function[async=true]',
]
/** Focus that moves late may interrupt someone who is typing. */
const noLateFocus = LATE.map((late) => ({
  selector: `${late} CallExpression[callee.property.name='focus']`,
  message: 'Someone may be typing elsewhere by then. Use focusLate (renderer/ui/focus.ts).',
}))

const noTimedWait = {
  selector: "CallExpression[callee.property.name='waitForTimeout']",
  message: 'Wait for the result with expect or for an event. How long it takes depends on the computer.',
}
const noSleep = {
  ...noTimedWait,
  selector: "AwaitExpression > NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
}
const noSleepImport = {
  ...noTimedWait,
  selector: "ImportDeclaration[source.value='node:timers/promises']",
}

const noRealTime =
  'No test waits for real time or depends on it: use test/virtual-clock.ts, or wait for what happens.'

const noRawTime = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "MemberExpression[object.name='Date'][property.name='now']",
  "MemberExpression[object.name='performance'][property.name='now']",
].map((selector) => ({
  selector,
  message: 'Read the time from renderer/clock.ts, so that a test can set it.',
}))

/** `Date.now() - began` and the like. */
const noTimesTaken = ['Date', 'performance'].flatMap((clock) =>
  ['left', 'right'].map((side) => ({
    selector: `BinaryExpression[operator='-'][${side}.callee.object.name='${clock}'][${side}.callee.property.name='now']`,
    message: noRealTime,
  })),
)

export default defineConfig(
  { ignores: ['out/', 'dist/', 'node_modules/', 'coverage/', 'test-results/', 'playwright-report/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    plugins: {
      bookbridge: { rules: { imports: importsRule(import.meta.dirname), tokens: tokensRule } },
      'simple-import-sort': importSort,
    },
    languageOptions: {
      globals: { ...globals.node },
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      'bookbridge/imports': 'error',
      // Node first, then packages, then other folders, then this one.
      'simple-import-sort/imports': ['error', { groups: [['^\\u0000', '^node:', '^@?\\w', '^', '^\\.']] }],
      'no-restricted-syntax': ['error', namedExportsOnly],
      'no-restricted-imports': ['error', { paths: [rawIpc] }],
      eqeqeq: 'error',
      // Type checks that are empty if they pass ("nothing is missing") look redundant to these two rules.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      '@typescript-eslint/no-duplicate-type-constituents': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Text is split into code points on purpose: names are compared by the service's rules, not by glyphs.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // `() => void`, `void dependency` in an effect, and methods passed on from closures are fine here.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      globals: { ...globals.browser },
      parserOptions: { parser: ts.parser, svelteConfig },
    },
  },
  {
    // TypeScript itself reports unknown names. This rule knows neither types nor Svelte's runes.
    files: ['**/*.{ts,svelte}'],
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['renderer/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'].map((name) => ({
          name,
          message: 'The window reaches the main process only through api.ts.',
        })),
        ...['localStorage', 'sessionStorage', 'indexedDB'].map((name) => ({
          name,
          message: 'The main process stores data: preferences in settings, work in the store.',
        })),
      ],
    },
  },
  {
    files: ['electron/**'],
    ignores: ['electron/service/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'The service room is the only one that makes requests.' },
      ],
    },
  },
  {
    files: ['electron/**', 'renderer/**', 'shared/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['electron/shell/ipc.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [{ ...rawIpc, importNames: ['default'] }] }] },
  },
  {
    // The stand-in for Electron in the Chromium host has to export what Electron exports.
    files: ['test/chromium-host/**'],
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      'no-restricted-imports': 'off',
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-require-imports': 'off',
    },
  },
  {
    // Rows are in $state.raw, in plain maps and sets that are replaced as a whole.
    files: ['renderer/**'],
    rules: { 'svelte/prefer-svelte-reactivity': 'off' },
  },
  {
    // Neither Playwright nor this repository has types for what runs inside Electron or the page.
    files: ['test/**/*.spec.ts'],
    rules: untypedIsFine,
  },
  {
    files: ['test/e2e/**/*.ts', 'test/chromium-host/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', namedExportsOnly, noTimedWait] },
  },
  {
    files: ['test/**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', namedExportsOnly, noTimedWait, noSleep, noSleepImport] },
  },
  {
    files: ['test/**'],
    rules: { 'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }] },
  },
  {
    // Tests that drive separate processes, whose clocks can't be set, wait through the named helpers.
    files: ['test/{unit,contract,reliability}/**'],
    ignores: ['test/reliability/world/{person,fast-clock}.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval'].map((name) => ({ name, message: noRealTime })),
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            rawIpc,
            ...['timers', 'timers/promises', 'node:timers', 'node:timers/promises'].map((name) => ({
              name,
              message: noRealTime,
            })),
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'timeout', message: noRealTime },
      ],
      'no-restricted-syntax': ['error', namedExportsOnly, ...noTimesTaken],
    },
  },
  {
    files: configurations,
    rules: { 'no-restricted-syntax': 'off' },
  },
  componentsWithoutTypes,
  {
    files: ['**/*.svelte'],
    rules: {
      'bookbridge/tokens': 'error',
      'no-restricted-syntax': ['error', namedExportsOnly, noAwaitBlock, ...noLateFocus, ...noRawTime],
    },
  },
  {
    files: ['renderer/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', namedExportsOnly, ...noLateFocus, ...noRawTime] },
  },
  {
    files: ['renderer/clock.ts'],
    rules: { 'no-restricted-syntax': ['error', namedExportsOnly] },
  },
  {
    // A sandboxed preload script is CommonJS and has no other way to load modules.
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    extends: [ts.configs.disableTypeChecked],
  },
)
