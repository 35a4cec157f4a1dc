/** Backup: everything that is kept on this computer but keys and tokens, in one file, and back from it. */
import { z } from 'zod'
import { id, line, isoTime, count, none, savedFile, call } from './parts.ts'

/** What a backup holds, for the person to decide by. */
const backupContents = z.object({
  /** Names the backup in `backup.restore`; good until another one is chosen. */
  restoreId: id,
  fileName: line,
  madeAt: isoTime,
  /** Version of the program that made it. */
  program: line,
  connections: count,
  companies: count,
  drafts: count,
  /** Records that were sent, as history has them. */
  sent: count,
  sets: count,
  /** Drafts that were sent from this computer since: they are left out, so that nothing is sent twice. */
  draftsSentSince: count,
  /** Drafts that are here now, and are set aside with the rest. */
  draftsHere: count,
})

export const backupCalls = {
  /** **Save a backup…**: asks where to, and writes it whole or not at all. */
  'backup.save': call(none, savedFile),
  /** **Restore…**: asks for a file and checks all of it; nothing is changed yet. `null` when cancelled. */
  'backup.choose': call(none, backupContents.nullable()),
  /** Puts it in the place of what is here, which is set aside, and starts the program’s state anew. */
  'backup.restore': call(z.strictObject({ restoreId: id }), none),
  /** The person chose not to: what was unpacked goes. */
  'backup.forget': call(none, none),
} as const

export type BackupContents = z.output<typeof backupContents>
