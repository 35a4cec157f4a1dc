// What a program needs around it on a bare Linux machine: a keyring and, for Electron, a screen.
import { openKeyringOf, openTemporaryKeyring, sessionHasKeyring } from '../keyring.ts'
import { hasDisplay, openVirtualScreen } from './display.ts'

export type Surroundings = { readonly env: NodeJS.ProcessEnv; close(): Promise<void> }

/**
 * Opens what is missing around a program. `keys` says where its keys are kept: in the keyring of this session, or,
 * where that has none, in one that belongs to `userData`; or in one that is thrown away after the tests.
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
