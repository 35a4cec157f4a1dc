/** Determines the name shown beside decisions and closed months. */

/** Account names that come with a computer, or that several people share. */
const ACCOUNTS = new Set([
  'admin',
  'administrator',
  'guest',
  'localadmin',
  'owner',
  'root',
  'system',
  'ubuntu',
  'user',
])

/**
 * Returns the name given as **Prepared by** in Settings, or the name of the computer's account. Empty if that names an
 * account and no person, such as *root*.
 */
export function signature(preparer: string, accountName: string): string {
  const given = preparer.trim()
  if (given !== '') return given
  const account = accountName.trim()
  return ACCOUNTS.has(account.toLowerCase()) ? '' : account
}
