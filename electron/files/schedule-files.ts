/**
 * Schedules on disk, in their own folder. `ID.schedule.json` contains the schedule, `ID.run.json` its run file
 * unless the user provided one, and `ID.last.json` the result of the last start. The program that the scheduler
 * starts writes the last one itself, so that an interrupted run leaves its beginning.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { lastRunSchema, type LastScheduledRun, scheduleTime } from '../../shared/contract/schedules.ts'

const savedSchedule = z.object({
  scheduleId: z.uuid(),
  name: z.string(),
  when: scheduleTime,
  addedAt: z.iso.datetime(),
  /** When its times were changed; only if they were. */
  timedAt: z.iso.datetime().optional(),
  /** An absolute path. */
  runFile: z.string(),
  registered: z.string(),
})

export type SavedSchedule = z.output<typeof savedSchedule>

export interface ScheduleFiles {
  /** Lists the schedules, oldest first. */
  list(): readonly SavedSchedule[]
  /** Lists the IDs of schedules whose file can’t be read. */
  damaged(): readonly string[]
  /** Lists the schedules that use a run file. */
  using(runFile: string): readonly SavedSchedule[]
  save(schedule: SavedSchedule): void
  /** Deletes all files of a schedule, except a run file that the user provided. */
  remove(scheduleId: string): void
  /** Returns the path of the run file that `saveRun` writes. */
  runPath(scheduleId: string): string
  saveRun(scheduleId: string, content: unknown): void
  last(scheduleId: string): LastScheduledRun | null
  /** Records the start of a run file for each schedule that uses it. */
  noteStart(runFile: string, startedAt: string): void
  /** Records the end of the run, unless the program that made its reports already did. */
  noteEnd(runFile: string, ended: NonNullable<LastScheduledRun['ended']>): void
}

const SCHEDULE = '.schedule.json'

/** Returns the folder of schedules inside the user-data folder. */
export function scheduleFolder(userData: string): string {
  return join(userData, 'schedules')
}

/** @param folder created when the first schedule is saved */
export function createScheduleFiles(folder: string): ScheduleFiles {
  const path = (scheduleId: string, kind: 'schedule' | 'run' | 'last'): string =>
    join(folder, `${scheduleId}.${kind}.json`)

  const write = (to: string, content: unknown): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Write and rename, so that the other program never reads a partial file. After a power failure, the new name must
    // not exist without the content.
    const file = openSync(`${to}.part`, 'w', 0o600)
    try {
      writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${to}.part`, to)
  }

  const list = (): readonly SavedSchedule[] => {
    const saved = namesIn(folder).flatMap((name) => {
      const read = name.endsWith(SCHEDULE) ? readJson(join(folder, name), savedSchedule) : null
      return read === null ? [] : [read]
    })
    return saved.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt))
  }

  const last = (scheduleId: string): LastScheduledRun | null =>
    readJson(path(scheduleId, 'last'), lastRunSchema)

  const using = (runFile: string): readonly SavedSchedule[] =>
    list().filter((each) => resolve(each.runFile) === resolve(runFile))

  return {
    list,
    damaged: () => {
      const readable = new Set(list().map(({ scheduleId }) => scheduleId))
      return namesIn(folder)
        .filter((name) => name.endsWith(SCHEDULE))
        .map((name) => name.slice(0, -SCHEDULE.length))
        .filter((scheduleId) => z.uuid().safeParse(scheduleId).success && !readable.has(scheduleId))
    },
    using,
    save: (schedule) => {
      write(path(schedule.scheduleId, 'schedule'), schedule)
    },
    remove(scheduleId) {
      for (const kind of ['schedule', 'run', 'last'] as const) rmSync(path(scheduleId, kind), { force: true })
    },
    runPath: (scheduleId) => path(scheduleId, 'run'),
    saveRun: (scheduleId, content) => {
      write(path(scheduleId, 'run'), content)
    },
    last,
    noteStart(runFile, startedAt) {
      for (const { scheduleId } of using(runFile)) {
        const previousAt = last(scheduleId)?.startedAt ?? null
        write(path(scheduleId, 'last'), { startedAt, previousAt, ended: null } satisfies LastScheduledRun)
      }
    },
    noteEnd(runFile, ended) {
      for (const { scheduleId } of using(runFile)) {
        const started = last(scheduleId)
        if (started?.ended !== null) continue
        write(path(scheduleId, 'last'), { ...started, ended } satisfies LastScheduledRun)
      }
    },
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // There are no schedules yet.
    return []
  }
}

function readJson<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> | null {
  try {
    const read = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
