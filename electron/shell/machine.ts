/** The computer around the program: its user, the clipboard, and opening files elsewhere. */
import { userInfo } from 'node:os'
import { clipboard, ClipboardItem, shell } from 'electron'
import type { Clipboard, SystemOpener } from '../app/ports.ts'
import { guideFile } from './protocol.ts'

/** The name with which somebody signed in to this computer. Empty where the system has none. */
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
  }
}
