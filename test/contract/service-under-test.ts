// The service that the conformance suite checks: the sample on loopback, or any other by its address and key.
import { startSampleServer } from '../sample-server/server.ts'

/** A service, and what the suite may do with it. */
export interface ServiceUnderTest {
  readonly url: string
  /** Empty if there is no v1 address. */
  readonly legacyUrl: string
  readonly key: string
  /** Whether it is the sample, whose books and conditions are known. */
  readonly isSample: boolean
  /** Whether the suite may write to it. */
  readonly mayWrite: boolean
  close(): Promise<void>
}

/**
 * Starts the sample, unless BOOKBRIDGE_SERVICE_URL and BOOKBRIDGE_SERVICE_KEY name another service
 * (BOOKBRIDGE_SERVICE_LEGACY_URL is its v1 address). Another service is only read from, unless BOOKBRIDGE_SERVICE_WRITE
 * is 1.
 */
export async function openServiceUnderTest(): Promise<ServiceUnderTest> {
  const { BOOKBRIDGE_SERVICE_URL: url, BOOKBRIDGE_SERVICE_KEY: key } = process.env
  if (url !== undefined && url !== '') {
    return {
      url: url.replace(/\/+$/, ''),
      legacyUrl: (process.env['BOOKBRIDGE_SERVICE_LEGACY_URL'] ?? '').replace(/\/+$/, ''),
      key: key ?? '',
      isSample: false,
      mayWrite: process.env['BOOKBRIDGE_SERVICE_WRITE'] === '1',
      close: async () => {
        await Promise.resolve()
      },
    }
  }
  const server = await startSampleServer({ today: '2026-03-31', seed: 7 })
  const { legacyUrl, key: sampleKey, close } = server
  return { url: server.url, legacyUrl, key: sampleKey, isSample: true, mayWrite: true, close }
}

/** Known before any test runs, so that tests can be skipped. */
export const isSample = (process.env['BOOKBRIDGE_SERVICE_URL'] ?? '') === ''
export const mayWrite = isSample || process.env['BOOKBRIDGE_SERVICE_WRITE'] === '1'
export const hasLegacy = isSample || (process.env['BOOKBRIDGE_SERVICE_LEGACY_URL'] ?? '') !== ''
