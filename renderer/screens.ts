/** The screens. Each is a separate chunk, so that the window opens without waiting for the grid or the charts. */
import type { Component } from 'svelte'
import type { Screen } from './frame/router.svelte.ts'

export const SCREENS: Readonly<Record<Screen, () => Promise<{ readonly default: Component }>>> = {
  companies: () => import('./companies/CompaniesScreen.svelte'),
  records: () => import('./records/screen/RecordsScreen.svelte'),
  reports: () => import('./reports/ReportsScreen.svelte'),
  activity: () => import('./activity/ActivityScreen.svelte'),
  settings: () => import('./settings/SettingsScreen.svelte'),
}
