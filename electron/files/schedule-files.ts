/**
 * Schedules on disk, in a folder of their own: `ID.schedule.json` says when and what, `ID.run.json` is its run file
 * where the person brought none, and `ID.last.json` is how the last start went. The program that a scheduler starts
 * writes the last one itself, so that a run which is cut off leaves its beginning.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { type LastRun, lastRunSchema, scheduleTime } from '../../shared/contract/schedules.ts'

const savedSchedule = z.object({
  scheduleId: z.uuid(),
  name: z.string(),
  when: scheduleTime,
  addedAt: z.iso.datetime(),
  /** Absolute. */
  runFile: z.string(),
  registered: z.string(),
})

export type SavedSchedule = z.output<typeof savedSchedule>

export interface ScheduleFiles {
  /** Oldest first. A file that can't be read is left alone and left out. */
  list(): readonly SavedSchedule[]
  save(schedule: SavedSchedule): void
  /** Deletes everything of a schedule. A run file that the person brought stays. */
  remove(scheduleId: string): void
  /** The path of a run file of ours, which `saveRun` writes. */
  runPath(scheduleId: string): string
  saveRun(scheduleId: string, content: unknown): void
  last(scheduleId: string): LastRun | null
  /** Notes that a run file was started, for each schedule that has it. */
  noteStart(runFile: string, startedAt: string): void
  /** Notes how it ended, unless the program that made its reports has noted it. */
  noteEnd(runFile: string, ended: NonNullable<LastRun['ended']>): void
}

/** Where schedules are, in the folder of everything this program saves. */
export function scheduleFolder(userData: string): string {
  return join(userData, 'schedules')
}

/** @param folder is created when the first schedule is saved */
export function createScheduleFiles(folder: string): ScheduleFiles {
  const path = (scheduleId: string, kind: 'schedule' | 'run' | 'last'): string =>
    join(folder, `${scheduleId}.${kind}.json`)

  const write = (to: string, content: unknown): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // The other program never reads half of it.
    writeFileSync(`${to}.part`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${to}.part`, to)
  }

  const list = (): readonly SavedSchedule[] => {
    const saved = namesIn(folder).flatMap((name) => {
      const read = name.endsWith('.schedule.json') ? readJson(join(folder, name), savedSchedule) : null
      return read === null ? [] : [read]
    })
    return saved.toSorted((one, other) => one.addedAt.localeCompare(other.addedAt))
  }

  const last = (scheduleId: string): LastRun | null => readJson(path(scheduleId, 'last'), lastRunSchema)

  const withRunFile = (runFile: string): readonly SavedSchedule[] =>
    list().filter((each) => resolve(each.runFile) === resolve(runFile))

  return {
    list,
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
      for (const { scheduleId } of withRunFile(runFile)) {
        write(path(scheduleId, 'last'), { startedAt, ended: null } satisfies LastRun)
      }
    },
    noteEnd(runFile, ended) {
      for (const { scheduleId } of withRunFile(runFile)) {
        const started = last(scheduleId)
        if (started?.ended !== null) continue
        write(path(scheduleId, 'last'), { ...started, ended } satisfies LastRun)
      }
    },
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // There is no schedule yet.
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
