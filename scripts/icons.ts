// `node scripts/icons.ts`: renders resources/icon.svg in every size that Windows, Mac, and Linux need, as icon.ico,
// icon.icns, and icon.png. Run it when the drawing changes, and commit the results.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumPath } from '../test/chromium-host/launch.ts'
import { projectFolder } from './parts/process.ts'

type Drawing = { readonly size: number; readonly png: Buffer }

const resources = join(projectFolder, 'resources')

/** The four-letter type of each size in an .icns file. Retina sizes have their own. */
const appleTypes: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
]

const drawings = await draw([16, 24, 32, 48, 64, 128, 256, 512, 1024])
await writeFile(join(resources, 'icon.png'), pngOf(512))
await writeFile(join(resources, 'icon.ico'), ico(drawings.filter(({ size }) => size <= 256)))
await writeFile(join(resources, 'icon.icns'), icns())

async function draw(sizes: readonly number[]): Promise<Drawing[]> {
  const executablePath = chromiumPath()
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }) })
  try {
    const page = await browser.newPage()
    const svg = await readFile(join(resources, 'icon.svg'), 'utf8')
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`)
    const drawn: Drawing[] = []
    for (const size of sizes) {
      await page.setViewportSize({ width: size, height: size })
      drawn.push({ size, png: await page.screenshot({ omitBackground: true }) })
    }
    return drawn
  } finally {
    await browser.close()
  }
}

function pngOf(size: number): Buffer {
  const drawing = drawings.find((each) => each.size === size)
  if (drawing === undefined) throw new Error(`The icon was not drawn at ${size} pixels.`)
  return drawing.png
}

/** The Windows format: a directory with 16 bytes per image, then the PNGs. The size 256 is written as 0. */
function ico(images: readonly Drawing[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  for (const [index, { size, png }] of images.entries()) {
    const at = 6 + 16 * index
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}

/** Apple's format: a header, then each PNG after its type and length. */
function icns(): Buffer {
  const chunk = (type: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head.write(type, 'latin1')
    head.writeUInt32BE(content.length + 8, 4)
    return Buffer.concat([head, content])
  }
  return chunk('icns', Buffer.concat(appleTypes.map(([type, size]) => chunk(type, pngOf(size)))))
}
