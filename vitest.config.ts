// Unit tests (plain functions) and contract tests (the sample service, real SQLite, real files) run in Node.
// What needs a window is in test/e2e and is run by Playwright.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/{unit,contract,reliability}/**/*.test.ts'],
    pool: 'forks',
    // One core less is Vitest's own choice; these tests wait much, for deadlines and for the disk.
    maxWorkers: 2,
    // With larger numbers a test takes as long as it takes.
    testTimeout: process.env['BOOKBRIDGE_DEEP'] === '1' ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // So that its `electron` can be a stand-in: outside of Electron the package of that name holds only a path.
    server: { deps: { inline: ['electron-store'] } },
  },
})
