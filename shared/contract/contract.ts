/**
 * All IPC calls and events: the name, input schema, and answer schema of each, in files by noun. The main process
 * checks them; the window uses only the types. A call returns a `Result<answer, AppError>`.
 *
 * To add a call, add a line to the file of its noun, and a handler in `electron/app/`. The compiler asks for the rest.
 */
import type { z } from 'zod'
import { activityCalls, activityEvents } from './activity.ts'
import {
  allCompaniesCalls,
  allCompaniesEvents,
  multiCompanyChangeCalls,
  multiCompanyChangeEvents,
} from './all-companies.ts'
import { appCalls, updateCalls, updateEvents, windowEvents } from './app.ts'
import { backupCalls } from './backup.ts'
import { companyCalls, companyEvents } from './companies.ts'
import { connectionCalls, connectionEvents } from './connections.ts'
import { exportCalls } from './export.ts'
import { historyCalls } from './history.ts'
import { importCalls } from './import.ts'
import { recordCalls, recordEvents } from './records.ts'
import { reportRunCalls, reportRunEvents } from './report-runs.ts'
import { reportCalls } from './reports.ts'
import { reviewCalls, reviewEvents } from './review.ts'
import { sampleCalls } from './sample.ts'
import { scheduleCalls, scheduleEvents } from './schedules.ts'
import { settingsCalls, settingsEvents } from './settings.ts'
import { tidyCalls } from './tidy.ts'

export const CALLS = {
  ...appCalls,
  ...backupCalls,
  ...connectionCalls,
  ...companyCalls,
  ...recordCalls,
  ...importCalls,
  ...exportCalls,
  ...reportCalls,
  ...reportRunCalls,
  ...reviewCalls,
  ...allCompaniesCalls,
  ...activityCalls,
  ...historyCalls,
  ...sampleCalls,
  ...scheduleCalls,
  ...settingsCalls,
  ...multiCompanyChangeCalls,
  ...tidyCalls,
  ...updateCalls,
} as const

export const EVENTS = {
  ...allCompaniesEvents,
  ...activityEvents,
  ...companyEvents,
  ...connectionEvents,
  ...recordEvents,
  ...reportRunEvents,
  ...scheduleEvents,
  ...reviewEvents,
  ...settingsEvents,
  ...multiCompanyChangeEvents,
  ...updateEvents,
  ...windowEvents,
} as const

export type CallName = keyof typeof CALLS
export type CallInput<Name extends CallName> = z.input<(typeof CALLS)[Name]['input']>
/** The checked input, as a handler gets it. */
export type CheckedInput<Name extends CallName> = z.output<(typeof CALLS)[Name]['input']>
export type CallOutput<Name extends CallName> = z.output<(typeof CALLS)[Name]['output']>
export type EventName = keyof typeof EVENTS
export type EventPayload<Name extends EventName> = z.output<(typeof EVENTS)[Name]>
