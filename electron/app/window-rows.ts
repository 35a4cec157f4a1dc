/** The lists and reports that the window's page has the rows worker hold, so that they can be let go of with it. */
import type { Result } from '../../shared/result.ts'
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
  /** Keeps what was opened by this page; what another one asked for is let go of at once. */
  const hold = async <T extends Result<{ readonly reportId: string }>>(
    openedBy: number,
    opened: T,
  ): Promise<T> => {
    if (!opened.ok) return opened
    reports.add(opened.value.reportId)
    if (openedBy !== page) await closeReport(opened.value.reportId)
    return opened
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
      return hold(openedBy, await rows.openReport(name, raw))
    },
    async combineReports(making, name, parts) {
      const openedBy = page
      return hold(openedBy, await rows.combineReports(making, name, parts))
    },
    closeReport,
    async closeAll() {
      page += 1
      await Promise.all([...[...sets].map(closeSet), ...[...reports].map(closeReport)])
    },
  }
}
