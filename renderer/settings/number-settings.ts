/** The settings that are numbers or short texts: their limits, and reading what was typed; pure. */
import type { Settings } from '../../shared/contract/settings.ts'

/** Least and most, as the contract's schema has them (its values can't be imported here: they come with zod). */
const LIMITS = {
  readSeconds: [5, 3_600],
  writeSeconds: [5, 3_600],
  reportSeconds: [5, 7_200],
  provisionSeconds: [5, 7_200],
  settleSeconds: [0, 600],
  lookAgainSeconds: [0, 3_600],
  batchSize: [1, 500],
  answerMebibytes: [1, 2_000],
  historyDays: [1, 3_650],
} as const satisfies Partial<Record<keyof Settings, readonly [number, number]>>

type NumberSetting = keyof typeof LIMITS
type TextSetting = 'pageParameter' | 'dataSchemaVersion' | 'reportSchemaVersion'
export type TypedSettings = Record<NumberSetting | TextSetting, string>

const PAGE_PARAMETER = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const NUMBERS = Object.keys(LIMITS) as NumberSetting[]
const TEXTS: readonly TextSetting[] = ['pageParameter', 'dataSchemaVersion', 'reportSchemaVersion']

/** The settings as they stand in the fields. */
export function typedFrom(settings: Settings): TypedSettings {
  const numbers = NUMBERS.map((name) => [name, String(settings[name])])
  const texts = TEXTS.map((name) => [name, settings[name]])
  return Object.fromEntries([...numbers, ...texts]) as TypedSettings
}

export interface ReadSettings {
  /** What differs from the settings, and is right. */
  readonly changes: Partial<Settings>
  /** A sentence for each field that is wrong. */
  readonly problems: Partial<Record<keyof TypedSettings, string>>
}

/** Reads what was typed against the settings in force. */
export function readTyped(typed: TypedSettings, settings: Settings): ReadSettings {
  const changes: Partial<Settings> = {}
  const problems: ReadSettings['problems'] = {}
  for (const name of NUMBERS) {
    const [least, most] = LIMITS[name]
    const text = typed[name].trim()
    const value = Number(text)
    if (!/^\d{1,6}$/.test(text) || value < least || value > most)
      problems[name] = `A whole number from ${least} to ${most}.`
    else if (value !== settings[name]) changes[name] = value
  }
  for (const name of TEXTS) {
    const text = typed[name].trim()
    if (name === 'pageParameter' ? !PAGE_PARAMETER.test(text) : text.length > 40) {
      problems[name] =
        name === 'pageParameter' ? 'A name of letters, digits, “_”, “.” or “-”.' : 'At most 40 characters.'
    } else if (text !== settings[name]) changes[name] = text
  }
  return { changes, problems }
}
