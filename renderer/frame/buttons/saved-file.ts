/** Says that a file was saved, and offers **Show in folder**. */
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { Api } from '../../api.ts'
import type { LiveAnnouncer, Toasts } from '../../ui/notices/announcer.svelte.ts'

interface Ports {
  readonly api: Api
  readonly announcer: LiveAnnouncer
  readonly toasts: Toasts
}

/** @param note a sentence about the file; empty for none */
export function showSaved(file: Extract<SavedFile, { saved: true }>, note: string, ports: Ports): void {
  const message = note === '' ? `Saved ${file.name}` : `Saved ${file.name}. ${note}`
  ports.announcer.say(message)
  ports.toasts.show(message, {
    label: 'Show in folder',
    run: () => void ports.api.call('app.showFile', { path: file.path }),
  })
}
