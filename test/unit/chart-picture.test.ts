/** A page that was taken over draws the charts: what is saved of them is a picture, and nothing that runs. */
import { expect, test } from 'vitest'
import { isChartPicture } from '../../electron/files/chart-picture.ts'

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
])('anything else is not: %s', (inside) => {
  expect(svg(inside)).toBe(false)
})

test('neither are bytes of another kind', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(svg('', ' onload="1"')).toBe(false)
  expect(isChartPicture('svg', bytes('<html></html>'))).toBe(false)
  expect(isChartPicture('svg', Uint8Array.of(0x3c, 0x73, 0x76, 0x67, 0x20, 0xff))).toBe(false)
  expect(isChartPicture('png', bytes('<svg xmlns="a"/>'))).toBe(false)
  expect(isChartPicture('png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0))).toBe(true)
})
