// The licences of all that ships, gathered while the program is built: what Vite puts into the bundles, and the packages
// that a package of ours carries beside them. Electron's own lie beside its program file.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { licenceWords } from './licence-words.ts'

export type Licence = {
  readonly name: string
  readonly version: string
  /** As its package names it (SPDX). */
  readonly licence: string
  /** The words themselves: the package's, or the well-known ones of the licence that it names; else empty. */
  readonly text: string
}

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>
}

const LONGEST = 60_000

/** Folders of the packages that modules of a bundle come from. `moduleIds`: paths, as Vite has them. */
export function packagesOf(moduleIds: readonly string[]): readonly string[] {
  const folders = moduleIds.flatMap((id) => {
    const path = id.replaceAll('\0', '').split('?')[0]?.split(sep).join('/') ?? ''
    const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)
    return found === null ? [] : [found[0]]
  })
  return [...new Set(folders)]
}

/** Folders of the packages that ship, by the lock file. Those that are optional to it are the scripts' own Node. */
export function runtimePackages(root: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  return Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path.startsWith('node_modules/') && !dev && !optional)
    .map(([path]) => join(root, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}

/** Each package once, by name. Throws when one says nothing of its licence: then somebody has to look. */
export function licencesOf(folders: readonly string[]): readonly Licence[] {
  const licences = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, unknown>
    const text = textIn(folder)
    // Some packages have the words alone.
    const licence =
      typeof license === 'string' ? license : /^\s*(?:The )?MIT License/i.test(text) ? 'MIT' : null
    if (typeof name !== 'string' || typeof version !== 'string' || licence === null) {
      throw new Error(`${folder} does not say what licence it has.`)
    }
    return { name, version, licence, text: text === '' ? licenceWords(licence, author) : text }
  })
  const once = new Map(licences.map((each) => [`${each.name} ${each.version}`, each]))
  return [...once.values()].toSorted((left, right) => left.name.localeCompare(right.name))
}

function textIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$|-)/i.test(name))
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').slice(0, LONGEST)
}
