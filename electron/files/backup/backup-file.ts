/**
 * The file of a backup: a ZIP file with three parts with fixed names. `manifest.json` says when and by which
 * program it was made, with which tables, and the size and SHA-256 of the other two parts, `settings.json` and
 * `bookbridge.sqlite`. A sealed backup is a ZIP file of `sealed.json` and `sealed.bin`, which contain such a
 * file encrypted with a passphrase (`sealing.ts`). Names from a file are never used as paths.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { ZipFile as NewZip } from 'yazl'
import { z } from 'zod'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import { BrokenSealError, seal, unseal, WrongPassphraseError } from './sealing.ts'

/** The content parts, by their names in the file and in a folder. */
const BACKUP_PARTS = ['settings.json', 'bookbridge.sqlite'] as const
type PartName = (typeof BACKUP_PARTS)[number]

const MANIFEST = 'manifest.json'
const FORMAT = 'bookbridge-backup'
/** Increased when an older program couldn't read the file correctly. */
const FORMAT_VERSION = 1

const [SEAL_HEADER, SEALED] = ['sealed.json', 'sealed.bin'] as const
const ABOUT_SEALED =
  'A Bookbridge backup, encrypted with a passphrase. To restore it, open Settings, Backup in Bookbridge.'

/** Limits on the parts, regardless of what the file declares. */
const LARGEST: Readonly<Record<PartName | typeof MANIFEST, number>> = {
  [MANIFEST]: 64 * 1024,
  'settings.json': 16 * 1024 * 1024,
  'bookbridge.sqlite': 4 * 1024 * 1024 * 1024,
}

/** All parts, plus the overhead of sealing. */
const LARGEST_SEALED = 4.1 * 1024 * 1024 * 1024

const part = z.object({
  bytes: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int().min(1),
  /** In ISO format. */
  madeAt: z.iso.datetime().max(40),
  /** Version of the program that made it. */
  program: z.string().max(40),
  /** Version of the tables in `bookbridge.sqlite`. */
  schema: z.number().int().min(1),
  parts: z.object({ 'settings.json': part, 'bookbridge.sqlite': part }),
})

export type BackupManifest = z.output<typeof manifestSchema>

/** Facts about a backup besides its parts. */
export type BackupFacts = Pick<BackupManifest, 'madeAt' | 'program' | 'schema'>

/**
 * Returns the bytes of a backup, for `writeFileAtomically`.
 * @param folder contains both parts under their names; they must not change in the meantime
 * @param passphrase to seal it with; `null` leaves it readable by anyone who has the file
 */
export async function* backupPieces(
  folder: string,
  facts: BackupFacts,
  passphrase: string | null,
): AsyncGenerator<Result<Uint8Array>> {
  const plain = plainPieces(folder, facts)
  for await (const piece of passphrase === null ? plain : sealedPieces(plain, passphrase)) yield ok(piece)
}

async function* plainPieces(folder: string, facts: BackupFacts): AsyncGenerator<Uint8Array> {
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
  yield* zipped(zip)
}

async function* sealedPieces(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const { header, bytes } = await seal(plain, passphrase, ABOUT_SEALED)
  const zip = new NewZip()
  zip.addBuffer(Buffer.from(header), SEAL_HEADER)
  // Encrypted bytes can't be compressed.
  zip.addReadStream(Readable.from(bytes), SEALED, { compress: false })
  yield* zipped(zip)
}

/** Ends a ZIP file. A read error ends its bytes with that error. */
async function* zipped(zip: NewZip): AsyncGenerator<Uint8Array> {
  const bytes = Readable.from(zip.outputStream)
  zip.on('error', (cause: Error) => bytes.destroy(cause))
  zip.end()
  yield* bytes as AsyncIterable<Uint8Array>
}

/** Whether a passphrase is needed. Error: `file` if it isn't a backup. */
export async function isSealed(path: string): Promise<Result<boolean>> {
  return inZip(path, (entries) => Promise.resolve(ok(entries.has(SEALED))))
}

/**
 * Unseals a backup, checks it, and unpacks its parts like `unpackBackup`.
 * @returns also an error of kind `invalid-input` if the passphrase is wrong
 */
export async function unpackSealed(
  path: string,
  passphrase: string,
  folder: string,
): Promise<Result<BackupManifest>> {
  const plain = join(folder, 'backup.zip')
  const unsealed = await inZip(path, async (entries, zip) => {
    const header = await smallText(zip, entries.get(SEAL_HEADER), SEAL_HEADER)
    const entry = entries.get(SEALED)
    if (entry === undefined) throw new NotABackupError(`${SEALED} is missing`)
    if (entry.uncompressedSize > LARGEST_SEALED) return err(tooLarge())
    const bytes = unseal({ header, bytes: await piecesOf(zip, entry) }, passphrase)
    await pipeline(bytes, createWriteStream(plain, { flags: 'wx', mode: 0o600 }))
    return ok(undefined)
  })
  try {
    return unsealed.ok ? await unpackBackup(plain, folder) : unsealed
  } finally {
    await rm(plain, { force: true })
  }
}

