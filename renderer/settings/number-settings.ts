/** Settings that are numbers or short texts: their limits, and parsing them. */
import type { ConnectionSettings, Settings, SettingsChange } from '../../shared/contract/settings.ts'

/** Minimum and maximum, as in the contract's schema, which can't be imported here because it brings zod. */
const LIMITS = {
  readSeconds: [5, 3_600],
  writeSeconds: [5, 3_600],
  reportSeconds: [5, 7_200],
  provisionSeconds: [5, 7_200],
  graceSeconds: [0, 600],
  recheckSeconds: [0, 3_600],
  batchSize: [1, 500],
  responseMebibytes: [1, 2_000],
  historyDays: [1, 3_650],
} as const satisfies Partial<Record<keyof Settings, readonly [number, number]>>

type NumberSetting = keyof typeof LIMITS
type TextSetting = 'pageParameter' | 'dataSchemaVersion' | 'reportSchemaVersion'
type TypedSetting = NumberSetting | TextSetting
export type TypedSettings = Record<TypedSetting, string>
type OwnSetting = keyof ConnectionSettings

const SCHEMA_VERSION = /^[\u0021-\u007e]{0,40}$/
const PAGE_PARAMETER = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const NUMBERS = Object.keys(LIMITS) as NumberSetting[]
const TEXTS: readonly TextSetting[] = ['pageParameter', 'dataSchemaVersion', 'reportSchemaVersion']
/** Settings that a connection may override, in the order of their fields. */
const OWN: readonly OwnSetting[] = [
  'readSeconds',
  'writeSeconds',
  'reportSeconds',
  'provisionSeconds',
  'batchSize',
  ...TEXTS,
]

/** The settings as text for the fields. */
export function settingsAsText(settings: Settings): TypedSettings {
  const numbers = NUMBERS.map((name) => [name, String(settings[name])])
  const texts = TEXTS.map((name) => [name, settings[name]])
  return Object.fromEntries([...numbers, ...texts]) as TypedSettings
}

/** The saved values, except in fields that changed since saving began. */
export function mergeSaved<Values extends Readonly<Record<string, string>>>(
  now: Values,
  sent: Values,
  saved: Values,
): Values {
  const typed = Object.entries(now).filter(([name, value]) => value !== sent[name])
  return { ...saved, ...Object.fromEntries(typed) }
}

export interface ParsedSettings {
  /** Valid values that differ from the settings. */
  readonly changes: SettingsChange
  /** A sentence per invalid field. */
  readonly problems: Partial<Record<TypedSetting, string>>
}

/** Parses the fields and compares them with the current settings. */
export function parseSettings(typed: TypedSettings, settings: Settings): ParsedSettings {
  const changes: Record<string, string | number> = {}
  const problems: ParsedSettings['problems'] = {}
  for (const name of [...NUMBERS, ...TEXTS]) {
    const read = readOne(name, typed[name])
    if (read.problem !== null) problems[name] = read.problem
    else if (read.value !== settings[name]) changes[name] = read.value
  }
  return { changes, problems }
}

/** A connection's overrides as typed. An empty field uses the program's setting. */
export type TypedOwn = Record<OwnSetting, string>

/** A connection's overrides as text for the fields. */
export function overridesAsText(own: ConnectionSettings): TypedOwn {
  return Object.fromEntries(OWN.map((name) => [name, String(own[name] ?? '')])) as TypedOwn
}

interface ReadOwn {
  readonly settings: ConnectionSettings
  /** A sentence per invalid field. */
  readonly problems: Partial<Record<OwnSetting, string>>
}

/** Parses the overrides that were typed for a connection. */
export function parseOverrides(typed: TypedOwn): ReadOwn {
  const settings: Record<string, string | number> = {}
  const problems: ReadOwn['problems'] = {}
  for (const name of OWN) {
    if (typed[name].trim() === '') continue
    const read = readOne(name, typed[name])
    if (read.problem !== null) problems[name] = read.problem
    else settings[name] = read.value
  }
  return { settings, problems }
}

type ReadOne = { readonly value: string | number; readonly problem: null } | { readonly problem: string }

function readOne(name: TypedSetting, typed: string): ReadOne {
  const text = typed.trim()
  if (!isNumberSetting(name)) {
    if (name === 'pageParameter' ? PAGE_PARAMETER.test(text) : SCHEMA_VERSION.test(text)) {
      return { value: text, problem: null }
    }
    return {
      problem: name === 'pageParameter' ? 'Use letters, digits, “_”, “.”, or “-”.' : 'At most 40 characters.',
    }
  }
  const [least, most] = LIMITS[name]
  const value = Number(text)
  return /^\d{1,6}$/.test(text) && value >= least && value <= most
    ? { value, problem: null }
    : { problem: `A whole number from ${least} to ${most}.` }
}

function isNumberSetting(name: TypedSetting): name is NumberSetting {
  return name in LIMITS
}
