// The bill of materials of a package (SBOM, CycloneDX): npm's own, without development dependencies, and with the SHA-256
// of the compiled native libraries.
import { createHash } from 'node:crypto'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { projectFolder, run } from './process.ts'

type Component = {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version?: string
  readonly scope?: string
  readonly properties?: readonly { readonly name: string }[]
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

export type Bom = {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

export type Shipped = { readonly name: string; readonly version: string }

/** npm's bill with only what ships. Throws if something ships that npm doesn't list. */
export function bomOfShipped(all: Bom, shipped: readonly Shipped[], natives: readonly Component[]): Bom {
  const refs = new Set(shipped.map(({ name, version }) => `${name}@${version}`))
  const kept = all.components.filter((component) => refs.has(component['bom-ref']))
  const known = new Set(kept.map((component) => component['bom-ref']))
  const unknown = [...refs].filter((ref) => !known.has(ref))
  if (unknown.length > 0) throw new Error(`npm's bill of materials lacks ${unknown.join(', ')}.`)
  const root = all.metadata.component['bom-ref']
  return {
    ...all,
    // npm names the root package after its folder, and marks bundled packages as development dependencies.
    metadata: {
      ...all.metadata,
      component: { ...all.metadata.component, type: 'application', name: 'bookbridge' },
    },
    components: [...kept.map((each) => ({ ...each, scope: 'required', properties: [] })), ...natives],
    dependencies: all.dependencies
      .filter(({ ref }) => ref === root || known.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) })),
  }
}

/** Writes the bill of the package in `output`, and returns its path. */
export async function writeSbom(output: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as Shipped
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const { code, output: text } = await run('npm', args, { output: 'keep' })
  if (code !== 0) throw new Error(`npm sbom failed:\n${text}`)
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(projectFolder, path), 'utf8'))
  const lists = [
    'out/main/licenses-main.json',
    'out/main/licenses-window.json',
    'node_modules/electron/package.json',
  ]
  const shipped = (await Promise.all(lists.map(read))).flat() as Shipped[]
  // npm prints warnings before it.
  const all = JSON.parse(text.slice(text.indexOf('{'))) as Bom
  const systems: Partial<Record<NodeJS.Platform, string>> = { darwin: 'mac', win32: 'win' }
  const path = join(
    output,
    `Bookbridge-${manifest.version}-${systems[process.platform] ?? process.platform}.cdx.json`,
  )
  await writeFile(path, `${JSON.stringify(bomOfShipped(all, shipped, await nativesIn(output)), null, 2)}\n`)
  return path
}

/** The native libraries beside the archive, by architecture. */
async function nativesIn(output: string): Promise<readonly Component[]> {
  const natives: Component[] = []
  for await (const path of glob(join(output, '**', 'app.asar.unpacked', '**', '*.node'))) {
    const content = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    const ref = relative(output, path).split(sep).join('/')
    natives.push({
      'bom-ref': ref,
      type: 'file',
      name: basename(path),
      hashes: [{ alg: 'SHA-256', content }],
    })
  }
  if (natives.length === 0) throw new Error(`No native library lies beside the archive in ${output}.`)
  return natives
}
