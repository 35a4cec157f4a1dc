// A keyring for Linux machines that have none: build servers, containers, a login without a desktop. It runs
// GNOME's own keyring on a session bus of its own, so that the program talks to the real keychain by keytar.
// What it keeps is encrypted with a password of its own and outlives even a kill of everything.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findProgram, run, spawnTied, stop } from './parts/process.ts'

export type Keyring = {
  /** What a program needs in its environment to find this keyring. */
  readonly env: Readonly<Record<string, string>>
  /** Ends the keyring and its bus. What was stored stays in its folder. */
  close(): Promise<void>
}

/** What has to be installed for a keyring of our own. */
export const keyringPrograms = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'] as const

const secrets = '--dest=org.freedesktop.secrets'

/**
 * Starts a keyring that keeps its data in `folder` (made when missing) under `password`. Throws when the programs
 * are missing, when nothing answers within ten seconds, and when the folder was made with another password.
 */
export async function openKeyring(folder: string, password: string): Promise<Keyring> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // A socket's path may have 107 characters at most, so it can't lie in a folder that a person named.
  const sockets = await mkdtemp(join(tmpdir(), 'bookbridge-keyring-'))
  const configuration = join(sockets, 'bus.conf')
  await writeFile(configuration, busConfiguration(sockets))
  const bus = spawnTied(
    'dbus-daemon',
    ['--nofork', '--nopidfile', '--nosyslog', '--print-address=1', `--config-file=${configuration}`],
    // A group of its own, so that Ctrl+C in the terminal reaches the program before its keyring goes.
    { stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  )
  const close = async (): Promise<void> => {
    // The keyring ends by itself when its bus does.
    await stop(bus, 2_000)
    await rm(sockets, { recursive: true, force: true })
  }
  try {
    const address = await firstLine(bus.stdout)
    const env = { DBUS_SESSION_BUS_ADDRESS: address }
    const daemon = spawnTied(
      'gnome-keyring-daemon',
      ['--foreground', '--unlock', '--components=secrets', `--control-directory=${sockets}`],
      {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
        env: { ...process.env, ...env, XDG_DATA_HOME: folder },
      },
    )
    daemon.stdin?.end(password)
    await unlocked(env, folder)
    return { env, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A keyring for tests: empty at the start, gone at the end. */
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
 * The keyring that belongs to a user-data folder and is there again at the next start. Its password lies apart
 * from it, in the person's own data folder and readable by that person alone, so that a copied user-data folder
 * gives nothing away.
 */
export async function openKeyringOf(userData: string): Promise<Keyring> {
  return openKeyring(join(userData, 'keyring'), await keptPassword())
}

/** Whether this session already has a keyring that answers without waiting for somebody to type a password. */
export async function sessionHasKeyring(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  if (findProgram('dbus-send') === undefined) return false
  const state = await defaultCollection(process.env)
  const hasDesktop = Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
  // On a desktop a locked keyring asks its owner; anywhere else it would wait for ever.
  return state === 'open' || (state === 'locked' && hasDesktop)
}

/**
 * A bus that starts nothing by itself: a session's usual bus would answer the first question for a keyring by
 * starting another, locked one, in front of ours.
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

async function unlocked(env: Record<string, string>, folder: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const state = await defaultCollection({ ...process.env, ...env })
    if (state === 'open') return
    // It may be seen an instant before it is unlocked; after two seconds the password is the wrong one.
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
    run('dbus-send', ['--session', '--print-reply=literal', '--reply-timeout=2000', secrets, ...message], {
      output: 'keep',
      env,
    })
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

/** Made once. Two programs that start together must not each make one: the first to link its file in wins. */
async function keptPassword(): Promise<string> {
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
