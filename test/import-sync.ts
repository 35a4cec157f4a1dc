/** Runs the steps of an import to completion that the window runs in time slices. */
import { contentFingerprint as fingerprinting } from '../renderer/records/import/plan/fingerprint.ts'
import { type ImportPlan, planImport as planning } from '../renderer/records/import/plan/plan.ts'
import { runToCompletion } from '../renderer/records/list/time-slice.ts'

export function planImport(...input: Parameters<typeof planning>): ImportPlan {
  return runToCompletion(planning(...input))
}

export function fileFingerprint(...input: Parameters<typeof fingerprinting>): string {
  return runToCompletion(fingerprinting(...input))
}
