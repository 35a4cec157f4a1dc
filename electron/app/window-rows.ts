/** The lists and reports that the window's page has the rows worker hold, so that they can be let go of with it. */
import type { Rows } from '../rows/rows.ts'

export interface WindowRows extends Rows {
  /** Closes all that was opened through here; others' sets, such as those of reading back, stay. */
  closeAll(): Promise<void>
}

export function createWindowRows(rows: Rows): WindowRows {
  const sets = new Set<string>()
  const reports = new Set<string>()
  /** Counts the pages, so that what one has begun to open is not held for the next. */
  let page = 0

  const closeSet = async (setId: string): Promise<void> => {
    sets.delete(setId)
    await rows.closeSet(setId)
  }
  const closeReport = async (reportId: string): Promise<void> => {
    reports.delete(reportId)
    await rows.closeReport(reportId)
  }

  return {
    ...rows,
    async openSet() {
      const openedBy = page
      const setId = await rows.openSet()
      sets.add(setId)
      if (openedBy !== page) await closeSet(setId)
      return setId
    },
    closeSet,
    async openReport(name, raw) {
      const openedBy = page
      const opened = await rows.openReport(name, raw)
      if (!opened.ok) return opened
      reports.add(opened.value.reportId)
      if (openedBy !== page) await closeReport(opened.value.reportId)
      return opened
    },
    closeReport,
    async closeAll() {
      page += 1
      await Promise.all([...[...sets].map(closeSet), ...[...reports].map(closeReport)])
    },
  }
}
