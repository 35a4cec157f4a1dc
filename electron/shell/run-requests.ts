/**
 * `--run=FILE` while Bookbridge is open: the second program leaves its run file in `<userData>/runs`, the open one makes
 * the reports, and the second ends with the run's exit code. Files rather than a message, so that the second program
 * learns the outcome. A `NAME.request` becomes `NAME.taken` and then `NAME.done`.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import { RUN_EXIT_CODES } from '../app/reports/run-summary.ts'
import type { RunRequest, UnattendedRuns } from '../app/reports/unattended-runs.ts'
import type { Clock } from '../clock.ts'

/** In bytes. A run file that names 500 companies has a hundredth of this. */
const LARGEST_FILE = 4 * 1024 * 1024
const requestSchema = z.strictObject({ text: z.string().max(LARGEST_FILE), file: z.string() })
const doneSchema = z.object({ message: z.string(), exitCode: z.number().int() })

/** The result that a program leaves after a run. */
export type RunEnd = z.output<typeof doneSchema>

/** Milliseconds between two checks of the folder. */
const CHECK_EVERY = 1_000
/** After this many checks, the open program renews its claim. */
const RENEW_AFTER_CHECKS = 5
/** After this many checks without a renewal, the second program gives up. */
const GIVE_UP_AFTER_CHECKS = 90
const NOT_STARTED = RUN_EXIT_CODES['not-started']
const PARTLY_MADE = RUN_EXIT_CODES['partly-made']
/** Older files of earlier programs are deleted. */
const OLDEST_MS = 24 * 3_600_000

/** Reads the run file that the command line names, and has its reports made. */
export async function runFile(file: string, make: (request: RunRequest) => Promise<RunEnd>): Promise<RunEnd> {
  const request = readRequest(file)
  return request.ok ? make(request.value) : { message: request.error.message, exitCode: NOT_STARTED }
}

function readRequest(file: string): Result<RunRequest> {
  const path = resolve(file)
  try {
    if (statSync(path).size > LARGEST_FILE) return err(appError('file', 'The run file is too large.'))
    return ok({ text: readFileSync(path, 'utf8'), file: path })
  } catch (cause) {
    return err(appError('file', `The run file ${path} can’t be read.`, '', { raw: causeText(cause) }))
  }
}

/** Makes a run's reports. */
export async function serveRun(runs: Pick<UnattendedRuns, 'run'>, request: RunRequest): Promise<RunEnd> {
  const summary = await runs.run(request)
  return { message: `${summary.title}: ${summary.message}`, exitCode: RUN_EXIT_CODES[summary.outcome] }
}

export interface RunRequests {
  /** Resolves when no request is left. */
  settled(): Promise<void>
  close(): void
}

/** Serves the requests of other programs until it is closed. */
export function createRunRequests(options: {
  readonly userData: string
  readonly clock: Pick<Clock, 'after' | 'now'>
  /** `null` while the core is reopened: requests wait. */
  readonly runs: () => Pick<UnattendedRuns, 'run'> | null
  readonly defect: (cause: unknown) => void
}): RunRequests {
  const folder = runsFolder(options.userData)
  const taken = new Set<string>()
  const serving = new Set<Promise<void>>()
  let checks = 0
  let cancel = (): void => undefined
  let isClosed = false

  const serve = async (runs: Pick<UnattendedRuns, 'run'>, name: string): Promise<void> => {
    const claimed = join(folder, `${name}.taken`)
    renameSync(join(folder, `${name}.request`), claimed)
    taken.add(name)
    const content: unknown = JSON.parse(readFileSync(claimed, 'utf8'))
    const ended = await serveRun(runs, requestSchema.parse(content))
    if (!isClosed) finish(name, ended)
  }

  const finish = (name: string, ended: RunEnd): void => {
    taken.delete(name)
    writeAtOnce(folder, name, 'done', ended)
    rmSync(join(folder, `${name}.taken`), { force: true })
  }

  const look = (): void => {
    checks += 1
    const now = options.clock.now() / 1_000
    if (checks % RENEW_AFTER_CHECKS === 0)
      for (const name of taken) utimesSync(join(folder, `${name}.taken`), now, now)
    const runs = options.runs()
    if (runs === null) return
    for (const name of requestsIn(folder)) {
      const served = serve(runs, name)
        .catch((cause: unknown) => {
          options.defect(cause)
          if (taken.has(name)) finish(name, { message: 'The run failed.', exitCode: PARTLY_MADE })
        })
        .finally(() => serving.delete(served))
      serving.add(served)
    }
  }

  const lookAgain = (): void => {
    try {
      look()
    } catch (cause) {
      options.defect(cause)
    }
    if (!isClosed) cancel = options.clock.after(CHECK_EVERY, lookAgain)
  }
  removeOld(folder, options.clock.now())
  lookAgain()

  return {
    async settled() {
      do {
        look()
        await Promise.all(serving)
      } while (serving.size > 0)
    },
    close() {
      isClosed = true
      cancel()
      const message = 'Bookbridge was closed before the run ended.'
      for (const name of [...taken]) finish(name, { message, exitCode: PARTLY_MADE })
    },
  }
}

/** Hands a run to the program that is open on the same folder, and waits for its end. */
export async function forwardRun(
  userData: string,
  request: RunRequest,
  name: string,
  wait: (milliseconds: number) => Promise<void>,
): Promise<RunEnd> {
  const folder = runsFolder(userData)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeAtOnce(folder, name, 'request', request)
  let claim = ''
  for (let checks = 0; checks < GIVE_UP_AFTER_CHECKS; checks += 1) {
    await wait(CHECK_EVERY)
    const done = readDone(join(folder, `${name}.done`))
    if (done !== null) return done
    const claimed = changeOf(join(folder, `${name}.taken`))
    if (claimed !== claim) checks = 0
    claim = claimed
  }
  const wasTaken = claim !== ''
  for (const ending of ['request', 'taken']) rmSync(join(folder, `${name}.${ending}`), { force: true })
  return wasTaken
    ? { message: 'Bookbridge ended before the run did.', exitCode: PARTLY_MADE }
    : { message: 'The open Bookbridge didn’t start the run.', exitCode: NOT_STARTED }
}

/** Renamed into place, so that the other program never reads a partial file. */
function writeAtOnce(
  folder: string,
  name: string,
  ending: 'request' | 'done',
  content: RunRequest | RunEnd,
): void {
  const part = join(folder, `${name}.part`)
  writeFileSync(part, JSON.stringify(content), { mode: 0o600 })
  renameSync(part, join(folder, `${name}.${ending}`))
}

function runsFolder(userData: string): string {
  return join(userData, 'runs')
}

function requestsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.request'))
      .map((name) => name.slice(0, -'.request'.length))
      .sort()
  } catch {
    // No run has been requested yet.
    return []
  }
}

function removeOld(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (statSync(path).mtimeMs < now - OLDEST_MS) rmSync(path, { force: true })
    }
  } catch {
    // As above.
  }
}

function readDone(path: string): RunEnd | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  rmSync(path, { force: true })
  return doneSchema.parse(JSON.parse(text))
}

/** When the file was last changed; empty where there is none. */
function changeOf(path: string): string {
  return String(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? '')
}
