// `npm run package`: makes the installers of this system in `dist`, from electron-builder.yml. Signed when the
// environment brings a certificate (docs/guide/install.md); what follows from that is in parts/package-config.ts.
//   --dir                 only the unpacked program, no installer
//   --electron=DIR        a runtime that is there already, or a stand-in for one; nothing is fetched then
//   --out=DIR             instead of `dist`
import { resolve } from 'node:path'
import { build, Platform } from 'electron-builder'
import { buildIfNeeded } from './parts/build.ts'
import { packageConfig } from './parts/package-config.ts'
import { projectFolder, say } from './parts/process.ts'

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

await buildIfNeeded()
const electronDist = option('electron')
const output = option('out')
const made = await build({
  projectDir: projectFolder,
  targets: Platform.current().createTarget(process.argv.includes('--dir') ? 'dir' : undefined),
  publish: 'never',
  config: {
    ...packageConfig(process.env, process.platform),
    // keytar is used as it was built for this machine: there is no runtime to build it for.
    ...(electronDist !== undefined && { electronDist: resolve(electronDist), npmRebuild: false }),
    ...(output !== undefined && { directories: { output: resolve(output) } }),
  },
})
for (const file of made) say(file)
