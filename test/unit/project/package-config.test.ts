/** electron-builder.yml, checked by electron-builder's own schema, and how the environment changes it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageConfig } from '../../../scripts/parts/package-config.ts'
import { bomOfShipped } from '../../../scripts/parts/sbom.ts'

const root = resolve(import.meta.dirname, '../../..')
const ofBuilder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { getConfig, validateConfiguration } = ofBuilder('app-builder-lib/out/util/config/config.js') as {
  getConfig: (folder: string, file: string, over: object) => Promise<Record<string, unknown>>
  validateConfiguration: (config: object, log: { add: () => void; isEnabled: boolean }) => Promise<void>
}

async function whyInvalid(over: object): Promise<string> {
  const config = await getConfig(root, 'electron-builder.yml', over)
  return validateConfiguration(config, { add: () => undefined, isEnabled: false }).then(
    () => '',
    (cause: unknown) => String(cause),
  )
}

const UPDATES = { BOOKBRIDGE_UPDATES: 'https://updates.example/bookbridge' }

describe('the configuration of packages', () => {
  test('is valid by electron-builder’s own schema, signed and unsigned, which rejects unknown words', async () => {
    expect(await whyInvalid(packageConfig({}, 'linux'))).toBe('')
    expect(await whyInvalid(packageConfig({ CSC_LINK: 'x', APPLE_API_KEY: 'x', ...UPDATES }, 'darwin'))).toBe(
      '',
    )
    expect(await whyInvalid({ nsis: { perMachin: false } })).toContain('configuration.nsis')
  })

  test('has only the Mac entitlement to compile at run time', () => {
    const text = readFileSync(join(root, 'resources/entitlements.mac.plist'), 'utf8')
    expect([...text.matchAll(/<key>(.*)<\/key>/g)].map(([, key]) => key)).toEqual([
      'com.apple.security.cs.allow-jit',
    ])
  })

  test('has icons in every size that each system needs', () => {
    const icons = (name: string): Buffer => readFileSync(join(root, 'resources', name))
    const ico = icons('icon.ico')
    const sizes = Array.from(
      { length: ico.readUInt16LE(4) },
      (_, index) => ico.readUInt8(6 + 16 * index) || 256,
    )
    expect(sizes).toEqual([16, 24, 32, 48, 64, 128, 256])
    expect(icons('icon.icns').subarray(0, 4).toString('latin1')).toBe('icns')
    expect(icons('icon.icns').readUInt32BE(4)).toBe(icons('icon.icns').length)
    expect(icons('icon.png').readUInt32BE(16)).toBe(512)
  })
})

test('a bill of materials lists exactly what ships', () => {
  const component = (ref: string, scope = 'optional') => ({
    'bom-ref': ref,
    type: 'library',
    name: ref.replace(/@[^@]*$/, ''),
    scope,
    properties: [{ name: 'cdx:npm:package:development' }],
  })
  const all = {
    metadata: { component: component('bookbridge@1.0.0') },
    components: [component('@a/window@1.0.0'), component('part@2.0.0'), component('linter@3.0.0')],
    dependencies: [
      { ref: 'bookbridge@1.0.0', dependsOn: ['@a/window@1.0.0', 'linter@3.0.0'] },
      { ref: '@a/window@1.0.0', dependsOn: ['part@2.0.0'] },
      { ref: 'linter@3.0.0', dependsOn: ['part@2.0.0'] },
    ],
  }
  const library = { 'bom-ref': 'x.node', type: 'file', name: 'x.node' }
  const shipped = [
    { name: '@a/window', version: '1.0.0' },
    { name: 'part', version: '2.0.0' },
  ]
  const bom = bomOfShipped(all, shipped, [library])
  expect(bom.components).toEqual([
    { ...component('@a/window@1.0.0', 'required'), properties: [] },
    { ...component('part@2.0.0', 'required'), properties: [] },
    library,
  ])
  expect(bom.dependencies).toEqual([
    { ref: 'bookbridge@1.0.0', dependsOn: ['@a/window@1.0.0'] },
    { ref: '@a/window@1.0.0', dependsOn: ['part@2.0.0'] },
  ])
  expect(() => bomOfShipped(all, [{ name: 'part', version: '2.0.1' }], [])).toThrow('part@2.0.1')
})

describe('signing and updates', () => {
  test('are off without a certificate, even with an address', () => {
    expect(packageConfig(UPDATES, 'win32')).toEqual({
      forceCodeSigning: false,
      publish: null,
      mac: { notarize: false, identity: null },
    })
  })

  test('are on with one, with updates only from the user’s own address', () => {
    const signed = packageConfig({ WIN_CSC_LINK: 'x', ...UPDATES }, 'win32')
    expect(signed).toMatchObject({
      forceCodeSigning: true,
      publish: { provider: 'generic', url: UPDATES.BOOKBRIDGE_UPDATES },
    })
    expect(packageConfig({ WIN_CSC_LINK: 'x' }, 'win32').publish).toBeNull()
    // A Windows certificate isn't used on other systems.
    expect(packageConfig({ WIN_CSC_LINK: 'x', ...UPDATES }, 'darwin').publish).toBeNull()
  })

  test('never use an insecure address', () => {
    for (const address of ['http://updates.example', 'ftp://updates.example', 'updates']) {
      expect(() => packageConfig({ CSC_LINK: 'x', BOOKBRIDGE_UPDATES: address }, 'darwin')).toThrow(/https/)
    }
  })

  test('notarize only with a signature and an Apple account', () => {
    const account = { APPLE_ID: 'a', APPLE_APP_SPECIFIC_PASSWORD: 'b', APPLE_TEAM_ID: 'c' }
    expect(packageConfig({ CSC_LINK: 'x', ...account }, 'darwin').mac.notarize).toBe(true)
    expect(packageConfig({ CSC_LINK: 'x' }, 'darwin').mac.notarize).toBe(false)
    expect(packageConfig(account, 'darwin').mac.notarize).toBe(false)
  })
})
