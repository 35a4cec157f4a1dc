// `npm run bench [-- part…]`: runs the parts in test/bench, all or by name, prints a table, and writes its rows into
// docs/measured.md. `-- quick` measures the ten most important rows. Exit codes: 0 if every budget was met, 1 if one
// was missed, a part failed, or a name is unknown, 2 if the computer was too busy to judge or write results.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { format, resolveConfig } from 'prettier'
import type { Part, Ratio, Row } from '../test/bench/support/measure.ts'
import { buildIfNeeded } from './parts/build.ts'
import { installedElectron } from './parts/electron-runtime.ts'
import { waitUntilIdle } from './parts/idle.ts'
import { printLine, projectFolder } from './parts/process.ts'
import { setUp } from './setup.ts'

const MEASURED = join(projectFolder, 'docs', 'measured.md')
/** The table in docs/measured.md is between these two lines. */
const TABLE = /(?<=<!-- bench -->\n)[^]*(?=\n<!-- \/bench -->)/

process.exitCode = await bench(process.argv.slice(2))

async function bench(words: readonly string[]): Promise<number> {
  const parts = await loadParts()
  const names = parts.map((part) => part.name)
  const isQuick = words.includes('quick')
  const unknown = words.filter((word) => word !== 'quick' && !names.includes(word))
  if (unknown.length > 0) {
    printLine(`Unknown part: ${unknown.join(', ')}. Choose from: quick, ${names.join(', ')}.`)
    return 1
  }
  await setUp({ electron: await installedElectron(), ownKeyring: false, virtualScreen: false })
  await buildIfNeeded()

  const rows: Row[] = []
  const failed: string[] = []
  /** The share of the processors that other programs used, if they disturbed the measurement. */
  let busyShare: number | null = null
  for (const part of parts) {
    const isNamed = words.length === 0 || words.includes(part.name)
    const measure = isNamed ? part.run : isQuick ? part.quick : undefined
    if (!measure) continue
    busyShare ??= await waitUntilIdle()
    process.stderr.write(`Measuring: ${part.name}`)
    const startedAt = performance.now()
    try {
      rows.push(...(await measure()))
      process.stderr.write(` (${((performance.now() - startedAt) / 1_000).toFixed(0)} s)\n`)
    } catch (cause) {
      failed.push(part.name)
      process.stderr.write(`${inspect(cause)}\n`)
    }
  }
  busyShare ??= await waitUntilIdle()
  printLine(formatTable(rows, busyShare === null))
  if (busyShare !== null) {
    printLine(
      `Other programs used ${String(Math.round(busyShare * 100))}% of the processor. Nothing was judged. Try again when it is idle.`,
    )
    return 2
  }
  await writeMeasured(rows, words.length === 0 && failed.length === 0)
  if (failed.length > 0) {
    printLine(`Ended with an error: ${failed.join(', ')}.`)
    return 1
  }
  return rows.every((row) => row.held) ? 0 : 1
}

async function loadParts(): Promise<Part[]> {
  const folder = join(projectFolder, 'test', 'bench')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).sort()
  return Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href) as Promise<Part>))
}

/** Formats the rows as text with aligned columns. */
function formatTable(rows: readonly Row[], isReliable: boolean): string {
  const lines = [
    ['what', 'Bookbridge', 'against', 'ratio', 'budget', 'held'],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.against,
      formatRatio(row.ratio),
      row.budget,
      isReliable ? formatHeld(row) : '?',
    ]),
  ]
  const widths = lines.reduce<number[]>(
    (widest, line) => line.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  )
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Whether its budget was met, as Markdown. */
function formatHeld(row: Row): string {
  if (row.budget === '–') return '–'
  return row.held ? 'yes' : '**no**'
}

function formatRatio(value: Ratio | null): string {
  if (value === null) return '–'
  const spread = value.low === value.high ? '' : ` (${value.low.toFixed(2)}–${value.high.toFixed(2)})`
  return value.median.toFixed(2) + spread
}

/** Replaces the rows in docs/measured.md: all of them, or only those that were measured. */
async function writeMeasured(rows: readonly Row[], isWhole: boolean): Promise<void> {
  const page = await readFile(MEASURED, 'utf8')
  const day = new Date().toLocaleDateString('en-US', { dateStyle: 'medium' })
  const machine = `${String(availableParallelism())} cores, Node ${process.versions.node}`
  const names = new Set(rows.map((row) => row.what))
  if (names.size < rows.length)
    throw new Error('Two rows have the same name, so one would replace the other.')
  const lines = new Map(isWhole ? [] : existingRows(TABLE.exec(page)?.[0] ?? ''))
  for (const row of rows) {
    const cells = [
      row.what,
      row.why,
      row.ours,
      row.against,
      formatRatio(row.ratio),
      row.budget,
      formatHeld(row),
    ]
    lines.set(row.what, `| ${[...cells, `${day}, ${machine}`].join(' | ')} |`)
  }
  const heading = '| what | meaning | Bookbridge | against | ratio (spread) | budget | held | measured |'
  const text = ['', heading, '|---|---|---|---|---|---|---|---|', ...lines.values(), ''].join('\n')
  const options = { ...(await resolveConfig(MEASURED)), filepath: MEASURED }
  await writeFile(
    MEASURED,
    await format(
      page.replace(TABLE, () => text),
      options,
    ),
  )
}

/** The table's rows as pairs of name and line, without its headings. */
function existingRows(markdown: string): [string, string][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line): [string, string] => [line.split('|')[1]?.trim() ?? '', line])
    .filter(([what]) => what !== 'what' && !/^-+$/.test(what))
}
