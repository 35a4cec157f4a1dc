// A keyring for Linux computers without one: build servers, containers, and logins without a desktop. Runs GNOME's
// keyring on its own session bus, so that the program uses a real keychain through keytar. The data is encrypted with
// its own password, and survives a kill of every process.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findProgram, run, spawnWithParent, stop } from './parts/process.ts'

export type Keyring = {
  /** The environment variables that lead a program to this keyring. */
  readonly env: Readonly<Record<string, string>>
  /** Stops the keyring and its bus. The stored data stays in its folder. */
  close(): Promise<void>
}

/** The packages that a keyring needs. */
export const KEYRING_PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'] as const

const SECRETS_SERVICE = '--dest=org.freedesktop.secrets'

/**
 * Starts a keyring with its data in `folder`, which is created if missing. Throws if the programs are missing, if nothing
 * answers within ten seconds, or if the folder has another password.
 */
export async function openKeyring(folder: string, password: string): Promise<Keyring> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A socket's path has at most 107 characters, which a path in `folder` could exceed.
  const sockets = await mkdtemp(join(tmpdir(), 'bookbridge-keyring-'))
  const configuration = join(sockets, 'bus.conf')
  await writeFile(configuration, busConfiguration(sockets))
  const bus = spawnWithParent(
    'dbus-daemon',
    ['--nofork', '--nopidfile', '--nosyslog', '--print-address=1', `--config-file=${configuration}`],
    // In its own process group, so that Ctrl+C in the terminal doesn't stop the keyring before the program.
    { stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  )
  const close = async (): Promise<void> => {
    // The keyring stops when its bus does.
    await stop(bus, 2_000)
    await rm(sockets, { recursive: true, force: true })
  }
  try {
    const address = await firstLine(bus.stdout)
    const env = { DBUS_SESSION_BUS_ADDRESS: address }
    const daemon = spawnWithParent(
      'gnome-keyring-daemon',
      ['--foreground', '--unlock', '--components=secrets', `--control-directory=${sockets}`],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        env: { ...process.env, ...env, XDG_DATA_HOME: folder },
      },
    )
    daemon.stdin?.end(password)
    await waitUntilUnlocked(env, folder)
    return { env, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A keyring for tests, which starts empty and is deleted at the end. */
export async function openTemporaryKeyring(): Promise<Keyring> {
  const folder = await mkdtemp(join(tmpdir(), 'bookbridge-keys-'))
  const keyring = await openKeyring(folder, randomBytes(24).toString('base64url'))
  return {
    env: keyring.env,
    close: async () => {
      await keyring.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The permanent keyring of a user-data folder. Its password is stored outside that folder, readable only by the user, so
 * that a copy of the folder reveals nothing.
 */
export async function openPermanentKeyring(userData: string): Promise<Keyring> {
  return openKeyring(join(userData, 'keyring'), await loadOrCreatePassword())
}

/** Whether this session has a keyring that answers without waiting for a password. */
export async function sessionHasKeyring(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  if (findProgram('dbus-send') === undefined) return false
  const state = await defaultCollection(process.env)
  const hasDesktop = Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
  // On a desktop, a locked keyring prompts for its password. Without one, it would wait forever.
  return state === 'open' || (state === 'locked' && hasDesktop)
}

/**
 * A bus that starts no services. A usual session bus would answer the first request for a keyring by starting another,
 * locked one.
 */
function busConfiguration(folder: string): string {
  return `<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
}

async function waitUntilUnlocked(env: Record<string, string>, folder: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const state = await defaultCollection({ ...process.env, ...env })
    if (state === 'open') return
    // It may appear shortly before it is unlocked. If it is still locked after two seconds, the password is wrong.
    if (state === 'locked' && tries > 20) {
      throw new Error(
        `The keyring in ${folder} does not open with the password in ${passwordFile()}. ` +
          'Put the password back that it was made with, or move the folder away to begin a new keyring.',
      )
    }
    await wait(100)
  }
  throw new Error('The keyring did not start within ten seconds.')
}

async function defaultCollection(env: NodeJS.ProcessEnv): Promise<'none' | 'locked' | 'open'> {
  const ask = (...message: string[]) =>
    run(
      'dbus-send',
      ['--session', '--print-reply=literal', '--reply-timeout=2000', SECRETS_SERVICE, ...message],
      {
        output: 'keep',
        env,
      },
    )
  const alias = await ask(
    '/org/freedesktop/secrets',
    'org.freedesktop.Secret.Service.ReadAlias',
    'string:default',
  )
  const path = /\S+/.exec(alias.output)?.[0]
  if (alias.code !== 0 || path === undefined || path === '/') return 'none'
  const locked = await ask(
    path,
    'org.freedesktop.DBus.Properties.Get',
    'string:org.freedesktop.Secret.Collection',
    'string:Locked',
  )
  return locked.code === 0 && locked.output.includes('false') ? 'open' : 'locked'
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (stream === null) throw new Error('The session bus has no output.')
  const closed = once(stream, 'end').then(() => Promise.reject(new Error('The session bus did not start.')))
  const [piece] = (await Promise.race([once(stream, 'data'), closed])) as [Buffer]
  closed.catch(() => undefined)
  return piece.toString().trim()
}

function passwordFile(): string {
  const data = process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share')
  return join(data, 'bookbridge', 'keyring-password')
}

/** Reads the password, or creates it. If two programs start at the same time, the first one to link its file wins. */
async function loadOrCreatePassword(): Promise<string> {
  const file = passwordFile()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  const read = () => readFile(file, 'utf8').catch(() => undefined)
  const known = await read()
  if (known !== undefined) return known
  await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600 })
  await link(draft, file).catch(() => undefined)
  await rm(draft)
  const made = await read()
  if (made === undefined) throw new Error(`The keyring's password can't be kept in ${file}.`)
  return made
}
