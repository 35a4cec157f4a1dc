// During the build, collects the licenses of everything that ships: the packages in Vite's bundles, and those that are
// packaged beside them. Electron's own license is beside its executable.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

export type License = {
  readonly name: string
  readonly version: string
  /** Its SPDX name, from the package. */
  readonly license: string
  /** The package's own text, or the standard text of its license. Empty if there is neither. */
  readonly text: string
}

type Lock = {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>
}

const MAX_TEXT_LENGTH = 60_000

/** Folders of the packages in a bundle. `moduleIds` are Vite's paths. */
export function packagesOf(moduleIds: readonly string[]): readonly string[] {
  const folders = moduleIds.flatMap((id) => {
    const path = id.replaceAll('\0', '').split('?')[0]?.split(sep).join('/') ?? ''
    const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)
    return found === null ? [] : [found[0]]
  })
  return [...new Set(folders)]
}

/** Folders of the packages that ship, by the lock file. Its optional packages belong to the scripts' own Node. */
export function runtimePackages(root: string): readonly string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  return Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path.startsWith('node_modules/') && !dev && !optional)
    .map(([path]) => join(root, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}

/** The license of each package once, sorted by package name. Throws if a package names no license. */
export function licensesOf(folders: readonly string[]): readonly License[] {
  const licenses = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, unknown>
    const text = licenseTextIn(folder)
    // Some packages declare no license, and have only its text.
    const known =
      typeof license === 'string' ? license : /^\s*(?:The )?MIT License/i.test(text) ? 'MIT' : null
    if (typeof name !== 'string' || typeof version !== 'string' || known === null) {
      throw new Error(`${folder} does not say what license it has.`)
    }
    return { name, version, license: known, text: text === '' ? standardText(known, author) : text }
  })
  const once = new Map(licenses.map((each) => [`${each.name} ${each.version}`, each]))
  return [...once.values()].toSorted((left, right) => left.name.localeCompare(right.name))
}

function licenseTextIn(folder: string): string {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$|-)/i.test(name))
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').slice(0, MAX_TEXT_LENGTH)
}

const ISC = `ISC License

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`

const MIT = `MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

const STANDARD_TEXTS: Readonly<Record<string, string>> = { ISC, MIT }

/** The text of a well-known license, with the package's author if there is one. Empty for other licenses. */
function standardText(license: string, author: unknown): string {
  const text = STANDARD_TEXTS[license]
  if (text === undefined) return ''
  const [title = '', ...rest] = text.split('\n\n')
  const name = typeof author === 'string' ? author : ''
  return [title, ...(name === '' ? [] : [`Copyright (c) ${name}`]), ...rest].join('\n\n')
}
