/** Where the guide lies that ships with the program. */
import { join } from 'node:path'
import type { GuidePage } from '../../shared/contract/app.ts'

/** The file of a page, to be opened by the system. `mainFolder` is that of the main bundle. */
export function guideFile(mainFolder: string, page: GuidePage): string {
  // No other program can look into the archive: the guide lies beside it (electron-builder.yml, asarUnpack).
  const outside = mainFolder.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
  return join(outside, '../guide', `${page}.html`)
}
