// `npm run package`: makes this system's installers in `dist`, from electron-builder.yml, with a bill of materials (SBOM).
// They are signed if the environment has a certificate (docs/ci.md, parts/package-config.ts).
//   --dir                 only the unpacked program, no installer
//   --electron=DIR        an existing runtime, or a stand-in for one; nothing is downloaded
//   --out=DIR             instead of `dist`
import { join, resolve } from 'node:path'
import { build, Platform } from 'electron-builder'
import { buildIfNeeded } from './parts/build.ts'
import { packageConfig } from './parts/package-config.ts'
import { printLine, projectFolder } from './parts/process.ts'
import { writeSbom } from './parts/sbom.ts'

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

await buildIfNeeded()
const electronDist = option('electron')
const output = resolve(option('out') ?? join(projectFolder, 'dist'))
const artifacts = await build({
  projectDir: projectFolder,
  targets: Platform.current().createTarget(process.argv.includes('--dir') ? 'dir' : undefined),
  publish: 'never',
  config: {
    ...packageConfig(process.env, process.platform),
    // Uses keytar as built for this computer, because there is no runtime to build it for.
    ...(electronDist !== undefined && { electronDist: resolve(electronDist), npmRebuild: false }),
    directories: { output },
  },
})
for (const file of [...artifacts, await writeSbom(output)]) printLine(file)
