// The configuration of a package that depends on the computer that makes it, in addition to `electron-builder.yml`. Pure,
// so that it can be tested without a certificate.

/** The part of electron-builder's configuration that the environment decides. */
export type PackageConfig = {
  readonly forceCodeSigning: boolean
  readonly publish: null | { readonly provider: 'generic'; readonly url: string }
  readonly mac: { readonly notarize: boolean; readonly identity?: null }
  readonly electronDist?: string
  readonly npmRebuild?: false
  readonly directories?: { readonly output: string }
}

/** The address of the update files of a signed build. */
export const UPDATES_VARIABLE = 'BOOKBRIDGE_UPDATES'

/**
 * The package is signed if the environment has a certificate, in electron-builder's own variables. Only a signed package
 * gets the update address; an unsigned one never checks for updates. Throws if the address isn't `https`, because
 * downloads from there are run.
 */
export function packageConfig(
  environment: Readonly<Record<string, string | undefined>>,
  system: NodeJS.Platform,
): PackageConfig {
  const given = (name: string): boolean => (environment[name] ?? '') !== ''
  const isSigned = given('CSC_LINK') || (system === 'win32' && given('WIN_CSC_LINK'))
  const isNotarized =
    given('APPLE_API_KEY') ||
    (given('APPLE_ID') && given('APPLE_APP_SPECIFIC_PASSWORD') && given('APPLE_TEAM_ID'))
  const address = environment[UPDATES_VARIABLE] ?? ''
  if (address !== '' && !(URL.canParse(address) && new URL(address).protocol === 'https:')) {
    throw new Error(`${UPDATES_VARIABLE} is no https address.`)
  }
  return {
    forceCodeSigning: isSigned,
    publish: isSigned && address !== '' ? { provider: 'generic', url: address } : null,
    // Without a certificate, don't use one from the keychain by accident.
    mac: { notarize: isSigned && isNotarized, ...(isSigned ? {} : { identity: null }) },
  }
}
