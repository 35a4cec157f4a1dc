/**
 * The system's dialogs. In unattended runs, save dialogs answer with the proposed name in the folder of `--save-dir`.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type BrowserWindow, dialog, type MessageBoxOptions, type OpenDialogOptions } from 'electron'
import type { ConfirmationDialog, FolderDialog, OpenDialog, SaveDialog } from '../app/ports.ts'

const FILE_TYPE_NAMES = {
  csv: 'CSV',
  svg: 'SVG picture',
  png: 'PNG picture',
  xlsx: 'Excel workbook',
  pdf: 'PDF',
  txt: 'Text',
  zip: 'Backup',
} as const

export function createSaveDialog(window: () => BrowserWindow | null, saveDir: string | null): SaveDialog {
  return {
    async choose(proposedName, kind) {
      if (saveDir !== null) {
        mkdirSync(saveDir, { recursive: true })
        return freeName(saveDir, proposedName)
      }
      const options = {
        defaultPath: proposedName,
        filters: [{ name: FILE_TYPE_NAMES[kind], extensions: [kind] }],
      }
      const parent = window()
      const answer =
        parent === null ? await dialog.showSaveDialog(options) : await dialog.showSaveDialog(parent, options)
      return answer.canceled || answer.filePath === '' ? null : answer.filePath
    },
  }
}

/** Asks for a folder. Unattended runs answer with the folder of `--save-dir`. */
export function createFolderDialog(window: () => BrowserWindow | null, saveDir: string | null): FolderDialog {
  return {
    async choose() {
      if (saveDir !== null) {
        mkdirSync(saveDir, { recursive: true })
        return saveDir
      }
      const options: OpenDialogOptions = {
        title: 'Choose a folder for the files',
        buttonLabel: 'Save here',
        properties: ['openDirectory', 'createDirectory'],
      }
      const parent = window()
      const answer =
        parent === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(parent, options)
      return answer.canceled ? null : (answer.filePaths[0] ?? null)
    },
  }
}

export function createOpenDialog(window: () => BrowserWindow | null): OpenDialog {
  const choose = async (title: string, name: string, extensions: string[]): Promise<string | null> => {
    const options: OpenDialogOptions = {
      title,
      properties: ['openFile'],
      filters: [
        { name, extensions },
        { name: 'All files', extensions: ['*'] },
      ],
    }
    const parent = window()
    const answer =
      parent === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(parent, options)
    return answer.canceled ? null : (answer.filePaths[0] ?? null)
  }
  return {
    chooseCertificate: () =>
      choose('Choose a certificate file', 'Certificates (PEM)', ['pem', 'crt', 'cer', 'txt']),
    chooseTable: () =>
      choose('Choose a file to import', 'Excel workbooks and CSV', ['xlsx', 'xlsm', 'csv', 'tsv', 'txt']),
    chooseBackup: () => choose('Choose a backup to restore', 'Backups', ['zip']),
    chooseLogo: () => choose('Choose a logo', 'Pictures', ['png', 'jpg', 'jpeg']),
    chooseRunFile: () => choose('Choose a run file', 'Run files', ['json']),
  }
}

/** @param isUnattended no one sees a dialog, as in headless runs from a checkout, so the answer is yes */
export function createConfirmation(
  window: () => BrowserWindow | null,
  isUnattended: boolean,
): ConfirmationDialog {
  return {
    async ask({ message, detail, confirm }) {
      if (isUnattended) return true
      const options: MessageBoxOptions = {
        type: 'warning',
        message,
        detail,
        buttons: [confirm, 'Cancel'],
        defaultId: 1,
        cancelId: 1,
        noLink: true,
      }
      const parent = window()
      const answer =
        parent === null ? await dialog.showMessageBox(options) : await dialog.showMessageBox(parent, options)
      return answer.response === 0
    },
  }
}

/** Adds ` (2)` to a name that exists, since there is no one to ask. */
function freeName(folder: string, name: string): string {
  const ending = extname(name)
  const stem = name.slice(0, name.length - ending.length)
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : `${stem} (${String(number)})${ending}`)
    if (!existsSync(path)) return path
  }
}

/*
 * The dialog after an unexpected error: **Restart**, **Support file…**, or **Continue**. Only one is open at a time. The
 * log has every error.
 */

export interface CrashDialogOptions {
  readonly window: () => BrowserWindow | null
  /** Asks where to save the support file, and saves it. Never rejects. */
  readonly saveSupportFile: () => Promise<void>
  /** Quits the program and starts it again. */
  readonly restart: () => void
}

const BUTTONS = ['Restart', 'Support file…', 'Continue']
const [RESTART, SUPPORT, CONTINUE] = [0, 1, 2]

/** @returns a function that opens the dialog with a sentence about what happened */
export function createCrashDialog(options: CrashDialogOptions): (what: string) => void {
  let isAsking = false
  const ask = async (what: string): Promise<number> => {
    const question = {
      type: 'error' as const,
      title: 'Bookbridge',
      message: what,
      detail:
        'Your work is saved, and nothing will be sent automatically. Restart Bookbridge to be safe. ' +
        'Details are in bookbridge.log, without keys or records.',
      buttons: BUTTONS,
      defaultId: RESTART,
      cancelId: CONTINUE,
      noLink: true,
    }
    const parent = options.window()
    const answer =
      parent === null || parent.isDestroyed()
        ? await dialog.showMessageBox(question)
        : await dialog.showMessageBox(parent, question)
    return answer.response
  }
  return (what) => {
    if (isAsking) return
    isAsking = true
    void (async () => {
      let answer = await ask(what)
      while (answer === SUPPORT) {
        await options.saveSupportFile()
        answer = await ask(what)
      }
      isAsking = false
      if (answer === RESTART) options.restart()
    })()
  }
}
