const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** A project's ping key; in an address, the name of a check follows. */
const pingKey = '[A-Za-z0-9_-]{22}'
const addresses = new RegExp(
  `\\b[a-z][a-z0-9+.-]*://\\S*(?:${uuid}|/${pingKey}/[A-Za-z0-9_-])[^\\s<>"'\`]*`,
  'gi',
)
/** In an address without a scheme. */
const pingKeys = new RegExp(`\\b(hc-ping\\.com|ping)/${pingKey}(?=/)`, 'gi')
const mails = new RegExp(`\\b${uuid}@\\S+`, 'gi')
const ids = new RegExp(uuid, 'gi')
/** The form of the monitoring service's API keys (Monitoring API, "API keys"). */
const keys = /\bhc[rw]_[A-Za-z0-9]{16,}/g

/**
 * Redacts text that other people will read. Whoever knows a ping address, which contains the
 * check's uuid or the project's ping key, can send signals. Jobs print theirs, so anything that
 * looks like one is removed.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(addresses, '(address left out)')
    .replace(mails, '(address left out)')
    .replace(ids, '(id left out)')
    .replace(pingKeys, '$1/(key left out)')
    .replace(keys, '(key left out)')
}
