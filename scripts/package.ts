// `npm run package`: makes the installers of this system in `dist`, from electron-builder.yml, and a bill of their
// materials beside them. Signed when the
// environment brings a certificate (docs/guide/install.md); what follows from that is in parts/package-config.ts.
//   --dir                 only the unpacked program, no installer
//   --electron=DIR        a runtime that is there already, or a stand-in for one; nothing is fetched then
//   --out=DIR             instead of `dist`
import { join, resolve } from 'node:path'
import { build, Platform } from 'electron-builder'
import { buildIfNeeded } from './parts/build.ts'
import { packageConfig } from './parts/package-config.ts'
import { projectFolder, say } from './parts/process.ts'
import { writeSbom } from './parts/sbom.ts'

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

await buildIfNeeded()
const electronDist = option('electron')
const output = resolve(option('out') ?? join(projectFolder, 'dist'))
const made = await build({
  projectDir: projectFolder,
  targets: Platform.current().createTarget(process.argv.includes('--dir') ? 'dir' : undefined),
  publish: 'never',
  config: {
    ...packageConfig(process.env, process.platform),
    // keytar is used as it was built for this machine: there is no runtime to build it for.
    ...(electronDist !== undefined && { electronDist: resolve(electronDist), npmRebuild: false }),
    directories: { output },
  },
})
for (const file of [...made, await writeSbom(output)]) say(file)
