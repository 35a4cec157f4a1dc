/** Ids of companies. A service does not write one alike everywhere: they are told apart without case and outer blanks. */

/** What two spellings of one id have in common. */
export function companyIdKey(endpointId: string): string {
  return endpointId.trim().toLowerCase()
}

export function isSameId(left: string, right: string): boolean {
  return companyIdKey(left) === companyIdKey(right)
}

/** The one of them with this id: as it is written where there is one, else in another spelling. */
export function byCompanyId<One>(
  all: readonly One[],
  endpointId: string,
  idOf: (one: One) => string,
): One | undefined {
  return all.find((one) => idOf(one) === endpointId) ?? all.find((one) => isSameId(idOf(one), endpointId))
}
