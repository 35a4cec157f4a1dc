/** Puts the two scripts together that Chromium runs in each new document before the page's own. */
import { isolatedWorld, type IsolatedWorldOptions } from './isolated-world.ts'
import { mainWorld } from './main-world.ts'
import { makeValueCodec } from './wire-values.ts'
import { makeWorldEnd } from './world-end.ts'

export interface PageScripts {
  readonly mainWorld: string
  readonly isolatedWorld: string
}

/**
 * Functions are sent as their source: Node has taken the types out of it when it loaded the file.
 *
 * @param preload the text of the program's preload script, CommonJS; undefined for a window without one
 */
export function makePageScripts(options: IsolatedWorldOptions, preload: string | undefined): PageScripts {
  const body = `(require, process, module) => { const exports = module.exports;\n${preload ?? ''}\n}`
  const isolatedArguments = [JSON.stringify(options), makeValueCodec, makeWorldEnd, body]
  return {
    mainWorld: `(${mainWorld})(${JSON.stringify(options.meetingEvent)}, ${makeWorldEnd})`,
    isolatedWorld: `(${isolatedWorld})(${isolatedArguments.join(', ')})`,
  }
}
