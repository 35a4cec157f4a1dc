/**
 * An unexpected error as the log may tell it: its name, code, message and where in our code it happened. Messages of
 * the platform quote what they stumbled over (`Unexpected token … in "{"Name":"Cedar…"`), which may be a record, so
 * whatever is quoted, and every long figure, is left out.
 */
import { redact } from '../service/redact.ts'

const LONGEST_MESSAGE = 300
const MOST_FRAMES = 12
const LONGEST_FRAME = 200

/** Between quotes of any kind, to the last one of a line: what is quoted may hold quotes itself. */
const QUOTED = /(["'`“‘«]).*["'`”’»]/g
/** Also where the other quote was cut off. */
const OPENED = /["`“«].*$/g
const LONG_FIGURE = /\d[\d.,]{4,}/g
/** An API key, a token, an id: nothing that a sentence of ours has in it. */
const LONG_WORD = /[A-Za-z0-9_+/=-]{24,}/g

/** One line for what was thrown, whatever it is. @param secrets keys that this process holds */
export function logWords(cause: unknown, secrets: readonly string[]): string {
  if (!(cause instanceof Error)) return redact(quiet(String(cause)), secrets)
  const code = 'code' in cause ? ` ${String(cause.code)}` : ''
  const frames = (cause.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => placeOf(line))
  // What could not be parsed stands in these, quoted or not.
  const message = cause instanceof SyntaxError ? '…' : quiet(cause.message)
  return redact([`${cause.name}${code}: ${message}`, ...frames].join(' | '), secrets)
}

/** A sentence without what it quotes. */
function quiet(text: string): string {
  const [first = ''] = text.split('\n')
  return first
    .slice(0, LONGEST_MESSAGE)
    .replace(QUOTED, '$1…$1')
    .replace(OPENED, '…')
    .replace(LONG_FIGURE, '…')
    .replace(LONG_WORD, '…')
}

/** `at function (file:line:column)`, with the file's name alone: the folders before it name the person. */
function placeOf(frame: string): string {
  return frame
    .trim()
    .replace(/(?:[a-z]+:\/\/)?[^\s()]*[/\\]([^\s()/\\]+)/gi, '$1')
    .slice(0, LONGEST_FRAME)
}
