// What came to the loopback server, for tests to look at: whole requests, with the key left out.

/** A request as it came. */
export interface LoggedRequest {
  readonly number: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** With "right key" or "wrong key" where a key was. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What was answered; 0 where nothing was. */
  readonly status: number
  /** The fault that was put in, if any. */
  readonly fault: string | undefined
  /** Came while another was at work. */
  readonly second: boolean
}

/** The requests so far. */
export interface RequestLog {
  readonly requests: readonly LoggedRequest[]
  /** Writes a request down; the function that it returns adds its body, and what became of it. */
  add(
    request: Pick<LoggedRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>,
  ): (outcome: Partial<Pick<LoggedRequest, 'body' | 'status' | 'fault' | 'second'>>) => void
  clear(): void
}

const KEY_HEADERS = new Set(['x-api-key', 'authorization'])

/** An empty log that knows which key to leave out. */
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
