/** The preferences of a new installation; the figures are those of decisions.md. */
import type { Settings } from '../../shared/contract/settings.ts'

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  negatives: 'minus',
  readSeconds: 120,
  writeSeconds: 180,
  provisionSeconds: 600,
  reportSeconds: 300,
  settleSeconds: 5,
  lookAgainSeconds: 60,
  batchSize: 50,
  answerMebibytes: 400,
  markWithExternalId: true,
  pageParameter: 'page',
  dataSchemaVersion: '20.04',
  reportSchemaVersion: '1',
  certificateFile: '',
  historyDays: 365,
  columnStates: {},
  lastCompany: null,
}
