/** What the use cases need of this machine, as Electron gives it: its clipboard, and what opens outside. */
import { join } from 'node:path'
import { ClipboardItem, clipboard, shell } from 'electron'
import type { GuidePage } from '../../shared/contract/app.ts'
import type { Clipboard, Outside } from '../app/ports.ts'

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

/** @param mainFolder that of the main bundle, from which the guide is found */
export function createOutside(mainFolder: string): Outside {
  return {
    openGuide: (page) => shell.openPath(guideFile(mainFolder, page)),
    showFile: (path) => {
      shell.showItemInFolder(path)
    },
  }
}

// Where the guide lies that ships with the program.

/** The file of a page, to be opened by the system. `mainFolder` is that of the main bundle. */
export function guideFile(mainFolder: string, page: GuidePage): string {
  // No other program can look into the archive: the guide lies beside it (electron-builder.yml, asarUnpack).
  const outside = mainFolder.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
  return join(outside, '../guide', `${page}.html`)
}
