/** The clipboard, and opening files outside the program, by Electron. */
import { clipboard, ClipboardItem, shell } from 'electron'
import type { Clipboard, SystemOpener } from '../app/ports.ts'
import { guideFile } from './protocol.ts'

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
  }
}
