/** Combines the two scripts that Chromium runs in each new document before the page's own. */
import { isolatedWorld, type IsolatedWorldOptions } from './isolated-world.ts'
import { mainWorld } from './main-world.ts'
import { makeValueCodec } from './wire-values.ts'
import { makeWorldEnd } from './world-end.ts'

export interface PageScripts {
  readonly mainWorld: string
  readonly isolatedWorld: string
}

/**
 * Functions are sent as source text, from which Node has already stripped the types.
 *
 * @param preload the text of the program's preload script, CommonJS; undefined for a window without one
 */
export function makePageScripts(options: IsolatedWorldOptions, preload: string | undefined): PageScripts {
  const body = `(require, process, module) => { const exports = module.exports;\n${preload ?? ''}\n}`
  return {
    mainWorld: callSource(mainWorld, [JSON.stringify(options.meetingEvent), String(makeWorldEnd)]),
    isolatedWorld: callSource(isolatedWorld, [
      JSON.stringify(options),
      String(makeValueCodec),
      String(makeWorldEnd),
      body,
    ]),
  }
}

function callSource(called: typeof mainWorld | typeof isolatedWorld, sources: readonly string[]): string {
  return `(${String(called)})(${sources.join(', ')})`
}
