/** Which files the window may have shown in their folder: it names a path, but only one that is ours or was chosen here. */
import { join, resolve } from 'node:path'
import type { ReportJob } from '../../shared/reports/jobs.ts'
import type { SaveDialog } from './ports.ts'

export interface ShowableFiles {
  /** The save dialog that remembers what was chosen in it for as long as the program runs. */
  readonly dialog: SaveDialog
  has(path: string): boolean
}

/** A page that was taken over could else have the system look into any folder, also into a stranger's share. */
export function createShowableFiles(options: {
  readonly dialog: SaveDialog
  readonly userData: string
  readonly damagedFiles: () => readonly string[]
  /** Jobs of this and earlier runs: their folders were chosen in a dialog. */
  readonly jobs: () => readonly ReportJob[]
}): ShowableFiles {
  const chosen = new Set<string>()
  return {
    dialog: {
      async choose(proposedName, kind) {
        const path = await options.dialog.choose(proposedName, kind)
        if (path !== null) chosen.add(path)
        return path
      },
    },
    has: (path) =>
      chosen.has(path) ||
      path === options.userData ||
      options.damagedFiles().includes(path) ||
      options.jobs().some((job) => namesOf(job).some((name) => join(job.folder, name) === resolve(path))),
  }
}

/** Of all that a job writes, and the folder itself, which is shown while nothing is written. */
function namesOf({ files, items }: ReportJob): readonly string[] {
  return ['.', ...files.map(({ name }) => name), ...items.flatMap((item) => item.files)]
}
