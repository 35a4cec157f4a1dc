// What a program needs from a desktop session and a bare Linux computer lacks: a keyring and, for Electron, a screen.
import { openPermanentKeyring, openTemporaryKeyring, sessionHasKeyring } from '../keyring.ts'
import { hasDisplay, openVirtualScreen } from './display.ts'

export type DesktopServices = { readonly env: NodeJS.ProcessEnv; close(): Promise<void> }

/**
 * Starts what is missing. `keys` says where keys are stored: `temporary` uses a new keyring for tests. Otherwise it is
 * the session's keyring or, without one, the permanent keyring of a user-data folder.
 */
export async function openDesktopServices(options: {
  readonly keys: { readonly userData: string } | 'temporary'
  readonly screen: boolean
}): Promise<DesktopServices> {
  const opened: DesktopServices[] = []
  if (process.platform === 'linux') {
    if (options.keys === 'temporary') opened.push(await openTemporaryKeyring())
    else if (!(await sessionHasKeyring())) opened.push(await openPermanentKeyring(options.keys.userData))
    if (options.screen && !hasDisplay()) opened.push(await openVirtualScreen())
  }
  return {
    env: Object.assign({}, process.env, ...opened.map((part) => part.env)) as NodeJS.ProcessEnv,
    close: async () => {
      await Promise.all(opened.map((part) => part.close()))
    },
  }
}
