// What a package is besides `electron-builder.yml`: what depends on the machine that makes it. Pure, so that it can be
// shown without a certificate.

/** As far as electron-builder's configuration is decided here. */
export type PackageConfig = {
  readonly forceCodeSigning: boolean
  readonly publish: null | { readonly provider: 'generic'; readonly url: string }
  readonly mac: { readonly notarize: boolean; readonly identity?: null }
  readonly electronDist?: string
  readonly npmRebuild?: false
  readonly directories?: { readonly output: string }
}

/** Where the update files of a signed build are looked for. */
export const UPDATES_VARIABLE = 'BOOKBRIDGE_UPDATES'

/**
 * Signed when the environment brings a certificate, in electron-builder's own variables. Only a signed package gets
 * the address of updates, and without that address the program never looks for one. Throws when the address is no
 * `https` one: what comes from there is run.
 */
export function packageConfig(
  environment: Readonly<Record<string, string | undefined>>,
  system: NodeJS.Platform,
): PackageConfig {
  const given = (name: string): boolean => (environment[name] ?? '') !== ''
  const isSigned = given('CSC_LINK') || (system === 'win32' && given('WIN_CSC_LINK'))
  const isNotarised =
    given('APPLE_API_KEY') ||
    (given('APPLE_ID') && given('APPLE_APP_SPECIFIC_PASSWORD') && given('APPLE_TEAM_ID'))
  const address = environment[UPDATES_VARIABLE] ?? ''
  if (address !== '' && !(URL.canParse(address) && new URL(address).protocol === 'https:')) {
    throw new Error(`${UPDATES_VARIABLE} is no https address.`)
  }
  return {
    forceCodeSigning: isSigned,
    publish: isSigned && address !== '' ? { provider: 'generic', url: address } : null,
    // Without a certificate nothing of the builder's keychain is used by chance.
    mac: { notarize: isSigned && isNotarised, ...(isSigned ? {} : { identity: null }) },
  }
}
