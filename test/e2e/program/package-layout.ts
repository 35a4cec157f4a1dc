/**
 * Builds an unpacked package with a stand-in for Electron's runtime, as `npm run package -- --dir` does with the real
 * one.
 */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { UPDATES_VARIABLE } from '../../../scripts/parts/package-config.ts'
import type { Bom } from '../../../scripts/parts/sbom.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
/** electron-builder's own tools, wherever npm has installed them. */
const ofBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))

/** Marks the fuses in Electron's program file (electronjs.org, "Electron Fuses"). */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSES = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyLoadAppFromAsar',
  'browserV8Snapshot',
  'fileProtocolPrivileges',
] as const

export interface AsarFile {
  readonly path: string
  readonly bytes: number
  readonly isUnpacked: boolean
}

export interface Layout {
  readonly files: readonly AsarFile[]
  /** The fuses of the packaged program. */
  readonly fuses: Readonly<Record<string, boolean>>
  /** The bill of materials, as it was written. */
  readonly bom: Bom
  /** The files beside the archive. */
  readonly resources: string
  /** Extracts the archive into a folder, together with the files that are stored outside of it. */
  readonly unpack: (folder: string) => void
}

interface Asar {
  readonly listPackage: (archive: string, options: { isPack: boolean }) => string[]
  readonly statFile: (
    archive: string,
    path: string,
    followLinks: boolean,
  ) => { size?: number; unpacked?: boolean; files?: object }
  readonly extractAll: (archive: string, folder: string) => void
}

/** @param folder an empty folder to work in */
export async function layOut(folder: string): Promise<Layout> {
  const runtime = join(folder, 'runtime')
  mkdirSync(runtime)
  const wire = Buffer.concat([
    Buffer.from(SENTINEL),
    Buffer.from([1, FUSES.length]),
    Buffer.from('0'.repeat(FUSES.length)),
  ])
  writeFileSync(join(runtime, 'electron'), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), wire]), {
    mode: 0o755,
  })
  writeFileSync(join(runtime, 'chrome-sandbox'), '', { mode: 0o755 })
  writeFileSync(join(runtime, 'LICENSE'), 'stand-in')
  const script = ['scripts/package.ts', '--dir', `--electron=${runtime}`, `--out=${folder}`]
  // Ignores the machine's own certificates.
  const env = { ...process.env, CSC_LINK: '', WIN_CSC_LINK: '', [UPDATES_VARIABLE]: '' }
  await run(process.execPath, script, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
  const asar = ofBuilder('@electron/asar') as Asar
  const packed = join(folder, 'linux-unpacked')
  const archive = join(packed, 'resources', 'app.asar')
  const files = asar.listPackage(archive, { isPack: false }).flatMap((path): AsarFile[] => {
    const { size, unpacked, files: below } = asar.statFile(archive, path.slice(1), false)
    return below === undefined ? [{ path, bytes: size ?? 0, isUnpacked: unpacked === true }] : []
  })
  return {
    files,
    fuses: fusesIn(join(packed, 'bookbridge')),
    bom: JSON.parse(readFileSync(globSync(join(folder, '*.cdx.json'))[0] ?? '', 'utf8')) as Bom,
    resources: join(packed, 'resources'),
    unpack: (target) => asar.extractAll(archive, target),
  }
}

function fusesIn(program: string): Readonly<Record<string, boolean>> {
  const bytes = readFileSync(program)
  const first = bytes.indexOf(SENTINEL) + SENTINEL.length + 2
  return Object.fromEntries(FUSES.map((name, index) => [name, bytes[first + index] === '1'.charCodeAt(0)]))
}
