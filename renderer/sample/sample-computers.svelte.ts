/** The simulated computers of the sample. A change is shown immediately, and then as the sample confirms it. */
import type {
  SampleConditions,
  SampleControl,
  SampleDeskFile,
  SampleState,
} from '../../shared/contract/sample.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'

export class SampleComputers {
  readonly #api: Api
  /** `null` until first read. */
  state = $state.raw<SampleState | null>(null)
  error = $state.raw<AppError | null>(null)
  /** Numbers the requests, so that only the response to the last one is used. */
  #asked = 0

  constructor(api: Api) {
    this.#api = api
  }

  async load(): Promise<void> {
    await this.#ask(() => this.#api.call('sample.state', {}))
  }

  async change(change: SampleControl): Promise<void> {
    await this.#ask(() => this.#api.call('sample.control', change))
  }

  /** Changes the computer of one file. */
  async setConditions(companyName: string, conditions: Partial<SampleConditions>): Promise<void> {
    const before = this.state
    if (before !== null) {
      const files = before.files.map((file) =>
        file.companyName === companyName
          ? { ...file, conditions: { ...file.conditions, ...conditions } }
          : file,
      )
      this.state = { ...before, files }
    }
    await this.change({ company: companyName, conditions })
    // A change that failed is undone on screen.
    if (this.error !== null) this.state = before
  }

  /** Resets every computer, opens the books, and removes the delay. */
  async putRight(): Promise<void> {
    if (this.state === null) return
    await this.change({ conditions: this.state.allWell, closingDate: '', latencyMs: 0 })
  }

  async #ask(ask: () => Promise<Result<SampleState>>): Promise<void> {
    const asked = ++this.#asked
    const result = await ask()
    if (asked !== this.#asked) return
    this.error = result.ok ? null : result.error
    if (result.ok) this.state = result.value
  }
}

// What can go wrong at a simulated computer, in a bookkeeper’s words.

/** A condition that is on or off. */
interface ComputerSwitch {
  readonly label: string
  /** What the user will notice, in a sentence. */
  readonly means: string
  readonly isOn: (conditions: SampleConditions) => boolean
  readonly set: (on: boolean) => Partial<SampleConditions>
}

export const SWITCHES: readonly ComputerSwitch[] = [
  {
    label: 'Computer on',
    means: 'While it is off, this company doesn’t respond.',
    isOn: ({ machine }) => machine === 'on',
    set: (on) => ({ machine: on ? 'on' : 'off' }),
  },
  {
    label: 'Someone signed in',
    means: 'The agent starts when someone signs in. Until then, nothing responds.',
    isOn: ({ session }) => session === 'logged-in',
    set: (on) => ({ session: on ? 'logged-in' : 'logged-out' }),
  },
  {
    label: 'Agent running',
    means: 'While it is stopped, nothing responds, even though the computer and the file are fine.',
    isOn: ({ agent }) => agent === 'running',
    set: (on) => ({ agent: on ? 'running' : 'stopped' }),
  },
  {
    label: 'Token entered',
    means: 'Without its token, the agent doesn’t know its company.',
    isOn: ({ token }) => token === 'entered',
    set: (on) => ({ token: on ? 'entered' : 'missing' }),
  },
  {
    label: 'A dialog is open',
    means: 'The application refuses access until the dialog is closed.',
    isOn: ({ dialog }) => dialog === 'open',
    set: (on) => ({ dialog: on ? 'open' : 'none' }),
  },
  {
    label: 'Other mode',
    means: 'Single-user instead of multi-user mode, or the reverse.',
    isOn: ({ mode }) => mode === 'other',
    set: (on) => ({ mode: on ? 'other' : 'expected' }),
  },
]

export const OPEN_FILES = [
  { value: 'target', label: 'This company’s' },
  {
    value: 'none',
    label: 'None',
    hint: 'Reading works, because the agent opens the file. Adding a company doesn’t.',
  },
  {
    value: 'another',
    label: 'Another',
    hint: 'Refused until this company’s file is open, or the other one is closed.',
  },
] as const

export const AUTHORIZATIONS = [
  { value: 'granted', label: 'Granted' },
  {
    value: 'pending',
    label: 'Pending',
    hint: 'Requests wait until someone allows access in the application.',
  },
  {
    value: 'denied',
    label: 'Denied',
    hint: 'Refused until someone allows access again with “Yes, always”.',
  },
] as const

/** How long each response takes, in milliseconds. */
export const SPEEDS = [
  { value: '0', label: 'At once' },
  { value: '1000', label: '1 s' },
  { value: '5000', label: '5 s' },
  { value: '30000', label: '30 s' },
] as const

/** Whether a file has a computer and an agent. An online company has only its authorization. */
export function hasMachine(file: SampleDeskFile): boolean {
  return file.endpoint === 'qbd'
}

/** One sentence about all computers. */
export function computersSummary({ files, allWell }: SampleState): string {
  const wrong = files
    .filter(({ conditions }) => !isWell(conditions, allWell))
    .map(({ companyName }) => companyName)
  if (wrong.length === 0) return 'Everything works.'
  return `Something is wrong at ${wrong.length === files.length ? 'every company' : wrong.join(', ')}.`
}

/** Whether **Fix everything** would change nothing. */
export function isEverythingFixed({ files, allWell, closingDate, latencyMs }: SampleState): boolean {
  return closingDate === '' && latencyMs === 0 && files.every(({ conditions }) => isWell(conditions, allWell))
}

function isWell(conditions: SampleConditions, allWell: SampleConditions): boolean {
  return (
    SWITCHES.every(({ isOn }) => isOn(conditions) === isOn(allWell)) &&
    conditions.openFile === allWell.openFile &&
    conditions.authorization === allWell.authorization
  )
}
