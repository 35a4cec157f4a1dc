/** The program itself: what it is, and the two ways out of it, the guide in the system's browser and a file's folder. */
import { readFile } from 'node:fs/promises'
import type { Licence } from '../../shared/contract/app.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { HandlersOf } from './handlers.ts'
import type { Outside, ProgramFacts } from './ports.ts'

export function createProgram(options: {
  readonly facts: ProgramFacts
  /** The folder of everything that is ours on this computer. */
  readonly userData: string
  /** What is said to the person once, at the start. */
  readonly notices: readonly AppError[]
  readonly damagedFiles: () => readonly string[]
  readonly outside: Outside
  /** Whether the window may have this file shown. */
  readonly isShowable: (path: string) => boolean
  /** What the build wrote of the licences of all that ships. */
  readonly licenceFiles: readonly URL[]
  readonly defect: (where: string, cause: unknown) => void
  readonly reopen: () => void
}): HandlersOf<'app'> {
  const { facts, userData, notices, outside } = options
  return {
    'app.about': () => ok({ ...facts, userData, notices, damagedFiles: options.damagedFiles() }),
    'app.openGuide': async ({ page }) => {
      const raw = await outside.openGuide(page)
      if (raw === '') return ok({})
      const advice = 'Choose a browser for files that end in .html, and try again.'
      return err(appError('file', 'The guide can’t be opened.', advice, { raw }))
    },
    'app.licences': () => readLicences(options.licenceFiles),
    'app.reportDefect': ({ name, message, stack }) => {
      options.defect('window', Object.assign(new Error(message), { name, stack }))
      return ok({})
    },
    'app.restart': () => {
      options.reopen()
      return ok({})
    },
    'app.showFile': ({ path }) => {
      if (!options.isShowable(path)) {
        const advice = 'Only what was saved since the program started can be shown from here.'
        return err(appError('invalid-input', 'There is no file to show.', advice))
      }
      outside.showFile(path)
      return ok({})
    },
  }
}

/** One list by name; a package that is in two bundles stands there once. */
async function readLicences(files: readonly URL[]): Promise<Result<readonly Licence[]>> {
  try {
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    const all = texts.flatMap((text) => JSON.parse(text) as readonly Licence[])
    const once = new Map(all.map((each) => [`${each.name} ${each.version}`, each]))
    return ok([...once.values()].toSorted((left, right) => left.name.localeCompare(right.name)))
  } catch (cause) {
    const raw = cause instanceof Error ? cause.message : String(cause)
    return err(appError('file', 'The licences can’t be read.', 'Install Bookbridge anew.', { raw }))
  }
}
