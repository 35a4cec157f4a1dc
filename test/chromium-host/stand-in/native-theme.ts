/** `nativeTheme`: light and dark as the program sets it. "system" follows Chromium's default. */
import type { NativeTheme } from 'electron'
import { HostEmitter } from './strict.ts'

export class HostNativeTheme
  extends HostEmitter
  implements Pick<NativeTheme, 'themeSource' | 'shouldUseDarkColors' | 'shouldUseHighContrastColors'>
{
  #source: NativeTheme['themeSource'] = 'system'
  readonly shouldUseHighContrastColors = false
  readonly shouldUseInvertedColorScheme = false
  readonly inForcedColorsMode = false
  readonly prefersReducedTransparency = false

  constructor() {
    super('nativeTheme', ['updated'])
  }

  get themeSource(): NativeTheme['themeSource'] {
    return this.#source
  }

  set themeSource(source: NativeTheme['themeSource']) {
    if (source === this.#source) return
    this.#source = source
    this.emit('updated')
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark'
  }

  /** For the pages: the value of `prefers-color-scheme` to enforce; empty for the machine's own. */
  get colorScheme(): '' | 'light' | 'dark' {
    return this.#source === 'system' ? '' : this.#source
  }
}
