// Which part of the program may import which, as data for the lint rule in `imports.ts`. In the renderer, the app imports
// the screens, and each screen the frame and the kit.

/** A part of the program with its own list of what it may import. */
export type Room = {
  readonly name: string
  /** Matches the paths of the room's files, relative to the repository, with `/` on every system. */
  readonly files: RegExp
  /** The other rooms it may import. Its own files are always allowed. */
  readonly mayImport: readonly string[]
  /** Rooms whose types it may import. Types add nothing to the bundle. */
  readonly mayImportTypesOf?: readonly string[]
}

/** The service room, its two parts that decode large answers, and what its queues need from the disk. */
const service = [
  'electron/service',
  'electron/service/envelope',
  'electron/service/wire',
  'electron/service/request-queue',
] as const

/** What every room in electron may import, except the sample. */
const common = ['electron/clock.ts', 'shared', 'shared/contract'] as const

const everyRoom = [
  'electron/shell',
  'electron/app',
  'electron/writing',
  ...service,
  'electron/rows',
  'electron/store',
  'electron/files',
  'electron/review',
  'electron/tidy',
  'electron/sample',
  ...common,
] as const

/** What every part of the window may import. */
const window = ['renderer/api.ts', 'renderer/clock.ts', 'shared'] as const

/** The kit that screens and frame share. */
const kit = ['renderer/ui', 'renderer/ui/grid'] as const

/** The screens, and the files of each that other screens may import. */
const screens = [
  {
    name: 'companies',
    offers:
      /^renderer\/companies\/(unfinished\.ts|list\/IncompleteList\.svelte|review\/ReviewSettings\.svelte)$/,
  },
  { name: 'records', offers: /^$/ },
  { name: 'all-companies', offers: /^$/ },
  { name: 'reports', offers: /^renderer\/reports\/runs\/(OutputFields\.svelte|output\.svelte\.ts)$/ },
  { name: 'activity', offers: /^$/ },
  { name: 'settings', offers: /^renderer\/settings\/backup\/RestoreBackup\.svelte$/ },
  {
    name: 'history',
    offers:
      /^renderer\/history\/(HistoryPanel\.svelte|HistoryDialogs\.svelte|ReceiptButton\.svelte|SaveHistoryDialog\.svelte|history\.svelte\.ts|format-history\.ts)$/,
  },
  { name: 'sample', offers: /^renderer\/sample\/ResetSample\.svelte$/ },
] as const

const offeredRooms = screens.map(({ name }) => `renderer/${name} (offered)`)

