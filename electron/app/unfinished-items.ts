/** What is unfinished anywhere on this computer. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { UnfinishedStore } from '../store/store.ts'
import type { SettingsStore } from './ports.ts'

/** Of every connection, in the order of the settings; an error when one of them could not be looked through. */
export function unfinishedItems(
  unfinished: UnfinishedStore,
  settings: Pick<SettingsStore, 'connections'>,
): Result<readonly UnfinishedItem[]> {
  const items: UnfinishedItem[] = []
  for (const { connectionId } of settings.connections()) {
    const listed = unfinished.list(connectionId)
    if (!listed.ok) return listed
    items.push(...listed.value)
  }
  return ok(items)
}