/**
 * Checks a backup and unpacks its parts into an empty folder. If anything fails, nothing in it may be used.
 * @returns its manifest; an error of kind `file` if it isn't a backup or is damaged, too large, or newer
 */
export async function unpackBackup(path: string, folder: string): Promise<Result<BackupManifest>> {
  return inZip(path, async (entries, zip) => {
    const manifest = manifestOf(await smallText(zip, entries.get(MANIFEST), MANIFEST))
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
  })
}

class NotABackupError extends Error {}

type Entries = ReadonlyMap<string, Entry>

async function inZip<T>(
  path: string,
  work: (entries: Entries, zip: ZipFile) => Promise<Result<T>>,
): Promise<Result<T>> {
  let zip: ZipFile | null = null
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true })
    return await work(await entriesOf(zip), zip)
  } catch (cause) {
    if (cause instanceof WrongPassphraseError) return err(wrongPassphrase())
    const isOther = cause instanceof NotABackupError || cause instanceof BrokenSealError
    return err(isOther ? damaged(cause.message) : unreadable(cause))
  } finally {
    zip?.close()
  }
}

/**
 * Reads the entries of a backup or a sealed one: each part once and nothing else. A file with more wasn't made
 * by Bookbridge.
 */
async function entriesOf(zip: ZipFile): Promise<Entries> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName
    if (![MANIFEST, ...BACKUP_PARTS, SEAL_HEADER, SEALED].includes(name)) {
      throw new NotABackupError('it contains an unexpected part')
    }
    if (entries.has(name)) throw new NotABackupError(`${name} is there twice`)
    if (entry.isEncrypted()) throw new NotABackupError(`${name} is encrypted`)
    entries.set(name, entry)
  }
  const isMixed = entries.has(SEALED) && entries.size !== 2
  if (isMixed) throw new NotABackupError('its encryption flag is wrong')
  return entries
}

async function smallText(zip: ZipFile, entry: Entry | undefined, name: string): Promise<string> {
  if (entry === undefined) throw new NotABackupError(`${name} is missing`)
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of await piecesOf(zip, entry)) {
    bytes += piece.byteLength
    if (bytes > LARGEST[MANIFEST]) throw new NotABackupError(`${name} is too large`)
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
  if (version.success && version.data.version > FORMAT_VERSION) return err(newerBackupError())
  const manifest = manifestSchema.safeParse(content)
  return manifest.success ? ok(manifest.data) : err(damaged(`${MANIFEST} is invalid`))
}

async function unpackPart(
  zip: ZipFile,
  entry: Entry,
  target: string,
  expected: { readonly bytes: number; readonly sha256: string },
  largest: number,
): Promise<AppError | null> {
  if (expected.bytes > largest || entry.uncompressedSize > largest) {
    return tooLarge()
  }
  if (entry.uncompressedSize !== expected.bytes) return damaged(`${entry.fileName} has the wrong size`)
  const hash = createHash('sha256')
  let bytes = 0
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.byteLength
      if (bytes > expected.bytes) throw new NotABackupError(`${entry.fileName} has the wrong size`)
      hash.update(piece)
      yield piece
    }
  }
  await pipeline(await piecesOf(zip, entry), counted, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  const isWhole = bytes === expected.bytes && hash.digest('hex') === expected.sha256
  if (!isWhole) return damaged(`${entry.fileName} has the wrong checksum`)
  await flush(target)
  return null
}

/** Returns an entry's bytes as they are unpacked. */
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

function tooLarge(): AppError {
  return appError('file', 'This backup is larger than any backup Bookbridge makes.', NOTHING_CHANGED)
}

function wrongPassphrase(): AppError {
  return appError(
    'invalid-input',
    'This passphrase doesn’t match the backup.',
    'Passphrases are case-sensitive. No one can open the backup without it.',
  )
}

function damaged(what: string): AppError {
  return appError(
    'file',
    'This is not a Bookbridge backup, or it is damaged.',
    `Choose another file. ${NOTHING_CHANGED}`,
    { raw: what },
  )
}

function unreadable(cause: unknown): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const raw = causeText(cause)
  if (code === 'ENOSPC') {
    return appError(
      'file',
      'The disk is too full to unpack the backup.',
      `Free some space. ${NOTHING_CHANGED}`,
      {
        code,
        raw,
      },
    )
  }
  return code === ''
    ? damaged(raw)
    : appError('file', 'The file can’t be read.', NOTHING_CHANGED, { code, raw })
}

/** The error for a backup from a newer program. */
export function newerBackupError(): AppError {
  return appError(
    'file',
    'This backup was saved by a newer Bookbridge.',
    `Install the newer Bookbridge here first, then restore it. ${NOTHING_CHANGED}`,
  )
}
