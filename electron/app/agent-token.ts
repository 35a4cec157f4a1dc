/**
 * A company's agent token (decisions.md): listed again for each copy, put on the clipboard by this process, and taken
 * off after a minute and at quitting unless something else is there by then. The window never has it.
 */
import { ok, type Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { Clipboard } from './ports.ts'

export interface AgentToken {
  /** Answers after how many seconds it leaves the clipboard. */
  copy(token: string): Promise<{ readonly clearsInSeconds: number }>
  clear(): Promise<Result<Record<string, never>>>
}

const SECONDS = 60

export function createAgentToken(clipboard: Clipboard, clock: Clock): AgentToken {
  let copied: { readonly token: string; readonly cancel: () => void } | null = null

  const clear: AgentToken['clear'] = async () => {
    if (copied === null) return ok({})
    const { token, cancel } = copied
    copied = null
    cancel()
    if ((await clipboard.read()) === token) await clipboard.write('')
    return ok({})
  }

  return {
    clear,
    async copy(token) {
      await clear()
      await clipboard.write(token)
      copied = { token, cancel: clock.after(SECONDS * 1_000, () => void clear()) }
      return { clearsInSeconds: SECONDS }
    },
  }
}