/** In order of precedence: the first matching pattern decides a file's room. */
export const rooms: readonly Room[] = [
  // The contract includes zod. The window and the preload script need only its types and the channel names.
  { name: 'shared/contract', files: /^shared\/contract\/(?!channels\.ts)/, mayImport: ['shared'] },
  { name: 'shared', files: /^shared\//, mayImport: [], mayImportTypesOf: ['shared/contract'] },
  { name: 'electron/clock.ts', files: /^electron\/clock\.ts$/, mayImport: [] },
  // The composition root: the program without a window, and the shell around it.
  { name: 'electron/core.ts', files: /^electron\/core(?:\/|\.ts$)/, mayImport: everyRoom },
  {
    name: 'electron/main.ts',
    files: /^electron\/main\.ts$/,
    mayImport: ['electron/core.ts', ...everyRoom],
  },
  {
    name: 'electron/preload.ts',
    files: /^electron\/preload\.ts$/,
    mayImport: ['shared'],
    mayImportTypesOf: ['shared/contract'],
  },
  { name: 'electron/shell', files: /^electron\/shell\//, mayImport: ['electron/app', ...common] },
  {
    name: 'electron/app',
    files: /^electron\/app\//,
    mayImport: [
      'electron/writing',
      ...service,
      'electron/rows',
      'electron/store',
      'electron/files',
      'electron/review',
      ...common,
    ],
  },
  {
    name: 'electron/writing',
    files: /^electron\/writing\//,
    mayImport: [...service, 'electron/store', ...common],
  },
  {
    name: 'electron/service/envelope',
    files: /^electron\/service\/protocol\/envelope\.ts$/,
    mayImport: [...service, ...common],
  },
  {
    name: 'electron/service/wire',
    files: /^electron\/service\/protocol\/wire\.ts$/,
    mayImport: [...service, ...common],
  },
  {
    name: 'electron/service/request-queue',
    files: /^electron\/service\/queue\/request-queue\.ts$/,
    mayImport: [...service, ...common],
  },
  { name: 'electron/service', files: /^electron\/service\//, mayImport: [...service, ...common] },
  {
    name: 'electron/rows',
    files: /^electron\/rows\//,
    mayImport: ['electron/service/envelope', 'electron/tidy', ...common],
    mayImportTypesOf: ['electron/service/wire'],
  },
  {
    name: 'electron/store',
    files: /^electron\/store\//,
    mayImport: common,
    mayImportTypesOf: ['electron/service/request-queue'],
  },
  { name: 'electron/files', files: /^electron\/files\//, mayImport: common },
  // Pure rules over readings.
  { name: 'electron/review', files: /^electron\/review\//, mayImport: ['electron/tidy', ...common] },
  // Pure: finds what could be tidied in a list's records.
  { name: 'electron/tidy', files: /^electron\/tidy\//, mayImport: common },
  // The sample shares nothing with the program, so it can't share its mistakes.
  { name: 'electron/sample', files: /^electron\/sample\//, mayImport: [] },
  {
    name: 'renderer/ui/grid',
    files: /^renderer\/ui\/grid\//,
    mayImport: ['renderer/ui', ...window],
    mayImportTypesOf: ['shared/contract'],
  },
  {
    name: 'renderer/ui',
    files: /^renderer\/ui\//,
    mayImport: ['renderer/ui/grid', ...window],
    mayImportTypesOf: ['shared/contract'],
  },
  {
    name: 'renderer/api.ts',
    files: /^renderer\/api\.ts$/,
    mayImport: ['shared'],
    mayImportTypesOf: ['shared/contract'],
  },
  { name: 'renderer/clock.ts', files: /^renderer\/clock\.ts$/, mayImport: [] },
  {
    name: 'renderer/frame',
    files: /^renderer\/frame\//,
    mayImport: [...kit, ...window],
    mayImportTypesOf: ['shared/contract'],
  },
  ...screens.map(({ name, offers }) => ({
    name: `renderer/${name} (offered)`,
    files: offers,
    mayImport: [`renderer/${name}`, 'renderer/frame', ...kit, ...window, ...offeredRooms],
    mayImportTypesOf: ['shared/contract'],
  })),
  ...screens.map(({ name }) => ({
    name: `renderer/${name}`,
    files: new RegExp(`^renderer/${name}/`),
    mayImport: ['renderer/frame', ...kit, ...window, ...offeredRooms],
    mayImportTypesOf: ['shared/contract'],
  })),
  // The app itself: main.ts and App.svelte, which load every screen.
  {
    name: 'renderer',
    files: /^renderer\//,
    mayImport: [
      'renderer/frame',
      ...kit,
      ...window,
      ...offeredRooms,
      ...screens.map(({ name }) => `renderer/${name}`),
    ],
    mayImportTypesOf: ['shared/contract'],
  },
]

/** Packages and built-in modules that only some rooms may use. Everything else is free. */
export type Reserved = {
  readonly modules: RegExp
  readonly onlyIn: RegExp
  readonly reason: string
}

export const reserved: readonly Reserved[] = [
  {
    modules: /^electron(\/|$)/,
    onlyIn: /^electron\/(shell|preload\.ts|main\.ts)/,
    reason: 'only the shell, the preload and the composition root know Electron',
  },
  {
    modules: /^(keytar|electron-store|electron-updater)(\/|$)/,
    onlyIn: /^electron\/shell/,
    reason: 'the shell stores keys and preferences and downloads updates',
  },
  {
    modules: /^ag-grid-/,
    onlyIn: /^renderer\/ui\/grid/,
    reason: 'AG Grid stays in one folder, so that it can be replaced and loaded on demand',
  },
  {
    modules: /^zod(\/|$)/,
    onlyIn: /^(shared\/contract|electron\/(shell|store|files)($|\/))/,
    reason: 'zod checks calls, files, and settings; inside, types are trusted',
  },
  {
    modules: /^(node:)?sqlite(\/|$)/,
    onlyIn: /^electron\/(store|sample)/,
    reason: 'SQL lives in the store',
  },
  {
    modules: /^(undici|ofetch|(node:)?(http|https|http2|net|tls|dgram))(\/|$)/,
    onlyIn: /^electron\/service/,
    reason: 'the service room is the only one that makes requests',
  },
  {
    modules: /^node:/,
    onlyIn: /^electron\/(?!preload)/,
    reason: 'this code also runs outside Node',
  },
]
