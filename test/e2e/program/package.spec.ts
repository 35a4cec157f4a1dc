/**
 * A package as `npm run package` builds it, with a stand-in for Electron's runtime: its content, fuses, and size. `npm
 * run test:package` also runs the first-hour spec from it.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { PROGRAM_VARIABLE } from '../support/program.ts'
import { layOut } from './package-layout.ts'

const MEBIBYTE = 1_048_576
/** A quarter more than the current size, so that additions are noticed. */
const BUDGET = 8 * MEBIBYTE
/** The guide is included beside the program. Most of it is pictures. */
const GUIDE_BUDGET = 7 * MEBIBYTE

test(
  'a package contains the program and what it needs to run, and nothing else',
  { tag: '@deep' },
  async ({}, testInfo) => {
    test.skip(process.platform !== 'linux', 'The stand-in is laid out as on Linux.')
    const folder = testInfo.outputPath('package')
    mkdirSync(folder, { recursive: true })
    const { files, fuses, bom, resources, unpack } = await layOut(folder)
    const paths = files.map(({ path }) => path)

    const ours = paths.filter((path) => !path.startsWith('/node_modules/'))
    const isExpected = (path: string): boolean =>
      path === '/package.json' ||
      /^\/out\/(main\/[\w.-]+\.(js|json)|preload\/preload\.cjs|renderer\/(index\.html|files\.json|assets\/[\w.-]+)|guide\/([\w-]+\.html|guide\.css|images\/[\w-]+\.png))$/.test(
        path,
      )
    expect(ours.filter((path) => !isExpected(path))).toEqual([])
    for (const needed of [
      '/out/main/main.js',
      '/out/main/rows-worker.js',
      '/out/preload/preload.cjs',
      '/out/renderer/index.html',
    ]) {
      expect(ours).toContain(needed)
    }
    expect(paths.filter((path) => /\.(map|ts|cts|mts|svelte|md)$|\/(test|tests)\//.test(path))).toEqual([])

    const packages = new Set(
      paths.flatMap((path) => /^\/(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
    )
    expect([...packages]).toEqual(['node_modules/keytar'])
    const outside = files.filter(({ isUnpacked }) => isUnpacked).map(({ path }) => path)
    expect(outside.filter((path) => !path.startsWith('/out/guide/'))).toEqual([
      '/node_modules/keytar/build/Release/keytar.node',
    ])
    expect(outside).toContain('/out/guide/index.html')

    const library = 'app.asar.unpacked/node_modules/keytar/build/Release/keytar.node'
    const hashed = createHash('sha256')
      .update(readFileSync(join(resources, library)))
      .digest('hex')
    expect(bom.components.filter(({ type }) => type === 'file')).toEqual([
      {
        'bom-ref': `linux-unpacked/resources/${library}`,
        type: 'file',
        name: 'keytar.node',
        hashes: [{ alg: 'SHA-256', content: hashed }],
      },
    ])
    const listed = bom.components.map(({ name }) => name)
    expect(listed).toEqual(
      expect.arrayContaining(['electron', 'svelte', 'ag-grid-community', 'keytar', 'undici']),
    )
    expect(listed.filter((name) => /electron-builder|vitest|playwright|^node-linux/.test(name))).toEqual([])

    const bytesOf = (isCounted: (path: string) => boolean): number =>
      files.filter(({ path }) => isCounted(path)).reduce((sum, { bytes }) => sum + bytes, 0)
    expect(bytesOf((path) => !path.startsWith('/out/guide/'))).toBeLessThan(BUDGET)
    expect(bytesOf((path) => path.startsWith('/out/guide/'))).toBeLessThan(GUIDE_BUDGET)
    expect(fuses).toEqual({
      runAsNode: false,
      cookieEncryption: true,
      nodeOptions: false,
      nodeCliInspect: false,
      asarIntegrity: true,
      onlyLoadAppFromAsar: true,
      browserV8Snapshot: false,
      fileProtocolPrivileges: false,
    })
    // Without a certificate, there is no address for updates, and without the address, the program doesn't check for
    // any.
    expect(readdirSync(resources)).not.toContain('app-update.yml')

    const target = process.env[PROGRAM_VARIABLE]
    if (target !== undefined) unpack(target)
  },
)
