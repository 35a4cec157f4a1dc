/** Tracks the lists and reports that the window's page opened in the rows worker, so they can be closed with the page. */
import type { Result } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'

/** The methods that open something. Each of them must be tracked; the compiler reports a missing one. */
type Opening = Extract<keyof Rows, `open${string}` | `combine${string}`>

export interface WindowRows extends Rows {
  /** Closes everything opened through this object. Sets that others opened stay open. */
  closeAll(): Promise<void>
}

export function createWindowRows(rows: Rows): WindowRows {
  const sets = new Set<string>()
  const reports = new Set<string>()
  /** Counts pages, so that what one page began to open is not kept for the next. */
  let page = 0

  const closeSet = async (setId: string): Promise<void> => {
    sets.delete(setId)
    await rows.closeSet(setId)
  }
  const closeReport = async (reportId: string): Promise<void> => {
    reports.delete(reportId)
    await rows.closeReport(reportId)
  }
  /** Keeps what this page opened. Immediately closes what an earlier page opened. */
  const hold = async <T extends Result<{ readonly reportId: string }>>(
    openedBy: number,
    opened: T,
  ): Promise<T> => {
    if (!opened.ok) return opened
    reports.add(opened.value.reportId)
    if (openedBy !== page) await closeReport(opened.value.reportId)
    return opened
  }

  const tracked: Pick<Rows, Opening | 'closeSet' | 'closeReport'> = {
    async openSet() {
      const openedBy = page
      const setId = await rows.openSet()
      sets.add(setId)
      if (openedBy !== page) await closeSet(setId)
      return setId
    },
    closeSet,
    async openKept(file) {
      const openedBy = page
      const opened = await rows.openKept(file)
      if (!opened.ok || opened.value === null) return opened
      sets.add(opened.value.setId)
      if (openedBy !== page) await closeSet(opened.value.setId)
      return opened
    },
    async openReport(name, raw) {
      const openedBy = page
      return hold(openedBy, await rows.openReport(name, raw))
    },
    async combineReports(making, name, parts) {
      const openedBy = page
      return hold(openedBy, await rows.combineReports(making, name, parts))
    },
    closeReport,
  }
  return {
    ...rows,
    ...tracked,
    async closeAll() {
      page += 1
      await Promise.all([...[...sets].map(closeSet), ...[...reports].map(closeReport)])
    },
  }
}
