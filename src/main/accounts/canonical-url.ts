/**
 * The address to keep for a realm, given the one that was typed and the one its server calls its
 * own. A key belongs to the address that the user gave: an answer that any captive portal could
 * forge must not send it to another host, nor down to plain http. What is left for the server to
 * say is that this same host is to be spoken to over https.
 */
export function canonicalBaseUrl(typed: string, realmUrl: string | null): string {
  if (realmUrl === null || !URL.canParse(realmUrl)) return typed
  const ours = new URL(typed)
  const theirs = new URL(realmUrl)
  const isUpgrade =
    ours.protocol === 'http:' &&
    theirs.protocol === 'https:' &&
    theirs.hostname === ours.hostname &&
    theirs.username === '' &&
    theirs.password === ''
  if (!isUpgrade) return typed
  // The path stays as typed: a realm behind a proxy's path does not know of it.
  return `https://${theirs.host}${ours.pathname.replace(/\/+$/, '')}`
}
