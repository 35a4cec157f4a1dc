/** A job of reports for several companies: which reports of whom, and how far each is. */
import type { CompanyRef } from '../contract/parts.ts'
import type { AppError } from '../result.ts'
import type { Period } from './periods.ts'

/** What a report of a company is on its way to. */
export const ITEM_STATES = ['waiting', 'making', 'made', 'failed', 'skipped', 'not-offered'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/** `needs-you`: only companies that stay silent are left. `stopped`: by the person, an error, or the program's end. */
export const JOB_STATES = ['running', 'needs-you', 'stopped', 'finished'] as const
export type JobState = (typeof JOB_STATES)[number]

/** What is made of each report. */
export const JOB_FILES = ['xlsx', 'pdf', 'csv'] as const
export type JobFile = (typeof JOB_FILES)[number]

export interface JobItem {
  readonly itemId: string
  readonly endpointId: string
  /** As asked for, and as its application has it. */
  readonly name: string
  readonly madeAs: string
  readonly state: ItemState
  readonly error: AppError | null
  /** Names of the files in the job's folder, known before they are written: a second writing is to the same. */
  readonly files: readonly string[]
  /** Of each of them, what its size and time were when it was written; empty while it is not. */
  readonly marks: readonly string[]
  /** How many totals don't add up. */
  readonly findings: number
  /** What else there is to say of it: what the service said beside its rows, and which file was not made. */
  readonly said: readonly string[]
}

/** Whether a company answered: each is asked before its reports. */
export const CONTACTS = ['untested', 'answered', 'silent'] as const
export type Contact = (typeof CONTACTS)[number]

export interface JobCompany extends Period {
  readonly company: CompanyRef
  readonly companyName: string
  readonly application: string
  readonly applicationName: string
  readonly contact: Contact
  /** What its silence said; `null` while it answers. */
  readonly silence: AppError | null
}

/** A file of several reports: the workbook of all, or one company's PDF pack. */
export interface JointFile {
  readonly name: string
  /** Whose pack; empty for the workbook of all. */
  readonly endpointId: string
  /** The reports in it; none while it is being written for the first time. */
  readonly itemIds: readonly string[]
  /** What the file's size and time were when it was written, to see whether somebody has changed it since. */
  readonly mark: string
}

export interface ReportJob {
  readonly jobId: string
  readonly connectionId: string
  /** *Month end*, or the report's name in words. */
  readonly title: string
  readonly createdAt: string
  readonly folder: string
  readonly state: JobState
  /** Why it stopped, where it was not the person. */
  readonly error: AppError | null
  readonly companies: readonly JobCompany[]
  readonly items: readonly JobItem[]
  readonly fileKinds: readonly JobFile[]
  /** One workbook of all reports; one PDF with a cover for each company. */
  readonly combined: boolean
  readonly pack: boolean
  readonly hideZeroRows: boolean
  readonly files: readonly JointFile[]
}

/** How many reports are how far; those that an application does not have are counted apart. */
export function jobCounts(job: Pick<ReportJob, 'items'>): Readonly<Record<ItemState, number>> {
  const counts = { waiting: 0, making: 0, made: 0, failed: 0, skipped: 0, 'not-offered': 0 }
  for (const { state } of job.items) counts[state] += 1
  return counts
}
