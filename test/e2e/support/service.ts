/** A service on loopback for one spec: the sample server. */
import { type SampleServerOptions, startSampleServer } from '../../sample-server/server.ts'

export interface Service {
  readonly url: string
  readonly key: string
  readonly legacyUrl: string
  readonly controlUrl: string
  /** Sets conditions and faults, or queries them. Returns the service's response. */
  readonly control: (body: unknown) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Starts the sample server on a free port. */
export async function startService(options: SampleServerOptions = {}): Promise<Service> {
  const { url, key, legacyUrl, controlUrl, close } = await startSampleServer(options)
  return {
    ...{ url, key, legacyUrl, controlUrl },
    control: async (body) => {
      const response = await fetch(controlUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`The service refused ${JSON.stringify(body)}: ${text}`)
      return text ? (JSON.parse(text) as unknown) : undefined
    },
    stop: close,
  }
}
