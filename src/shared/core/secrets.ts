const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const addresses = new RegExp(`\\b[a-z][a-z0-9+.-]*://\\S*${uuid}[^\\s<>"'\`]*`, 'gi')
const mails = new RegExp(`\\b${uuid}@\\S+`, 'gi')
const ids = new RegExp(uuid, 'gi')
/** API keys as the monitoring service makes them (Monitoring API, "API keys"). */
const keys = /\bhc[rw]_[A-Za-z0-9]{16,}/g

/**
 * Text that leaves the computer for other people. A ping address is a live trigger, and holds the
 * check's uuid or the project's ping key: whoever reads it can send signals. Jobs print theirs, so
 * what looks like one is taken out wherever it stands: every address that a check may have does.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(addresses, '(address left out)')
    .replace(mails, '(address left out)')
    .replace(ids, '(id left out)')
    .replace(keys, '(key left out)')
}
