// How the program is built: main (with its workers) as ES modules, the preload as one CommonJS bundle
// (a sandboxed preload can't load anything else), the window as static files for the app:// handler.
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { writeGuide } from './scripts/parts/guide.ts'
import { licensesOf, packagesOf, runtimePackages } from './scripts/parts/licenses.ts'

const here = import.meta.dirname

/** Writes the list of files that the app:// handler serves. Nothing else can be requested. */
function listFiles(): Plugin {
  return {
    name: 'bookbridge:list-files',
    writeBundle(options, bundle) {
      const names = Object.keys(bundle)
        .filter((name) => !name.endsWith('.map'))
        .toSorted()
      writeFileSync(resolve(options.dir ?? '', 'files.json'), JSON.stringify(names, null, 1))
    },
  }
}

/** Writes the licenses of a bundle's packages, and of `more` packages, to `out/main`, where Settings reads them. */
function listLicenses(file: string, more: () => readonly string[]): Plugin {
  return {
    name: 'bookbridge:list-licenses',
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
      const folder = resolve(here, 'out/main')
      mkdirSync(folder, { recursive: true })
      const licenses = licensesOf([...packagesOf(modules), ...more()])
      writeFileSync(resolve(folder, file), JSON.stringify(licenses))
    },
  }
}

/** Makes the guide that ships beside the program. */
function makeGuide(): Plugin {
  return {
    name: 'bookbridge:make-guide',
    writeBundle: () => writeGuide(here, resolve(here, 'out/guide')),
  }
}

export default defineConfig({
  main: {
    plugins: [listLicenses('licenses-main.json', () => runtimePackages(here)), makeGuide()],
    build: {
      outDir: 'out/main',
      // One bundle starts in half the time of a dozen packages.
      externalizeDeps: false,
      lib: { entry: 'electron/main.ts', formats: ['es'] },
      rolldownOptions: {
        input: {
          main: resolve(here, 'electron/main.ts'),
          'rows-worker': resolve(here, 'electron/rows/rows-worker.ts'),
          'import-worker': resolve(here, 'electron/files/import/import-worker.ts'),
          'sample-worker': resolve(here, 'electron/sample/sample-worker.ts'),
        },
        external: ['electron', 'keytar'],
        output: { entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      lib: { entry: 'electron/preload.ts', formats: ['cjs'] },
      rolldownOptions: { output: { entryFileNames: 'preload.cjs' } },
    },
  },
  renderer: {
    root: 'renderer',
    base: './',
    html: { cspNonce: '__CSP_NONCE__' },
    plugins: [
      svelte({ configFile: resolve(here, 'svelte.config.js') }),
      listFiles(),
      listLicenses('licenses-window.json', () => []),
    ],
    build: {
      outDir: 'out/renderer',
      // Halves what is read and compiled at each start.
      minify: true,
      assetsInlineLimit: 0,
      rolldownOptions: { input: resolve(here, 'renderer/index.html') },
    },
  },
})
