import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileName, proposedFileName } from '../../../electron/files/file-name.ts'
import { type FileSystem, writeFileAtomically } from '../../../electron/files/write-file.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-files-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function* pieces(...texts: readonly string[]): AsyncGenerator<Result<Uint8Array>> {
  for (const text of texts) yield await Promise.resolve(ok(new TextEncoder().encode(text)))
}

function coded(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it`), { code })
}

const real: FileSystem = {
  open,
  rename,
  remove: (path) => rm(path, { force: true }),
  pause: () => Promise.resolve(),
}

describe('a file is written completely or not at all', () => {
  it('writes every piece, replaces what was there, and leaves nothing beside it', async () => {
    const path = join(folder, 'a.csv')
    writeFileSync(path, 'old and longer than the new one')
    expect(await writeFileAtomically(path, pieces('one,', 'two'))).toEqual(
      ok({ saved: true, path, name: 'a.csv', bytes: 7 }),
    )
    expect(readFileSync(path, 'utf8')).toBe('one,two')
    expect(readdirSync(folder)).toEqual(['a.csv'])
  })

  it('a symbolic link is kept', async () => {
    const [target, link] = [join(folder, 'target.csv'), join(folder, 'link.csv')]
    writeFileSync(target, 'old')
    symlinkSync(target, link)
    await writeFileAtomically(link, pieces('new'))
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe('new')
  })

  const FAULTS: readonly (readonly [string, Partial<FileSystem>, RegExp])[] = [
    [
      'a disk that fills up in the middle',
      {
        open: async (path, flags) => {
          const handle = await open(path, flags)
          let written = 0
          return {
            writeFile: async (data) => {
              written += 1
              if (written > 1) throw coded('ENOSPC')
              await handle.writeFile(data)
            },
            sync: () => handle.sync(),
            close: () => handle.close(),
          }
        },
      },
      /disk is full/,
    ],
    [
      'a disk that is full at the flush',
      {
        open: async (path, flags) => {
          const handle = await open(path, flags)
          return {
            writeFile: (data) => handle.writeFile(data),
            sync: () => Promise.reject(coded('ENOSPC')),
            close: () => handle.close(),
          }
        },
      },
      /disk is full/,
    ],
    [
      'a file that Excel holds open',
      { rename: () => Promise.reject(coded('EBUSY')) },
      /a\.csv is open in another program/,
    ],
    [
      'the same as Windows often says it',
      { rename: () => Promise.reject(coded('EPERM')) },
      /open in another program/,
    ],
    [
      'a folder without the right to write',
      { open: () => Promise.reject(coded('EACCES')) },
      /can’t be written to/,
    ],
    ['a read-only disk', { open: () => Promise.reject(coded('EROFS')) }, /read-only/],
    ['anything else', { rename: () => Promise.reject(coded('EIO')) }, /could not be saved/],
  ]
  it.each(FAULTS)('%s: the error names the file, and the old file is unchanged', async (_, fault, words) => {
    const path = join(folder, 'a.csv')
    writeFileSync(path, 'old')
    const outcome = await writeFileAtomically(path, pieces('new', ' and more'), {
      files: { ...real, ...fault },
    })
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: 'file', message: expect.stringMatching(words) as string },
    })
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['a.csv'])
  })

  it('a target that is locked briefly (by a virus scanner) is retried', async () => {
    const path = join(folder, 'a.csv')
    let tries = 0
    const outcome = await writeFileAtomically(path, pieces('new'), {
      files: {
        ...real,
        rename: async (from, to) => {
          tries += 1
          if (tries < 3) throw coded('EACCES')
          await rename(from, to)
        },
      },
    })
    expect(outcome.ok).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  it('a missing folder, and a name that is a folder, are errors', async () => {
    expect(await writeFileAtomically(join(folder, 'no', 'a.csv'), pieces('x'))).toMatchObject({
      error: { message: expect.stringMatching(/no longer exists/) as string },
    })
    mkdirSync(join(folder, 'dir'))
    expect(await writeFileAtomically(join(folder, 'dir'), pieces('x'))).toMatchObject({
      error: { message: 'dir is a folder.' },
    })
    expect(readdirSync(folder)).toEqual(['dir'])
  })

  it('an error among the pieces is returned, and nothing is left', async () => {
    async function* broken(): AsyncGenerator<Result<Uint8Array>> {
      yield await Promise.resolve(ok(new Uint8Array(3)))
      yield err(appError('not-found', 'gone'))
    }
    const path = join(folder, 'a.csv')
    expect(await writeFileAtomically(path, broken())).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('names of files', () => {
  it('have company, report, and period', () => {
    expect(
      proposedFileName('Alder & Finch', 'Profit and loss', { from: '2026-01-01', to: '2026-03-31' }, 'csv'),
    ).toBe('Alder & Finch - Profit and loss - 2026-01-01 to 2026-03-31.csv')
  })

  it.each([
    ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j.csv'],
    ['CON', '_CON.csv'],
    ['nul.txt', '_nul.txt.csv'],
    ['Com1', '_Com1.csv'],
    ['Console', 'Console.csv'],
    ['.hidden', '_hidden.csv'],
    ['ends with dots...', 'ends with dots___.csv'],
    ['  blanks  ', 'blanks.csv'],
    ['', '_.csv'],
    ['two\nlines', 'two_lines.csv'],
    ['gpj\u202evsc', 'gpj_vsc.csv'],
    // Books without a name are named by their path, so that their files can be distinguished.
    ['C:\\Books\\Cedar Holm.QBW', 'Cedar Holm.QBW.csv'],
    ['\\\\server\\books\\Elm.qbw', 'Elm.qbw.csv'],
    ['/books/Elm.qbw', 'Elm.qbw.csv'],
  ])('%j becomes %j', (name, safe) => {
    expect(fileName([name], 'csv')).toBe(safe)
  })

  it('any names at all: allowed on Windows, short enough, and with the period intact', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400, size: 'max' }),
        fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
        (company, report) => {
          const name = proposedFileName(company, report, { from: '2026-01-01', to: '2026-03-31' }, 'csv')
          // eslint-disable-next-line no-control-regex -- characters that Windows forbids
          expect(name).not.toMatch(/[<>:"/\\|?*\u0000-\u001f]/)
          expect(name).not.toMatch(/^[ .]|[ .]$/)
          expect(name.isWellFormed()).toBe(true)
          expect(Buffer.byteLength(name)).toBeLessThan(240)
          expect(name.endsWith('2026-01-01 to 2026-03-31.csv')).toBe(true)
        },
      ),
    )
  })
})
