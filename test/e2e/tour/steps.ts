// The tour as data: where it goes, in order, and what each picture shows. `npm run tour` walks through it with the
// sample and saves the pictures for the docs.
import type { Step } from './step.ts'
import { clientSteps } from './steps-clients.ts'
import { companySteps } from './steps-companies.ts'
import { firstStartSteps } from './steps-first-start.ts'
import { outcomeSteps } from './steps-outcomes.ts'
import { recordSteps } from './steps-records.ts'
import { reportSteps } from './steps-reports.ts'
import { restSteps } from './steps-rest.ts'

export const steps: readonly Step[] = [
  ...firstStartSteps,
  ...companySteps,
  ...recordSteps,
  ...reportSteps,
  ...restSteps,
  ...outcomeSteps,
  ...clientSteps,
]
