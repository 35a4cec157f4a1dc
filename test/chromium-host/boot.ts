/**
 * The entry point of the Chromium host, in place of Electron's executable: reads the command line, replaces the
 * `electron` module with the stand-in, loads the program, and starts Chromium.
 */
import { readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { createRequire, flushCompileCache, registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readCommandLine } from './command-line.ts'

const ELECTRON_NAMES = new Set(['electron', 'electron/main', 'electron/common'])
const standIn = pathToFileURL(join(import.meta.dirname, 'electron.ts')).href

registerHooks({
  resolve: (specifier, context, next) =>
    ELECTRON_NAMES.has(specifier)
      ? { url: standIn, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})

// As in Electron, the arguments begin right after the executable. Playwright's loader depends on this.
process.argv = [process.execPath, ...process.argv.slice(2)]
const { requires, inspect, program } = readCommandLine(process.argv.slice(1))
Object.defineProperty(process, 'type', { value: 'browser' })
Object.defineProperty(process, 'defaultApp', { value: true })
const require = createRequire(import.meta.url)
const { version } = require('../../node_modules/electron/package.json') as { readonly version: string }
Object.defineProperty(process.versions, 'electron', { value: version, enumerable: true })

// Prints the line by which Playwright finds the debugger.
if (inspect) inspector.open(0)

const { app, recordPrinting, startChromium } = await import('./electron.ts')
recordPrinting()
for (const script of requires) require(script)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())
process.on('uncaughtException', (error) => {
  // As in Electron, a program with its own listener decides itself.
  if (process.listenerCount('uncaughtException') > 1) return
  process.stderr.write(`Uncaught: ${error.stack ?? error.message}\n`)
  app.exit(1)
})

const folder = resolve(program)
const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly main: string }
await import(pathToFileURL(join(folder, main)).href)
await startChromium()
// Saves compiled code for the next start now, because this process may be killed.
flushCompileCache()
