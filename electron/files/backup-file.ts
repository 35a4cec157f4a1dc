/**
 * The file of a backup: a zip of three parts with fixed names. `manifest.json` says who made it, when, with which
 * tables, and the size and SHA-256 of the two others; `settings.json` and `bookbridge.sqlite` are those two. No name
 * from a file is ever made into a path.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { ZipFile as NewZip } from 'yazl'
import { z } from 'zod'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'

/** The parts that hold something, by the names that they have in the file and in a folder of ours. */
const BACKUP_PARTS = ['settings.json', 'bookbridge.sqlite'] as const
type PartName = (typeof BACKUP_PARTS)[number]

const MANIFEST = 'manifest.json'
const FORMAT = 'bookbridge-backup'
/** Changed when a program of before could not read the file rightly. */
const FORMAT_VERSION = 1

/** Larger parts are refused, whatever the file says of them. */
const LARGEST: Readonly<Record<PartName | typeof MANIFEST, number>> = {
  [MANIFEST]: 64 * 1024,
  'settings.json': 16 * 1024 * 1024,
  'bookbridge.sqlite': 4 * 1024 * 1024 * 1024,
}

const part = z.object({
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int().min(1),
  /** ISO. */
  madeAt: z.iso.datetime().max(40),
  /** Version of the program that made it. */
  program: z.string().max(40),
  /** Version of the tables in `bookbridge.sqlite`. */
  schema: z.number().int().min(1),
  parts: z.object({ 'settings.json': part, 'bookbridge.sqlite': part }),
})

export type BackupManifest = z.output<typeof manifestSchema>

/** What is said of a backup besides its parts. */
export type BackupFacts = Pick<BackupManifest, 'madeAt' | 'program' | 'schema'>

/**
 * The bytes of a backup, for `writeWholeFile`.
 * @param folder that holds both parts under their names; they must not change meanwhile
 */
export async function* backupPieces(folder: string, facts: BackupFacts): AsyncGenerator<Result<Uint8Array>> {
  const manifest: BackupManifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    ...facts,
    parts: {
      'settings.json': await measured(join(folder, 'settings.json')),
      'bookbridge.sqlite': await measured(join(folder, 'bookbridge.sqlite')),
    },
  }
  const zip = new NewZip()
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST)
  for (const name of BACKUP_PARTS) zip.addFile(join(folder, name), name)
  zip.end()
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) yield ok(piece)
}

/**
 * Checks a backup and unpacks its parts into `folder`, which is empty. Whatever fails, nothing of it may be used.
 * @returns its manifest; an error of kind `file` in words when it is no backup, damaged, too large or newer
 */
export async function unpackBackup(path: string, folder: string): Promise<Result<BackupManifest>> {
  let zip: ZipFile | null = null
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
    const entries = await entriesOf(zip)
    const manifest = manifestOf(await manifestText(zip, entries.get(MANIFEST)))
    if (!manifest.ok) return manifest
    for (const name of BACKUP_PARTS) {
      const entry = entries.get(name)
      if (entry === undefined) return err(damaged(`${name} is missing`))
      const refused = await unpackPart(
        zip,
        entry,
        join(folder, name),
        manifest.value.parts[name],
        LARGEST[name],
      )
      if (refused !== null) return err(refused)
    }
    return manifest
  } catch (cause) {
    return err(cause instanceof NotABackup ? damaged(cause.message) : unreadable(cause))
  } finally {
    zip?.close()
  }
}

class NotABackup extends Error {}

/** The three parts, each once and nothing else: a file with more in it was not made by us. */
async function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName
    if (!Object.hasOwn(LARGEST, name)) throw new NotABackup('there is a part in it that no backup has')
    if (entries.has(name)) throw new NotABackup(`${name} is there twice`)
    if (entry.isEncrypted()) throw new NotABackup(`${name} is encrypted`)
    entries.set(name, entry)
  }
  return entries
}

async function manifestText(zip: ZipFile, entry: Entry | undefined): Promise<string> {
  if (entry === undefined) throw new NotABackup(`${MANIFEST} is missing`)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of await piecesOf(zip, entry)) {
    bytes += piece.byteLength
    if (bytes > LARGEST[MANIFEST]) throw new NotABackup(`${MANIFEST} is too large`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function manifestOf(text: string): Result<BackupManifest> {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return err(damaged(`${MANIFEST} can’t be read`))
  }
  const version = z.object({ format: z.literal(FORMAT), version: z.number().int() }).safeParse(content)
  if (version.success && version.data.version > FORMAT_VERSION) return err(newerBackup())
  const manifest = manifestSchema.safeParse(content)
  return manifest.success ? ok(manifest.data) : err(damaged(`${MANIFEST} is not as it should be`))
}

async function unpackPart(
  zip: ZipFile,
  entry: Entry,
  target: string,
  said: { readonly bytes: number; readonly sha256: string },
  largest: number,
): Promise<AppError | null> {
  if (said.bytes > largest || entry.uncompressedSize > largest) {
    return appError('file', 'This backup is larger than any that Bookbridge makes.', NOTHING_CHANGED)
  }
  if (entry.uncompressedSize !== said.bytes) return damaged(`${entry.fileName} has another size`)
  const hash = createHash('sha256')
  let bytes = 0
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.byteLength
      if (bytes > said.bytes) throw new NotABackup(`${entry.fileName} has another size`)
      hash.update(piece)
      yield piece
    }
  }
  await pipeline(await piecesOf(zip, entry), counted, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  const isWhole = bytes === said.bytes && hash.digest('hex') === said.sha256
  if (!isWhole) return damaged(`${entry.fileName} has another checksum`)
  await flush(target)
  return null
}

/** Bytes, as they come out of the zip. */
async function piecesOf(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return zip.openReadStreamPromise(entry)
}

async function measured(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) hash.update(piece)
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

const NOTHING_CHANGED = 'Nothing was changed here.'

function damaged(what: string): AppError {
  return appError(
    'file',
    'This is no backup of Bookbridge, or it is damaged.',
    `Choose another file. ${NOTHING_CHANGED}`,
    { raw: what },
  )
}

function unreadable(cause: unknown): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const raw = causeText(cause)
  if (code === 'ENOSPC') {
    return appError('file', 'The disk is too full to unpack the backup.', `Make room. ${NOTHING_CHANGED}`, {
      code,
      raw,
    })
  }
  return code === ''
    ? damaged(raw)
    : appError('file', 'The file can’t be read.', NOTHING_CHANGED, { code, raw })
}

/** Said of a backup of a program that is newer than this one. */
export function newerBackup(): AppError {
  return appError(
    'file',
    'A newer Bookbridge made this backup.',
    `Install the newer Bookbridge here first, then restore it. ${NOTHING_CHANGED}`,
  )
}
