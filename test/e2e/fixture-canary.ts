/**
 * Looks for secrets where they must not be: in every file that the program wrote, every line it printed and every
 * message that crossed between its processes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RecordedMessage } from '../chromium-host/recorder.ts'
import type { Program } from './fixture-program.ts'

export interface CanaryHit {
  readonly value: string
  /** How the value was spelled: `utf8`, `base64`, … */
  readonly form: string
  /** The file, the printed line or the message in which it stood. */
  readonly where: string
}

/** The one way in of each: the user gives the key, or a backup's passphrase, and it crosses to main. */
const ALLOWED_CALLS: readonly unknown[] = ['connection.setKey', 'backup.save', 'backup.unseal']

interface Form {
  readonly name: string
  readonly bytes: Buffer
}

/** Base64 of a text inside a longer one: what stays the same wherever the longer one begins. */
function base64Forms(bytes: Buffer): Form[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // The first and the last sign may carry bits of a neighbor.
    const inner = text.slice(offset === 0 ? 0 : offset + 1, -1)
    return { name: 'base64', bytes: Buffer.from(inner) }
  })
}

/** Each spelling under which a value could hide. */
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
 * Where any of the values stands, in any spelling, apart from the calls that are allowed to carry it. Each value
 * must be long enough (12 signs) not to be met by chance.
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
