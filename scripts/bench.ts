// `npm run bench [-- part…]`: runs the parts in test/bench, all or by name, and prints one table. Exit code 1 when
// a budget was not held or a name is unknown.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Part, Row } from '../test/bench/measure.ts'
import { buildIfNeeded } from './parts/build.ts'
import { installedElectron } from './parts/electron-runtime.ts'
import { projectFolder, say } from './parts/process.ts'
import { setUp } from './setup.ts'

process.exitCode = await bench(process.argv.slice(2))

async function bench(asked: readonly string[]): Promise<number> {
  const parts = await loadParts()
  const names = parts.map((part) => part.name)
  const unknown = asked.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    say(`There is no part called ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
    return 1
  }
  await setUp({ electron: await installedElectron(), ownKeyring: false, virtualScreen: false })
  await buildIfNeeded()

  const rows: Row[] = []
  for (const part of parts.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
    process.stderr.write(`Measuring: ${part.name}\n`)
    rows.push(...(await part.run()))
  }
  say(table(rows))
  return rows.every((row) => row.held) ? 0 : 1
}

async function loadParts(): Promise<Part[]> {
  const folder = join(projectFolder, 'test', 'bench')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).sort()
  return Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href) as Promise<Part>))
}

/** One line a row, its columns aligned. */
function table(rows: readonly Row[]): string {
  const lines = [
    ['what', 'ours', 'against', 'ratio', 'budget', 'held'],
    ...rows.map((row) => [
      row.what,
      row.ours,
      row.against,
      row.ratio?.toFixed(2) ?? '–',
      row.budget,
      row.held ? 'yes' : 'NO',
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
