// The shared libraries of a Linux desktop that Electron's runtime needs and a bare computer lacks.
import { findProgram, run } from './process.ts'

/** The Debian packages with the libraries that `ldd` reports missing, by their names before the 64-bit time transition. */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  'libasound.so.2': 'libasound2',
  'libatk-1.0.so.0': 'libatk1.0-0',
  'libatk-bridge-2.0.so.0': 'libatk-bridge2.0-0',
  'libatspi.so.0': 'libatspi2.0-0',
  'libcairo.so.2': 'libcairo2',
  'libcups.so.2': 'libcups2',
  'libdbus-1.so.3': 'libdbus-1-3',
  'libdrm.so.2': 'libdrm2',
  'libexpat.so.1': 'libexpat1',
  'libgbm.so.1': 'libgbm1',
  'libgio-2.0.so.0': 'libglib2.0-0',
  'libglib-2.0.so.0': 'libglib2.0-0',
  'libgobject-2.0.so.0': 'libglib2.0-0',
  'libgtk-3.so.0': 'libgtk-3-0',
  'libnspr4.so': 'libnspr4',
  'libnss3.so': 'libnss3',
  'libnssutil3.so': 'libnss3',
  'libpango-1.0.so.0': 'libpango-1.0-0',
  'libsmime3.so': 'libnss3',
  'libudev.so.1': 'libudev1',
  'libX11.so.6': 'libx11-6',
  'libxcb.so.1': 'libxcb1',
  'libXcomposite.so.1': 'libxcomposite1',
  'libXdamage.so.1': 'libxdamage1',
  'libXext.so.6': 'libxext6',
  'libXfixes.so.3': 'libxfixes3',
  'libxkbcommon.so.0': 'libxkbcommon0',
  'libXrandr.so.2': 'libxrandr2',
}

/** The packages to install before `executable` can start; empty if nothing is missing or that is unknown. */
export async function missingLibraries(executable: string): Promise<string[]> {
  if (findProgram('ldd') === undefined) return []
  const { output } = await run('ldd', [executable], { output: 'keep' })
  const missing = [...output.matchAll(/^\s*(\S+) => not found/gm)].map(
    ([, library = '']) => DEBIAN_PACKAGES[library],
  )
  const named = [...new Set(missing.filter((name) => name !== undefined))]
  return Promise.all(named.map(nameOnThisSystem))
}

/** Since 24.04, Ubuntu has renamed some of them for the 64-bit time transition. */
async function nameOnThisSystem(name: string): Promise<string> {
  const { code } = await run('apt-cache', ['show', `${name}t64`], { output: 'keep' })
  return code === 0 ? `${name}t64` : name
}
