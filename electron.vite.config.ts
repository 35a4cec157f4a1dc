// How the program is built: main (with its workers) as ES modules, the preload as one CommonJS bundle
// (a sandboxed preload can't load anything else), the window as static files for the app:// handler.
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import { resolve } from 'node:path'

const here = import.meta.dirname

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      lib: { entry: 'electron/main.ts', formats: ['es'] },
      rolldownOptions: {
        input: {
          main: resolve(here, 'electron/main.ts'),
          'rows-worker': resolve(here, 'electron/rows/rows-worker.ts'),
          'sample-worker': resolve(here, 'electron/sample/sample-worker.ts'),
        },
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
    plugins: [svelte()],
    build: {
      outDir: 'out/renderer',
      assetsInlineLimit: 0,
      rolldownOptions: { input: resolve(here, 'renderer/index.html') },
    },
  },
})
