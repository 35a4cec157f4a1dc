// What a program needs on a bare Linux computer: a keyring and, for Electron, a screen.
import { openKeyringOf, openTemporaryKeyring, sessionHasKeyring } from '../keyring.ts'
import { hasDisplay, openVirtualScreen } from './display.ts'

export type Surroundings = { readonly env: NodeJS.ProcessEnv; close(): Promise<void> }

/**
 * Starts what is missing. `keys` says where keys are stored: in this session's keyring or, if there is none, in one that
 * belongs to `userData`; or in a temporary one for tests.
 */
export async function openSurroundings(options: {
  readonly keys: { readonly of: string } | 'temporary'
  readonly screen: boolean
}): Promise<Surroundings> {
  const opened: Surroundings[] = []
  if (process.platform === 'linux') {
    if (options.keys === 'temporary') opened.push(await openTemporaryKeyring())
    else if (!(await sessionHasKeyring())) opened.push(await openKeyringOf(options.keys.of))
    if (options.screen && !hasDisplay()) opened.push(await openVirtualScreen())
  }
  return {
    env: Object.assign({}, process.env, ...opened.map((part) => part.env)) as NodeJS.ProcessEnv,
    close: async () => {
      await Promise.all(opened.map((part) => part.close()))
    },
  }
}
