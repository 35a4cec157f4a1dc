/** Schemas that the calls of all nouns share: names, counts, times, and errors. */
import { z } from 'zod'
import { LONGEST_TEXT } from '../records/changes.ts'
import { type AppError, ERROR_KINDS } from '../result.ts'

export const id = z.string().min(1).max(200)
export const line = z.string().max(2_000)
export const text = z.string().max(LONGEST_TEXT)
/** Text from the service, in answers. Unlimited, because only input from the window is limited. */
export const serviceText = z.string()
export const isoTime = z.string().max(40)
/** `yyyy-mm-dd`. */
export const isoDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
export const count = z.number().int().min(0)
/** An empty input or answer. */
export const none = z.strictObject({})

export const appErrorSchema: z.ZodType<AppError> = z.object({
  kind: z.enum(ERROR_KINDS),
  message: z.string(),
  advice: z.string(),
  details: z.object({
    code: z.string().exactOptional(),
    status: z.number().exactOptional(),
    raw: z.string().exactOptional(),
    requestId: z.string().exactOptional(),
    service: z.literal('v1').exactOptional(),
    recheckReason: z.string().exactOptional(),
    isWarning: z.literal(true).exactOptional(),
    more: z.array(z.string()).readonly().exactOptional(),
  }),
})

/** One company of one connection. */
export const companyRef = z.object({ connectionId: id, endpointId: id })

export const reference = z.object({ ID: text, FullName: text })
/** A value in canonical form (`shared/records/changes.ts`). */
export const editValue = z.union([text, reference])

/** The same in a response, where the service may have longer values than can be typed. */
export const storedValue = z.union([serviceText, z.object({ ID: serviceText, FullName: serviceText })])

/** Whether a value's JSON has at most this many characters. False for cycles and values too deep to write. */
export function isJsonWithin(value: unknown, most: number): boolean {
  try {
    return JSON.stringify(value).length <= most
  } catch {
    return false
  }
}

/** A saved file, or that the user canceled. */
export const savedFile = z.discriminatedUnion('saved', [
  z.object({ saved: z.literal(true), path: text, name: line, bytes: count }),
  z.object({ saved: z.literal(false) }),
])

/** The bytes of a JSON array in UTF-8. The window parses each chunk. */
export const jsonBytes = z.instanceof(Uint8Array)

/** A call: the schemas of its input and output. */
interface Call<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: Input
  readonly output: Output
}

/** Defines a call by the schemas of its input and output. */
export function call<Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  output: Output,
): Call<Input, Output> {
  return { input, output }
}

export type CompanyRef = z.output<typeof companyRef>
export type SavedFile = z.output<typeof savedFile>
