const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** A project's ping key; in an address, the name of a check follows. */
const pingKey = '[A-Za-z0-9_-]{22}'
/** With a bounded scheme that is tried only where one can begin, so that the time is linear. */
const addresses = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>"'`]+/gi
const pingAddress = new RegExp(`${uuid}|/${pingKey}/[A-Za-z0-9_-]`, 'i')
/** In an address without a scheme. */
const pingKeys = new RegExp(`\\b(hc-ping\\.com|ping)/${pingKey}(?=/)`, 'gi')
const mails = new RegExp(`\\b${uuid}@\\S+`, 'gi')
const ids = new RegExp(uuid, 'gi')
/** The form of the monitoring service's API keys (Monitoring API, "API keys"). */
const keys = /\bhc[rw]_[A-Za-z0-9]{16,}/g
/** Not "--password-file", whose value is a path. */
const options =
  /(--(?:[a-z0-9]{1,20}-){0,3}pass(?:word|wd|phrase)?(?:=|[ \t](?![ \t-])))("[^"\n]*"|'[^'\n]*'|[^\s"']+)/gi
/** The value ends with the line, or with the string that the header is in. */
const headers = /(\bauthorization["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)([^\s"'][^"'\r\n]*)/gi
const schemes = /^(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]+/i

const mask = '•••'

/**
 * Redacts text that other people will read. Whoever knows a ping address, which contains the
 * check's uuid or the project's ping key, can send signals. Jobs print theirs, and passwords of
 * other services, so anything that looks like one is removed.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(addresses, (address) =>
      pingAddress.test(address) ? '(address left out)' : withoutPassword(address),
    )
    .replace(mails, '(address left out)')
    .replace(ids, '(id left out)')
    .replace(pingKeys, '$1/(key left out)')
    .replace(keys, '(key left out)')
    .replace(options, `$1${mask}`)
    .replace(headers, (_all, name: string, value: string) => {
      const scheme = schemes.exec(value)?.[0] ?? ''
      return `${name}${scheme}${mask}`
    })
}

/** Web addresses where a user without a password is mostly a token, unlike `ssh://git@host`. */
const web = /^(?:[a-z0-9]+\+)?(?:https?|wss?)$/i

/** Masks the password in the user info of an address, or a user that stands for one. */
function withoutPassword(address: string): string {
  const [scheme = '', rest = ''] = address.split(/:\/\/(.*)/s)
  const at = userInfoEnd(rest)
  if (at === -1) return address
  const colon = rest.slice(0, at).indexOf(':')
  if (colon === -1 && !web.test(scheme)) return address
  return `${scheme}://${rest.slice(0, colon + 1)}${mask}${rest.slice(at)}`
}

/** Where a user with a password ends, which should not contain "@" and "/", but often does. */
function userInfoEnd(rest: string): number {
  const query = rest.search(/\?[\w.-]{1,50}=/)
  const before = query === -1 ? rest : rest.slice(0, query)
  const authority = before.split(/[/?#]/, 1)[0] ?? ''
  // "host:8080/…" has a port.
  if (!/^[^:/?#]*:(?!\d{0,5}(?:[/?#]|$))/.test(before)) return authority.lastIndexOf('@')
  let at = before.lastIndexOf('@')
  // As in "/@scope/name".
  while (before[at - 1] === '/') at = before.lastIndexOf('@', at - 1)
  return at
}
