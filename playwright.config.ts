// The end-to-end specs, and the Chromium host's own. Each spec starts its own program in a folder of its own; in the
// Chromium host, the specs of a worker share one browser process. Four workers make good use of two cores.
import { defineConfig } from '@playwright/test'

export default defineConfig({
  fullyParallel: true,
  workers: 4,
  // Specs of rarer paths, and those that take minutes, run only with larger numbers: `npm run test:deep`.
  ...(process.env['BOOKBRIDGE_DEEP'] === '1' ? {} : { grepInvert: /@deep/ }),
  // The bench measures times. These limits only end tests that hang, even on the slowest computer.
  timeout: 300_000,
  retries: 0,
  reporter: 'list',
  outputDir: 'test-results',
  expect: { timeout: 120_000 },
  projects: [
    { name: 'host', testDir: 'test/chromium-host' },
    { name: 'e2e', testDir: 'test/e2e' },
  ],
})
