/** Backup: everything that is kept on this computer but keys and tokens, in one file, and back from it. */
import { z } from 'zod'
import { SHORTEST_PASSPHRASE } from '../passphrase.ts'
import { id, line, isoTime, count, none, savedFile, call } from './parts.ts'

/** What a backup holds, for the person to decide by. */
const backupContents = z.object({
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
  /** **Save a backup…**: asks where to, and writes it whole or not at all. `null`: readable by whoever has the file. */
  'backup.save': call(
    z.strictObject({ passphrase: z.string().min(SHORTEST_PASSPHRASE).max(1_000).nullable() }),
    savedFile,
  ),
  /** **Restore…**: asks for a file and checks all of it; nothing is changed yet. `null` when cancelled. */
  'backup.choose': call(
    none,
    z
      .object({
        /** Names the backup in the calls below; good until another one is chosen. */
        restoreId: id,
        fileName: line,
        /** `null`: it is sealed, and `backup.unseal` tells. */
        contents: backupContents.nullable(),
      })
      .nullable(),
  ),
  /** With another passphrase an error of kind `invalid-input`; then it can be tried again. */
  'backup.unseal': call(
    z.strictObject({ restoreId: id, passphrase: z.string().min(1).max(1_000) }),
    backupContents,
  ),
  /** Puts it in the place of what is here, which is set aside, and starts the program’s state anew. */
  'backup.restore': call(z.strictObject({ restoreId: id }), none),
  /** The person chose not to: what was unpacked goes. */
  'backup.forget': call(none, none),
} as const

export type BackupContents = z.output<typeof backupContents>
