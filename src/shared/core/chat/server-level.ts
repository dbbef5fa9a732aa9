/** What a chat server reports about itself at each registration; null if it doesn't. */
export interface ServerLevel {
  /** Such as `10.2`, or `12.0-dev-123-gabc` between releases. */
  readonly version: string | null
  /** Increases with each change of the API. */
  readonly featureLevel: number | null
}

/** The oldest supported server: version 10. */
export const floorLevel = 372

/** The first level of each later version; the API's changelog reserves some for minor versions. */
const versions: readonly (readonly [level: number, version: string])[] = [
  [502, '13'],
  [425, '12'],
  [377, '11'],
]

/**
 * "needs server 11 or later; yours is 10.2", or null if the server supports the level. A server
 * that doesn't report its level is taken to support everything.
 */
export function lackWords(
  server: ServerLevel | null | undefined,
  since: number | undefined,
): string | null {
  if (since === undefined || server?.featureLevel == null || server.featureLevel >= since)
    return null
  const needed = versions.find(([level]) => since >= level)?.[1] ?? '10'
  const { version, featureLevel } = server
  // Between releases, servers of one version differ: only the level tells them apart.
  const isBetween = version === null || version.startsWith(needed)
  return isBetween
    ? `needs feature level ${since}; yours is ${featureLevel}`
    : `needs server ${needed} or later; yours is ${version}`
}

/** "server 10.2, feature level 372", or '' if nothing is known. */
export function serverWords(server: ServerLevel | null | undefined): string {
  if (server == null) return ''
  const { version, featureLevel } = server
  const words = [
    version === null ? '' : `server ${version}`,
    featureLevel === null ? '' : `feature level ${featureLevel}`,
  ].filter((part) => part !== '')
  if (featureLevel !== null && featureLevel < floorLevel)
    words.push('older than Belfry is made for (10)')
  return words.join(', ')
}
