// The requests at the loopback server, for tests: complete, but without the key.

/** A request as it arrived. */
export interface LoggedRequest {
  readonly number: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** With "right key" or "wrong key" in place of a key. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The status of the response; 0 for none. */
  readonly status: number
  /** The fault that was applied, if any. */
  readonly fault: string | undefined
  /** Whether it arrived while another one was running. */
  readonly second: boolean
}

/** The requests so far. */
export interface RequestLog {
  readonly requests: readonly LoggedRequest[]
  /** Records a request. The returned function adds its body and its outcome. */
  add(
    request: Pick<LoggedRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>,
  ): (outcome: Partial<Pick<LoggedRequest, 'body' | 'status' | 'fault' | 'second'>>) => void
  clear(): void
}

const KEY_HEADERS = new Set(['x-api-key', 'authorization'])

/** An empty log that leaves out this key. */
export function createRequestLog(key: string): RequestLog {
  let requests: LoggedRequest[] = []
  let last = 0
  const without = (text: string): string => text.replaceAll(key, '[key]')
  return {
    get requests() {
      return requests
    },
    add: ({ method, path, query, headers, body }) => {
      const number = ++last
      const kept = Object.entries(headers).map(([name, value]) => [
        name,
        KEY_HEADERS.has(name) ? (value === key ? 'right key' : 'wrong key') : without(value),
      ])
      let entry: LoggedRequest = {
        number,
        at: new Date().toISOString(),
        method,
        path: without(path),
        query: without(query),
        headers: Object.fromEntries(kept) as Record<string, string>,
        body: without(body),
        status: 0,
        fault: undefined,
        second: false,
      }
      const inList = requests
      const index = inList.push(entry) - 1
      return (outcome) => {
        entry = { ...entry, ...outcome, body: without(outcome.body ?? entry.body) }
        inList[index] = entry
      }
    },
    clear: () => {
      requests = []
    },
  }
}
