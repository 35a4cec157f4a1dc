// `npm run setup`, which `npm start` and `npm test` run first: installs what the computer lacks if it may (as root on
// Debian and its relatives), and otherwise prints the exact command. Every command is printed before it runs. None of
// this is in an install script, because npm runs none (.npmrc).
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CHROMIUM_VARIABLE, chromiumPath, headlessShellPath } from '../test/chromium-host/launch.ts'
import { wallClockLibrary } from '../test/reliability/world/wall-clock.ts'
import { KEYRING_PROGRAMS, sessionHasKeyring } from './keyring.ts'
import { missingLibraries } from './parts/libraries.ts'
import { findProgram, formatCommand, printLine, run } from './parts/process.ts'

/** What a command is about to do, which decides what the computer needs. */
export type Purpose = {
  /** The path of Electron's executable. Without it, Chromium is needed. */
  readonly electron: string | undefined
  /** Whether a keyring will be started. Tests always start one; `npm start` does if the session has none. */
  readonly ownKeyring: boolean
  /** Whether Electron needs a virtual screen. */
  readonly virtualScreen: boolean
  /** Whether Chromium may run without a window. */
  readonly headless?: boolean
  /** Whether tests change the clock of a process (libfaketime). */
  readonly wallClock?: boolean
}

/**
 * Installs what is missing, or prints the command, and builds keytar if needed. Takes well under a second if nothing is
 * missing. Returns whether the computer has everything that `purpose` needs.
 */
export async function setUp(purpose: Purpose): Promise<boolean> {
  await usePlaywrightsChromium()
  const packages = await missingPackages(purpose)
  const installed = packages.length === 0 || (await installPackages(packages))
  const hasChromium = () => chromiumPath() !== undefined || headlessShellPath() !== undefined
  if (purpose.electron === undefined && !hasChromium()) await installChromium()
  const keychain = (await keytarLoads()) || (await buildKeytar())
  return installed && keychain && (purpose.electron !== undefined || hasChromium())
}

/** The missing Debian packages. Other systems have a keychain and need none. */
async function missingPackages(purpose: Purpose): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const missing: string[] = []
  const lacks = (program: string) => findProgram(program) === undefined
  if (!(await keytarLoads())) missing.push('libsecret-1-dev', 'python3', 'make', 'g++')
  if (purpose.ownKeyring && KEYRING_PROGRAMS.some(lacks)) missing.push('dbus', 'gnome-keyring')
  if (purpose.virtualScreen && lacks('Xvfb')) missing.push('xvfb')
  if (purpose.wallClock === true && wallClockLibrary() === null && (await isDebian()))
    missing.push('libfaketime')
  if (purpose.electron !== undefined) missing.push(...(await missingLibraries(purpose.electron)))
  else if (await isDebian()) {
    if (purpose.headless === true && headlessShellPath() === undefined)
      missing.push('chromium-headless-shell')
    else if (chromiumPath() === undefined) missing.push('chromium')
    if (chromiumPath() === undefined) missing.push('fonts-liberation')
  }
  const there = await Promise.all(missing.map(isPackageInstalled))
  return missing.filter((_, index) => there[index] !== true)
}

async function isPackageInstalled(name: string): Promise<boolean> {
  const { code, output } = await run('dpkg-query', ['--show', '--showformat=${Status}', name], {
    output: 'keep',
  })
  return code === 0 && output.startsWith('install ok installed')
}

async function installPackages(packages: readonly string[]): Promise<boolean> {
  const commands = [
    ['apt-get', 'update'],
    ['apt-get', 'install', '--yes', '--no-install-recommends', ...packages],
  ] as const
  if (findProgram('apt-get') === undefined) {
    printLine(`Missing on this machine, by Debian's names: ${packages.join(' ')}`)
    return false
  }
  const typed = commands.map(([command, ...args]) => formatCommand(command, args))
  if (process.getuid?.() !== 0) {
    printLine(`Missing on this machine. Please run: ${typed.map((line) => `sudo ${line}`).join(' && ')}`)
    return false
  }
  for (const [index, [command, ...args]] of commands.entries()) {
    printLine(`> ${typed[index]}`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const { code } = await run(command, ['-o', 'DPkg::Lock::Timeout=120', ...args], { output: 'show', env })
    if (code !== 0) {
      printLine(`That did not work (exit code ${code}). Please run: ${typed.join(' && ')}`)
      return false
    }
  }
  return true
}

/** If there is no package (Ubuntu's is a snap), installs Playwright's own Chromium, which doesn't need root. */
async function installChromium(): Promise<void> {
  const command = ['playwright', 'install', ...(process.getuid?.() === 0 ? ['--with-deps'] : []), 'chromium']
  printLine(`> ${formatCommand('npx', command)}`)
  const { code } = await run('npx', command, { output: 'show' })
  if (code !== 0)
    printLine(`Chromium is missing. Please install it, or run: ${formatCommand('npx', command)}`)
  await usePlaywrightsChromium()
}

/** Makes the host use Playwright's Chromium if the system has none. */
async function usePlaywrightsChromium(): Promise<void> {
  if (chromiumPath() !== undefined) return
  const { chromium } = await import('@playwright/test')
  const path = chromium.executablePath()
  if (existsSync(path)) process.env[CHROMIUM_VARIABLE] = path
}

/** npm runs no install scripts here, so keytar comes without its library, or with an older one. */
async function keytarLoads(): Promise<boolean> {
  const { code } = await run(process.execPath, ['-e', "require('keytar')"], { output: 'keep' })
  return code === 0
}

/** Compiles keytar from the sources in the lock file. Its own install script would download a library. */
async function buildKeytar(): Promise<boolean> {
  const command = ['node-gyp', 'rebuild', '--directory=node_modules/keytar']
  const headers = nodeHeaders()
  const env = headers === undefined ? process.env : { ...process.env, npm_config_nodedir: headers }
  printLine(`> ${formatCommand('npx', command)}`)
  const { code, output } = await run('npx', command, { output: 'keep', env })
  if (code === 0 && (await keytarLoads())) return true
  printLine(output)
  printLine(`The keychain's library keytar could not be built. Please run: ${formatCommand('npx', command)}`)
  return false
}

/**
 * The Node headers on this computer, so that keytar's build needs no download. keytar uses Node-API, which is stable
 * across versions, so the headers of the Node that runs npm will do.
 */
function nodeHeaders(): string | undefined {
  return [process.execPath, process.env['npm_node_execpath'] ?? process.execPath, '/usr/bin/node']
    .map((node) => dirname(dirname(node)))
    .find((folder) => existsSync(join(folder, 'include', 'node', 'node_api.h')))
}

async function isDebian(): Promise<boolean> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return /^ID=["']?debian/m.test(release)
}

if (process.argv[1] === import.meta.filename) {
  const complete = await setUp({
    electron: undefined,
    ownKeyring: !(await sessionHasKeyring()),
    virtualScreen: false,
  })
  if (complete) printLine('This machine has all that Bookbridge needs.')
  process.exitCode = complete ? 0 : 1
}
