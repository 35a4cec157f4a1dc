/** Backups: everything kept on this computer, except keys and tokens, in one file. */
import { z } from 'zod'
import { SHORTEST_PASSPHRASE } from '../passphrase.ts'
import { call, count, id, isoTime, line, none, savedFile } from './parts.ts'

/** What a backup contains, so that the user can decide. */
const backupContents = z.object({
  madeAt: isoTime,
  /** The version of the program that saved it. */
  program: line,
  connections: count,
  companies: count,
  drafts: count,
  /** Records in the history. */
  sent: count,
  sets: count,
  /** Drafts that have been sent from this computer since. They are left out, so that nothing is sent twice. */
  draftsSentSince: count,
  /** Drafts on this computer now. They are set aside with the rest. */
  draftsHere: count,
})

export const backupCalls = {
  /** **Save a backup…**: asks where to save it, and writes all of it or nothing. With `null`, it isn't encrypted. */
  'backup.save': call(
    z.strictObject({ passphrase: z.string().min(SHORTEST_PASSPHRASE).max(1_000).nullable() }),
    savedFile,
  ),
  /** **Restore…**: asks for a file and checks it completely, without changing anything. `null` if canceled. */
  'backup.choose': call(
    none,
    z
      .object({
        /** Identifies the backup in the calls below, until another one is chosen. */
        restoreId: id,
        fileName: line,
        /** `null` if it is encrypted. Then `backup.unseal` answers the contents. */
        contents: backupContents.nullable(),
      })
      .nullable(),
  ),
  /** A wrong passphrase gives an error of kind `invalid-input`, and can be tried again. */
  'backup.unseal': call(
    z.strictObject({ restoreId: id, passphrase: z.string().min(1).max(1_000) }),
    backupContents,
  ),
  /** Replaces what is here, which is set aside, and reloads the program's state. */
  'backup.restore': call(z.strictObject({ restoreId: id }), none),
  /** Deletes what was unpacked, because the user canceled. */
  'backup.forget': call(none, none),
} as const

export type BackupContents = z.output<typeof backupContents>
