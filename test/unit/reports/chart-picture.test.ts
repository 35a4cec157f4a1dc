/**
 * A compromised page may draw the charts, so only pictures without active content are saved. A logo is a file that someone
 * chose: only complete pictures of a known kind are accepted, without anything else in the file.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { isChartPicture } from '../../../electron/files/chart-picture.ts'
import { letterheadOf, readLogo } from '../../../electron/files/print/letterhead.ts'
import { settingsSchema } from '../../../shared/contract/settings.ts'
import { settingsCalls } from '../shell/settings-fixture.ts'

const svg = (inside: string, attributes = ''): boolean =>
  isChartPicture(
    'svg',
    new TextEncoder().encode(
      `<svg xmlns="http://www.w3.org/2000/svg" width="10" viewBox="0 0 1 1" role="img" aria-label="A &amp; B url(x)"${attributes}>${inside}</svg>`,
    ),
  )

test.each([
  '',
  '<desc>Sales &lt;script&gt; url(x)</desc><rect width="10" height="1.5" fill="rgb(1, 2, 3)"/>',
  '<g transform="translate(1, 2)"><text font-family="&quot;Inter&quot;, sans-serif" x="1">a<tspan dy="13">b</tspan></text></g>',
  '<path d="M0 6h12" stroke="none"/><circle cx="1" cy="2" r="3"><title>é: 1</title></circle>',
])('plain shapes and text are saved: %s', (inside) => {
  expect(svg(inside)).toBe(true)
})

test.each([
  '<script>1</script>',
  '<SCRIPT>1</SCRIPT>',
  '<rect onload="1"/>',
  '<rect x="1"onload="1"/>',
  '<a href="https://evil.example"><text>a</text></a>',
  '<image href="https://evil.example/x.png"/>',
  '<use xlink:href="#a"/>',
  '<foreignObject></foreignObject>',
  '<style>@import "https://evil.example"</style>',
  '<rect fill="url(https://evil.example/#a)"/>',
  '<rect fill="u&#114;l(https://evil.example/#a)"/>',
  '<rect style="background: URL(https://evil.example)"/>',
  '<?xml-stylesheet href="https://evil.example"?>',
  '<!DOCTYPE svg [<!ENTITY a "b">]>',
  '<![CDATA[<script>1</script>]]>',
  '<!-- a -->',
  '<animate attributeName="href"/>',
  '<text x="<script>">a</text>',
])('anything else is refused: %s', (inside) => {
  expect(svg(inside)).toBe(false)
})

test('bytes of another kind are refused', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(svg('', ' onload="1"')).toBe(false)
  expect(isChartPicture('svg', bytes('<html></html>'))).toBe(false)
  expect(isChartPicture('svg', Uint8Array.of(0x3c, 0x73, 0x76, 0x67, 0x20, 0xff))).toBe(false)
  expect(isChartPicture('png', bytes('<svg xmlns="a"/>'))).toBe(false)
  expect(isChartPicture('png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0))).toBe(true)
})

/** A JPEG's segments with frames of this size. The data is invalid, because nothing decodes it. */
function jpeg(width: number, height: number, frame = 0xc0): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height)
  size.writeUInt16BE(width, 2)
  const segment = (marker: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.of(0xff, marker, 0, content.length + 2), content])
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    segment(0xe1, Buffer.from('Exif\0\0where it was taken')),
    segment(frame, Buffer.concat([Buffer.of(8), size, Buffer.of(1, 1, 0x11, 0)])),
    segment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)),
    Buffer.from([1, 2, 3, 0xff, 0xd9]),
    Buffer.from('<script>after the end</script>'),
  ])
}

/** The picture that a file becomes as a logo; `null` if it isn't one. */
function pictureOf(content: Buffer): { readonly type: string; readonly bytes: Buffer } | null {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-logo-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  writeFileSync(join(folder, 'logo'), content)
  const read = readLogo(join(folder, 'logo'))
  const [, type = '', text = ''] = /^data:(.*);base64,(.*)$/.exec(read.ok ? read.value : '') ?? []
  return read.ok ? { type, bytes: Buffer.from(text, 'base64') } : null
}

test('a logo is stored without metadata, and without anything after the picture', () => {
  const png = PNG.sync.write(new PNG({ width: 3, height: 2 }))
  const kept = pictureOf(Buffer.concat([png, Buffer.from('<script>after the end</script>')]))
  expect(kept?.type).toBe('image/png')
  expect(PNG.sync.read(Buffer.from(kept?.bytes ?? []))).toMatchObject({ width: 3, height: 2 })
  expect(kept?.bytes.includes('script')).toBe(false)
  const photo = pictureOf(jpeg(300, 100))
  expect(photo?.type).toBe('image/jpeg')
  const bytes = Buffer.from(photo?.bytes ?? [])
  expect([bytes.includes('Exif'), bytes.includes('script'), bytes.includes('JFIF')]).toEqual([
    false,
    false,
    true,
  ])
  expect(bytes.subarray(-2)).toEqual(Buffer.of(0xff, 0xd9))
})

test('an incomplete, too large, or different file isn’t accepted as a logo', () => {
  const png = PNG.sync.write(new PNG({ width: 3, height: 2 }))
  const bent = Buffer.from(png)
  bent.writeUInt8(9, 19)
  expect(pictureOf(bent), 'a wrong checksum').toBe(null)
  expect(pictureOf(png.subarray(0, -12)), 'cut off').toBe(null)
  expect(pictureOf(PNG.sync.write(new PNG({ width: 4_001, height: 1 }))), 'too many pixels').toBe(null)
  expect(pictureOf(jpeg(300, 4_001))).toBe(null)
  expect(pictureOf(jpeg(0, 100))).toBe(null)
  expect(pictureOf(jpeg(300, 100, 0xc3)), 'lossless').toBe(null)
  expect(pictureOf(jpeg(300, 100).subarray(0, 60))).toBe(null)
  for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a', '%PDF-1.7'])
    expect(pictureOf(Buffer.from(text))).toBe(null)
})

test('a logo’s file is read into the settings, or there is a message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-logo-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const said = (name: string, content: Buffer): string => {
    writeFileSync(join(folder, name), content)
    const read = readLogo(join(folder, name))
    return read.ok ? read.value.slice(0, 22) : read.error.message
  }
  expect(said('logo.png', PNG.sync.write(new PNG({ width: 3, height: 2 })))).toBe('data:image/png;base64,')
  expect(said('logo.svg', Buffer.from('<svg/>'))).toMatch(/^logo\.svg is not a PNG or JPEG/)
  expect(said('large.png', Buffer.alloc(256 * 1024 + 1))).toBe('large.png is larger than 256 KB.')
  const png = join(folder, 'logo.png')
  const { handlers, kept } = settingsCalls(DEFAULT_SETTINGS, png)
  expect(await handlers['settings.chooseLogo']({})).toMatchObject({ ok: true })
  expect(letterheadOf(kept()).logo?.type).toBe('image/png')
  expect(settingsSchema.safeParse(kept()).success, 'a backup may hold it').toBe(true)
  await handlers['settings.set']({ logo: '' })
  expect(letterheadOf(kept()).logo).toBe(null)
  const missing = readLogo(join(folder, 'none.png'))
  expect(missing.ok ? '' : missing.error.message).toBe('none.png can’t be read.')
})
