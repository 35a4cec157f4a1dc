/**
 * The colors meet the design's requirements in both themes: contrast of every text, outcome, edge, and band on every
 * surface behind it (WCAG 2), and bands that are distinct with any color vision (OKLab).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rawLengths } from '../../../scripts/lint/tokens.ts'
import { BANDS } from '../../../shared/companies/bands.ts'

const css = readFileSync(new URL('../../../renderer/ui/styles/tokens.css', import.meta.url), 'utf8')

type Theme = 'light' | 'dark'
type Rgb = readonly [number, number, number]

/** The tokens in the file: `light-dark(#rrggbb, #rrggbb)`. */
const tokens = new Map<string, Record<Theme, string>>()
for (const [, name, light, dark] of css.matchAll(
  /--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g,
)) {
  if (name && light && dark) tokens.set(name, { light, dark })
}

function color(name: string, theme: Theme): Rgb {
  const hex = tokens.get(name)?.[theme]
  if (hex === undefined) throw new Error(`No color token --${name}`)
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(left: string, right: string, theme: Theme): number {
  const [a, b] = [luminance(color(left, theme)), luminance(color(right, theme))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** The lowest contrast of any of the inks on any of the surfaces. */
function least(inks: readonly string[], surfaces: readonly string[], theme: Theme): number {
  return Math.min(...inks.flatMap((ink) => surfaces.map((surface) => contrast(ink, surface, theme))))
}

/** Viénot's linear simulation of the three kinds of color blindness; `normal` changes nothing. */
const SIGHT: Readonly<Record<string, readonly [Rgb, Rgb, Rgb]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

function dot(left: Rgb, right: Rgb): number {
  return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]
}

function oklab(rgb: Rgb): Rgb {
  const long = Math.cbrt(dot([0.4122214708, 0.5363325363, 0.0514459929], rgb))
  const middle = Math.cbrt(dot([0.2119034982, 0.6806995451, 0.1073969566], rgb))
  const short = Math.cbrt(dot([0.0883024619, 0.2817188376, 0.6299787005], rgb))
  const cones: Rgb = [long, middle, short]
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], cones),
    dot([1.9779984951, -2.428592205, 0.4505937099], cones),
    dot([0.0259040371, 0.7827717662, -0.808675766], cones),
  ]
}

function seen(name: string, theme: Theme, sight: readonly [Rgb, Rgb, Rgb]): Rgb {
  const rgb = color(name, theme)
  const clip = (value: number): number => Math.min(1, Math.max(0, value))
  return oklab([clip(dot(sight[0], rgb)), clip(dot(sight[1], rgb)), clip(dot(sight[2], rgb))])
}

const OUTCOMES = ['draft', 'saved', 'error', 'uncertain', 'decision', 'conflict', 'caution']
const SURFACES = ['desk', 'paper', 'sheet', 'hover', 'float']
const TINTS = OUTCOMES.map((outcome) => `${outcome}-tint`)

