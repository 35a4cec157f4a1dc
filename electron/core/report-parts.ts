/** Reports, runs of reports, months, and schedules. */
import { createReportRuns } from '../app/reports/report-runs.ts'
import { createReports } from '../app/reports/reports.ts'
import { UnattendedRuns } from '../app/reports/unattended-runs.ts'
import { createMonths, type Months } from '../app/review/months.ts'
import { createMonthWatch } from '../app/review/watch.ts'
import { dueStart } from '../app/schedules/calendar.ts'
import { createSchedules } from '../app/schedules/schedules.ts'
import { createSystemScheduler } from '../app/schedules/system-scheduler.ts'
import { createScheduleFiles, scheduleFolder } from '../files/schedule-files.ts'
import type { Rows } from '../rows/rows.ts'
import type { CoreOptions } from './options.ts'
import type { SharedParts } from './service-parts.ts'

export function createReportParts(
  options: CoreOptions,
  { store, rows, windowRows, service }: SharedParts,
  signedAs: () => string,
) {
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const { client, scheduler, companies } = service
  const watchOf = (watched: Rows) =>
    createMonthWatch({
      store: store.months,
      rows: watched,
      clock,
      changed: (company, month) => {
        months.changed(company, month)
      },
      defect: (cause) => {
        options.log.write('watching months', cause)
      },
    })
  const reports = createReports({
    client,
    rows: windowRows,
    companies,
    watch: watchOf(windowRows),
    dialog: options.dialogs.save,
    clipboard: options.desktop.clipboard,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    clock,
    stopEntry: (entryId) => void scheduler.stop(entryId),
  })
  const reportRuns = createReportRuns({
    client,
    rows,
    store: store.reportRuns,
    companies,
    watch: watchOf(rows),
    folderDialog: options.dialogs.folder,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    announcer,
    clock,
    stopEntry: (entryId) => void scheduler.stop(entryId),
    newId: () => random.id(),
    defect: options.log.write,
  })

  const scheduleFiles = createScheduleFiles(scheduleFolder(options.folders.userData))
  const months: Months = createMonths({
    client,
    rows,
    store,
    companies,
    watch: watchOf(rows),
    dialog: options.dialogs.save,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    signedAs,
    announcer,
    clock,
    newId: () => random.id(),
    stopEntry: (entryId) => void scheduler.stop(entryId),
    defect: options.log.write,
  })

  const systemScheduler = createSystemScheduler(
    options.desktop.schedulerHost,
    scheduleFolder(options.folders.userData),
    clock,
  )
  const runs = new UnattendedRuns({
    settings,
    companies: companies.handlers,
    hasKey: (connectionId) => service.connections.keys.target(connectionId),
    reportRuns,
    months,
    announcer,
    onEnded: (runFile, { endedAt, outcome, message, hasFindings }) => {
      scheduleFiles.noteEnd(runFile, { at: endedAt, outcome, message, hasFindings })
      announcer.emit('schedules.changed', {})
    },
    dueAt: async (runFile) => {
      const schedules = scheduleFiles.using(runFile)
      if (schedules.length === 0) return null
      const kind = await systemScheduler.kind()
      const known = kind.ok ? kind.value : null
      const due = schedules
        .map((each) => dueStart(each, scheduleFiles.last(each.scheduleId), clock.now(), known))
        .filter((each) => each !== null)
      return due.length === 0 ? null : Math.max(...due)
    },
    locale: options.program.facts.locale,
    clock,
  })

  return {
    months,
    runs,
    handlers: {
      ...reports.handlers,
      ...reportRuns.handlers,
      ...months.handlers,
      ...createSchedules({
        files: scheduleFiles,
        scheduler: systemScheduler,
        host: options.desktop.schedulerHost,
        runs,
        settings,
        companies,
        folderDialog: options.dialogs.folder,
        openDialog: options.dialogs.open,
        announcer,
        clock,
        newId: () => random.id(),
        defect: options.log.write,
      }),
    },
    start() {
      reportRuns.start()
    },
    /** Closes the reports of the window's page. */
    pageLoaded() {
      reports.forgetAll()
    },
    /** Starts nothing new. */
    stop() {
      runs.close()
      reportRuns.close()
      months.close()
    },
  }
}
