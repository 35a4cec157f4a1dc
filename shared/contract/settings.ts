/** Settings: how the program looks, waits, and sends. */
import { z } from 'zod'
import { TEXT_SIZES } from '../format/text-size.ts'
import { PERIOD_CHOICES } from '../reports/periods.ts'
import { call, companyRef, isJsonWithin, none, text } from './parts.ts'

/** What an HTTP header can contain. */
const schemaVersion = z.string().regex(/^[\u0021-\u007e]{0,40}$/)

/** The most characters of all column settings: hundreds of lists with hundreds of columns each. */
const MAX_COLUMNS_LENGTH = 4_000_000

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** The size of everything in the window, in percent. */
  textSize: z.number().int().min(TEXT_SIZES[0]).max(200),
  negatives: z.enum(['minus', 'brackets']),
  /** Time limits in seconds. */
  readSeconds: z.number().int().min(5).max(3_600),
  writeSeconds: z.number().int().min(5).max(3_600),
  provisionSeconds: z.number().int().min(5).max(7_200),
  reportSeconds: z.number().int().min(5).max(7_200),
  /** The pause after an abandoned request, in seconds. */
  graceSeconds: z.number().int().min(0).max(600),
  /** The pause between the two checks for an insert, in seconds. */
  recheckSeconds: z.number().int().min(0).max(3_600),
  /** The most records in one write. */
  batchSize: z.number().int().min(1).max(500),
  /** The largest response, in MiB. */
  responseMebibytes: z.number().int().min(1).max(2_000),
  markWithExternalId: z.boolean(),
  /** Whether many changes, or ones with warnings, are reviewed before they are sent. */
  reviewFirst: z.boolean(),
  /** Whether lists that were read are kept on this computer, encrypted. */
  keepLists: z.boolean(),
  pageParameter: z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/),
  dataSchemaVersion: schemaVersion,
  reportSchemaVersion: schemaVersion,
  /** A PEM file of additional certificates; empty for none. */
  certificateFile: text,
  /** Printed on PDFs: the firm, who prepared them, and a picture as a data URL. Empty for none. */
  firmName: z.string().max(100),
  preparer: z.string().max(100),
  logo: z
    .string()
    .max(400_000)
    .regex(/^(?:data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+=*)?$/),
  historyDays: z.number().int().min(1).max(3_650),
  /** Which columns are shown, their order, and their widths, by list. */
  columnStates: z
    .record(z.string().max(100), z.unknown())
    .refine((states) => isJsonWithin(states, MAX_COLUMNS_LENGTH)),
  /** Lists without a definition that were read before, most recent last. */
  listNames: z.array(z.string().max(200)).max(100).readonly(),
  /** The period that a report begins with: the one that was chosen last. */
  reportPeriod: z.enum(PERIOD_CHOICES).exclude(['dates']),
  lastCompany: companyRef.nullable(),
})

/** Settings that a connection can override. */
export const connectionSettingsSchema = settingsSchema
  .pick({
    readSeconds: true,
    writeSeconds: true,
    provisionSeconds: true,
    reportSeconds: true,
    batchSize: true,
    pageParameter: true,
    dataSchemaVersion: true,
    reportSchemaVersion: true,
  })
  .partial()

/** What the window may change. Files are chosen in a dialog; from here they can only be removed. */
const settingsChange = settingsSchema
  .extend({ certificateFile: z.literal(''), logo: z.literal('') })
  .partial()

export const settingsCalls = {
  'settings.get': call(none, settingsSchema),
  'settings.set': call(settingsChange, settingsSchema),
  /** Asks for a certificate file and saves it if it is valid. Returns the settings, unchanged if canceled. */
  'settings.chooseCertificate': call(none, settingsSchema),
  /** Asks for a picture and saves it for PDFs. Returns the settings, unchanged if canceled. */
  'settings.chooseLogo': call(none, settingsSchema),
} as const

export const settingsEvents = {
  'settings.changed': settingsSchema,
} as const

export type SettingsChange = z.output<typeof settingsChange>
export type Settings = z.output<typeof settingsSchema>
export type ConnectionSettings = z.output<typeof connectionSettingsSchema>