describe.each(['light', 'dark'] as const)('tokens in the %s theme', (theme) => {
  it('has enough contrast for every text on every surface and tint (AA)', () => {
    expect(
      least(['ink', 'ink-2'], [...SURFACES, ...TINTS, 'select', 'pressed'], theme),
    ).toBeGreaterThanOrEqual(4.5)
    expect(least(['ink-3', 'accent-ink'], SURFACES, theme)).toBeGreaterThanOrEqual(4.5)
    expect(least(['ink'], ['found', 'found-now'], theme)).toBeGreaterThanOrEqual(4.5)
  })

  it('has enough contrast for an outcome on paper, and on its own tint', () => {
    for (const outcome of OUTCOMES) {
      expect(least([outcome], [...SURFACES, `${outcome}-tint`], theme), outcome).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('has enough contrast for a primary button, also under the pointer and pressed', () => {
    expect(least(['on-accent'], ['accent', 'accent-hover', 'accent-pressed'], theme)).toBeGreaterThanOrEqual(
      7,
    )
    expect(least(['ink-3'], ['pressed'], theme)).toBeGreaterThanOrEqual(3)
  })

  it('has enough contrast for the focus, and for edges of controls and outcomes (3:1)', () => {
    expect(
      least(['focus', 'rule-control'], ['desk', 'paper', 'sheet', 'float'], theme),
    ).toBeGreaterThanOrEqual(3)
    expect(least(['focus'], [...TINTS, 'select'], theme)).toBeGreaterThanOrEqual(3)
  })

  it('has enough contrast for a company’s initials on its band, and for the band beside paper', () => {
    for (const band of BANDS) {
      expect(contrast(`on-${band}`, `band-${band}`, theme), band).toBeGreaterThanOrEqual(4.5)
      expect(contrast(`band-${band}`, 'paper', theme), band).toBeGreaterThanOrEqual(3)
    }
  })

  it.each(Object.entries(SIGHT))('has two distinct bands with %s sight', (_name, sight) => {
    const bands = BANDS.map((band) => seen(`band-${band}`, theme, sight))
    const distances = bands.flatMap((left, at) =>
      bands
        .slice(at + 1)
        .map((right) => Math.hypot(left[0] - right[0], left[1] - right[1], left[2] - right[2])),
    )
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(0.1)
  })
})

describe('tokens', () => {
  it('define each color once, for both themes', () => {
    const names = [...css.matchAll(/^\s*--([\w-]+): light-dark/gm)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(60)
    expect(new Set(names).size).toBe(names.length)
  })

  const root = new URL('../../../renderer/', import.meta.url)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(svelte|css)$/.test(name),
  )
  const files = Object.fromEntries(
    names.map((name) => [name, readFileSync(new URL(name.replaceAll('\\', '/'), root), 'utf8')]),
  )

  it('define all colors: no component has its own', () => {
    for (const [file, text] of Object.entries(files)) {
      if (file.endsWith('tokens.css')) continue
      const styles = file.endsWith('.css') ? text : (/<style>[^]*<\/style>/.exec(text)?.[0] ?? '')
      const own = styles.match(
        /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklab|oklch|light-dark)\(|:\s*(?:white|black)\b/gi,
      )
      expect(own, file).toBeNull()
    }
  })

  it('define every color that a component uses', () => {
    expect(Object.keys(files).length).toBeGreaterThan(20)
    const set = (text: string) => [...text.matchAll(/(--[\w-]+)(?=:|=\{)/g)].map((match) => match[0])
    // Some are set by one component for those inside it.
    const known = new Set([...set(css), ...Object.values(files).flatMap(set)])
    for (const [file, text] of Object.entries(files)) {
      const asked = [...text.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1] ?? '')
      // The grid's own, and those of the library of menus and dialogs.
      const unknown = asked.filter((name) => !known.has(name) && !/^--(?:ag|bits)-/.test(name))
      expect(unknown, file).toEqual([])
    }
  })
})

describe('spacing, type sizes, line heights, and radii', () => {
  it('come from the tokens in every style sheet', () => {
    const root = new URL('../../../renderer/', import.meta.url)
    const sheets = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.css') && !path.endsWith('tokens.css'),
    )
    expect(sheets.length).toBeGreaterThan(2)
    for (const path of sheets) expect(rawLengths(readFileSync(new URL(path, root), 'utf8')), path).toEqual([])
  })

  it('are detected as raw, except hairlines and lengths relative to the text', () => {
    const raw = rawLengths(
      'a { padding: 0 12px; margin: -1px; gap: var(--s-2); font-size: 0.8rem } b { border-radius: 3px; line-height: 22px; width: 9px }' +
        'c { padding: calc(15px + var(--s-4)) 1.2em; margin-left: -18px /* gap: 7px */ }',
    )
    expect(raw.map(({ property, length }) => `${property} ${length}`)).toEqual([
      'padding 12px',
      'font-size 0.8rem',
      'border-radius 3px',
      'line-height 22px',
      'padding 15px',
      'margin-left -18px',
    ])
  })
})
