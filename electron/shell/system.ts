/** The computer around the program: its user, the clipboard, opening files elsewhere, and commands of its scheduler. */
import { execFile } from 'node:child_process'
import { homedir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { app, clipboard, ClipboardItem, shell } from 'electron'
import type { Clipboard, CommandOutcome, SchedulerHost, SystemCommand, SystemOpener } from '../app/ports.ts'
import type { Flags } from './flags.ts'
import { guideFile } from './protocol.ts'

/** The name of the user who is signed in to this computer; empty if the system has none. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

export function createClipboard(): Clipboard {
  return {
    read: () => clipboard.readText(),
    write: async (text) => {
      if (text === '') clipboard.clear()
      else await clipboard.writeText(text)
    },
    writePicture: async (bytes) => {
      const picture = new Blob([new Uint8Array(bytes)], { type: 'image/png' })
      await clipboard.write([new ClipboardItem({ 'image/png': picture })])
    },
  }
}

/** @param mainFolder the main bundle's folder, which locates the guide */
export function createSystemOpener(mainFolder: string): SystemOpener {
  return {
    openGuide: (page) => shell.openPath(guideFile(mainFolder, page)),
    showFile: (path) => {
      shell.showItemInFolder(path)
    },
    openFile: (path) => shell.openPath(path),
  }
}

// Facts about this computer for its scheduler, and running the scheduler's commands.

/** The time limit of a system command, in milliseconds. */
const COMMAND_TIMEOUT_MS = 30_000
/** Environment variables that cron doesn't pass, and that Electron and the keychain need. */
const SESSION_VARIABLES = [
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
] as const

/** @param ownVariables environment variables of a checkout, kept for the runs that a scheduler starts */
export function createSchedulerHost(flags: Flags, ownVariables: readonly string[]): SchedulerHost {
  const { env, platform } = process
  const home = homedir()
  const variables = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
  return {
    platform,
    home,
    configFolder: env['XDG_CONFIG_HOME'] ?? join(home, '.config'),
    user: platform === 'win32' ? `${env['USERDOMAIN'] ?? '.'}\\${userInfo().username}` : userInfo().username,
    userId: userInfo().uid,
    program: {
      command: app.getPath('exe'),
      args: [
        ...(app.isPackaged ? [] : [app.getAppPath()]),
        ...(flags.userDataDir === null ? [] : [`--user-data-dir=${resolve(flags.userDataDir)}`]),
        ...(flags.isHeadless ? ['--headless'] : []),
      ],
    },
    sessionVariables: variables(SESSION_VARIABLES),
    ownVariables: app.isPackaged ? {} : variables(ownVariables),
    run: runCommand,
  }
}

function runCommand({ command, args, input }: SystemCommand): Promise<CommandOutcome> {
  const { promise, resolve: resolveOutcome } = Promise.withResolvers<CommandOutcome>()
  // The messages are parsed, so they must be in English.
  const env = { ...process.env, LC_ALL: 'C' }
  const child = execFile(
    command,
    [...args],
    { env, timeout: COMMAND_TIMEOUT_MS, windowsHide: true },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code
      resolveOutcome({ exitCode: typeof code === 'number' ? code : null, stdout, stderr })
    },
  )
  // The command may end before it has read all input. Its exit code shows that.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input ?? '')
  return promise
}
