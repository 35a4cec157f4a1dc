/** The desk with every company's reports, handed down by context from `App.svelte`. */
import { createContext } from 'svelte'
import type { ReportDesk } from './report.svelte.ts'

export const [getReportDesk, setReportDesk] = createContext<ReportDesk>()
