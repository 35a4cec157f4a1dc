/**
 * An unexpected error as the log may tell it: its name, code, message and where in our code it happened. Messages of
 * the platform quote what they stumbled over (`Unexpected token … in "{"Name":"Cedar…"`), which may be a record, so
 * whatever is quoted, and every long figure, is left out. Names and codes are told only where they look like ones, and
 * places only where they are places: an error may come from the window, which can write anything there.
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
const MAIL_ADDRESS = /\S+@\S+/g
/** What would begin another line of the log, or change how one reads. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** `TypeError`, `AbortError`, `SqliteError`. */
const ERROR_NAME = /^[A-Za-z]{1,40}$/
/** `ENOENT`, `ERR_TLS_CERT_ALTNAME_INVALID`, a number of SQLite's. */
const ERROR_CODE = /^(?:[A-Z][A-Z0-9_]{1,60}|-?\d{1,6})$/
/** `at function (file:line:column)` or `at file:line:column`; a function's name has no blank but after these words. */
const FRAME = /^\s+at (?:(?:async |new |get |set )*[\w$.#<>[\]]+ (?:\[as [\w$]+\] )?)?\(?\S+:\d+:\d+\)?$/

/** One line for what was thrown, whatever it is; never throws itself. @param secrets keys that this process holds */
export function logWords(cause: unknown, secrets: readonly string[]): string {
  try {
    return redact(oneLine(wordsOf(cause)), secrets)
  } catch {
    return 'An error that can’t be told.'
  }
}

function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return quiet(String(cause))
  const code = 'code' in cause ? ` ${known(cause.code, ERROR_CODE)}` : ''
  // What could not be parsed stands in these, quoted or not.
  const message = cause instanceof SyntaxError ? '…' : quiet(cause.message)
  return [`${known(cause.name, ERROR_NAME)}${code}: ${message}`, ...placesOf(cause)].join(' | ')
}

function known(value: unknown, form: RegExp): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return form.test(text) ? text : '…'
}

/** A sentence without what it quotes. */
function quiet(text: string): string {
  const [first = ''] = text.split(/[\n\r]/)
  return first
    .slice(0, LONGEST_MESSAGE)
    .replace(QUOTED, '$1…$1')
    .replace(OPENED, '…')
    .replace(MAIL_ADDRESS, '…')
    .replace(LONG_FIGURE, '…')
    .replace(LONG_WORD, '…')
}

/** The lines after the message's own, which may look like places themselves. */
function placesOf({ message, stack = '' }: Error): readonly string[] {
  const at = message === '' ? -1 : stack.indexOf(message)
  return stack
    .slice(at < 0 ? 0 : at + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => placeOf(line))
}

/** `at function (file:line:column)`, with the file's name alone: the folders before it name the person. */
function placeOf(frame: string): string {
  return frame
    .trim()
    .replace(/(?:[a-z]+:\/\/)?[^\s()]*[/\\]([^\s()/\\]+)/gi, '$1')
    .slice(0, LONGEST_FRAME)
}

function oneLine(text: string): string {
  return text.replace(CONTROL, ' ')
}
