import { createSystemClock, createSystemRandom } from '../electron/clock.ts'
import type { ImportFilesOptions } from '../electron/files/import/import-files.ts'

/** Options of `createImportFiles` with the worker's source file. */
export const IMPORT_OPTIONS: ImportFilesOptions = {
  workerUrl: new URL('../electron/files/import/import-worker.ts', import.meta.url),
  clock: createSystemClock(),
  newId: () => createSystemRandom().id(),
}
