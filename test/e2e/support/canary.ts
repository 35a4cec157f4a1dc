/**
 * Searches for secrets where they must not be: in every file that the program wrote, every line that it printed, and
 * every message between its processes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RecordedMessage } from '../../chromium-host/recorder.ts'
import type { Program } from './program.ts'

export interface CanaryHit {
  readonly value: string
  /** The encoding of the value: `utf8`, `base64`, … */
  readonly form: string
  /** The file, the printed line, or the message that contains it. */
  readonly where: string
}

/**
 * The calls by which a secret enters: the user types a key or a backup's passphrase, which is passed to the main
 * process.
 */
const ALLOWED_CALLS: readonly unknown[] = ['connection.setKey', 'backup.save', 'backup.unseal']

interface Form {
  readonly name: string
  readonly bytes: Buffer
}

/** Base64 of a text inside a longer one: the part that is the same wherever the longer one begins. */
function base64Forms(bytes: Buffer): Form[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // The first and the last character may contain bits of their neighbors.
    const inner = text.slice(offset === 0 ? 0 : offset + 1, -1)
    return { name: 'base64', bytes: Buffer.from(inner) }
  })
}

/** All encodings in which a value could leak. */
function canaryForms(value: string): readonly Form[] {
  const utf8 = Buffer.from(value, 'utf8')
  const hex = utf8.toString('hex')
  const texts = {
    json: JSON.stringify(value).slice(1, -1),
    hex,
    'upper-case hex': hex.toUpperCase(),
    percent: encodeURIComponent(value),
    'percent, every byte': hex.replace(/../g, '%$&').toUpperCase(),
  }
  const inBase64 = base64Forms(utf8)
  return [
    { name: 'utf8', bytes: utf8 },
    { name: 'utf16le', bytes: Buffer.from(value, 'utf16le') },
    { name: 'utf16be', bytes: Buffer.from(value, 'utf16le').swap16() },
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    ...inBase64,
    ...inBase64.map(({ bytes }) => ({
      name: 'base64url',
      bytes: Buffer.from(bytes.toString().replaceAll('+', '-').replaceAll('/', '_')),
    })),
  ]
}

function isAllowed({ kind, channel, values }: RecordedMessage): boolean {
  return kind === 'invoke' && (ALLOWED_CALLS.includes(channel) || ALLOWED_CALLS.includes(values[0]))
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name)
  }
}

function* places(program: Program): Generator<{ readonly where: string; readonly bytes: Buffer }> {
  for (const folder of [program.userData, program.saveDir]) {
    for (const file of filesBelow(folder)) {
      yield { where: `file ${relative(folder, file)}`, bytes: readFileSync(file) }
    }
  }
  for (const line of program.printed) yield { where: `printed: ${line}`, bytes: Buffer.from(line) }
  for (const message of program.messages()) {
    if (isAllowed(message)) continue
    const { kind, channel, values } = message
    yield { where: `${kind} ${channel}`, bytes: Buffer.from(JSON.stringify(values)) }
  }
}

/**
 * Returns where any of the values occurs, in any encoding, except in calls that may contain it. Each value must have at
 * least 12 characters, so that it doesn't occur by chance.
 */
export function canarySearch(program: Program, values: readonly string[]): readonly CanaryHit[] {
  const short = values.find((value) => value.length < 12)
  if (short !== undefined) throw new Error(`Too short to search for: ${short}`)
  const searched = values.map((value) => ({ value, forms: canaryForms(value) }))
  const hits: CanaryHit[] = []
  for (const { where, bytes } of places(program)) {
    for (const { value, forms } of searched) {
      const form = forms.find((each) => bytes.includes(each.bytes))
      if (form) hits.push({ value, form: form.name, where })
    }
  }
  return hits
}
