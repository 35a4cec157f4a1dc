/** The program itself: what it is, and the two ways out of it, a page in the system's browser and a file's folder. */
import type { AppError } from '../../shared/result.ts'
import { appError, err, ok } from '../../shared/result.ts'
import type { HandlersOf } from './handlers.ts'
import type { Outside, ProgramFacts } from './ports.ts'

export function createProgram(options: {
  readonly facts: ProgramFacts
  /** The folder of everything that is ours on this computer. */
  readonly userData: string
  /** What is said to the person once, at the start. */
  readonly notices: readonly AppError[]
  readonly outside: Outside
  readonly defect: (where: string, cause: unknown) => void
  readonly reopen: () => void
}): HandlersOf<'app'> {
  const { facts, userData, notices, outside } = options
  return {
    'app.about': () => ok({ ...facts, userData, notices }),
    'app.openLink': async ({ link }) => {
      await outside.openPage(link)
      return ok({})
    },
    'app.reportDefect': ({ name, message, stack }) => {
      options.defect('window', Object.assign(new Error(message), { name, stack }))
      return ok({})
    },
    'app.restart': () => {
      options.reopen()
      return ok({})
    },
    'app.showFile': ({ path }) => {
      if (path === '') return err(appError('invalid-input', 'There is no file to show.', ''))
      outside.showFile(path)
      return ok({})
    },
  }
}
