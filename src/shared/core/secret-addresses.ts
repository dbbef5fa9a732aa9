import { isPlaceholder, isSecretName, mask } from './secret-values.ts'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** A project's ping key; in an address, the name of a check follows. */
const pingKey = '[A-Za-z0-9_-]{22}'

/**
 * Places in addresses that are as good as a password: of each pattern, the groups are kept and what
 * is between them is masked. With or without a scheme, as programs print both.
 */
const secretPaths = [
  // Ping addresses: on the hosted service and under /ping/, else if a UUID is all there is.
  `((?:\\bhc-ping\\.com|/ping|/badge|\\bhchk\\.io)/)(?:${uuid})()`,
  `(://[^/\\s?#]{1,200}/)(?:${uuid})((?:/(?:start|fail|log|\\d{1,3}))?(?=$|[?#]))`,
  `((?:\\bhc-ping\\.com|/ping|\\bping)/)(?:${pingKey})(/[A-Za-z0-9_-])`,
  // Addresses that take messages.
  String.raw`(\bhooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[\w/+-]+()`,
  String.raw`(\bapi\.telegram\.org/(?:file/)?bot)[\w:%-]+()`,
  String.raw`(\bdiscord(?:app)?\.com/api/(?:v\d{1,3}/)?webhooks/)[\w/-]+()`,
  String.raw`(\.webhook\.office\.com/webhookb2/)[\w@/-]+()`,
  String.raw`(\boutlook\.office(?:365)?\.com/webhook/)[\w@/-]+()`,
  String.raw`(\bhooks\.zapier\.com/hooks/catch/)[\w/-]+()`,
  String.raw`(\bmaker\.ifttt\.com/trigger/[^/\s]{1,100}/(?:json/)?with/key/)[\w-]+()`,
  String.raw`(\bevents\.pagerduty\.com/integration/)[\w-]+(/enqueue)`,
  String.raw`(\balert\.victorops\.com/integrations/[^/\s]{1,50}/\d{1,20}/alert/)[\w/-]+()`,
  String.raw`(\bopen\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/)[\w-]+()`,
  String.raw`(\bhook\.(?:[a-z0-9-]{1,20}\.)?(?:make|integromat|celonis)\.com/)[\w-]{16,}()`,
  `(://[^/\\s]{1,200}/webhooks?(?:-test)?/)(?:${uuid}|[A-Za-z0-9_-]{20,})()`,
  String.raw`(\bjdbc:oracle:\w{2,5}:[\w$#.]{1,60}/)[^\s@/]{1,100}(@)`,
  String.raw`(/calendar/ical/[^/\s]{1,200}/private-)\w+()`,
  String.raw`(\bapi\.day\.app/)[\w-]{16,}()`,
  String.raw`(\bsctapi\.ftqq\.com/)\w+(\.send)`,
  String.raw`(\bhetrixtools\.net/hb/\?s=)\w+()`,
  String.raw`(/api/\d{1,20}/cron/[\w-]{1,100}/)[\da-f]{32}()`,
  String.raw`(\bafraid\.org/dynamic/update\.php\?)[\w=]{16,}()`,
  String.raw`(\brtmps?://[^\s/]{1,200}/[^\s/]{1,60}/)[\w-]{8,}()`,
  // As the libraries that send to all of these name them.
  String.raw`(\b(?:slack|msteams|teams|discord|telegram|tgram|pover|pushover|pbul|pushbullet|gotifys?|ifttt|mmosts?|rockets?|googlechat|gchat)://)(?!\w{1,20}\?)(?=[^\s"'<>]{0,200}\d)[^\s"'<>]{16,}()`,
  // Mattermost, Rocket.Chat and others.
  String.raw`(://[^/\s]{1,200}/hooks/)[\w/-]{16,}()`,
  // Other services that wait for a ping.
  String.raw`(/api/push/)[\w-]{8,}()`,
  String.raw`(\b(?:nosnch\.in|cronitor\.link(?:/p)?|cron-monitor\.com)/)[\w-]+()`,
  String.raw`(/api/v\d/heartbeat/|\bheartbeat\.uptimerobot\.com/|\bping\.ohdear\.app/)[\w-]+()`,
  // The address for pings by e-mail; last, since some of the above contain one.
  `\\b()(?:${uuid})(@[a-z0-9.-]{1,200})`,
].map((path) => new RegExp(path, 'gi'))

/** A bounded scheme that is tried only where one can begin, so that the time is linear. */
const addresses = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>"'`]+/gi
const queries = /([?&](?:amp;)?)([\w.%[\]-]{1,60})=([^\s&#"'<>`]+)/g

export function withoutSecretAddresses(text: string): string {
  let out = text.replace(addresses, withoutPassword)
  for (const path of secretPaths) out = out.replace(path, `$1${mask}$2`)
  return out.replace(queries, (whole, mark: string, name: string, value: string) =>
    (isSecretParameter(name) || isSecretIfLong(name, value)) && !isPlaceholder(value)
      ? `${mark}${name}=${mask}`
      : whole,
  )
}

/** In an address, "key" alone is one, and so is "sig". */
function isSecretParameter(name: string): boolean {
  return isSecretName(name) || /^(?:key|sig|signature|hmac|jwt|auth|x-amz-credential)$/i.test(name)
}

/** Else it is a number or a word. */
function isSecretIfLong(name: string, value: string): boolean {
  if (/^(?:code|hash)$/i.test(name)) return value.length > 5
  if (/^(?:sid|session|phpsessid|jsessionid)$/i.test(name)) return value.length > 15
  return /^app_?id$/i.test(name) && value.length > 20
}

/** Addresses where a user without a password is mostly a token, unlike `ssh://git@host`. */
const web = /^(?:[a-z0-9]+\+)?(?:https?|wss?)$/i

/** Masks the password in the user info of an address, or a user that stands for one. */
function withoutPassword(address: string): string {
  const begin = address.indexOf('://') + 3
  const scheme = address.slice(0, begin - 3)
  const rest = address.slice(begin)
  const at = userInfoEnd(rest)
  if (at === -1) return address
  const colon = rest.slice(0, at).indexOf(':')
  if (colon === -1 && !web.test(scheme) && !isToken(rest.slice(0, at))) return address
  const isEmpty = at === colon + 1 || isPlaceholder(rest.slice(colon + 1, at))
  if (isEmpty && !(colon > 0 && isToken(rest.slice(0, colon)))) return address
  // "token:x-oauth-basic": some services take the token for the user.
  const user = isToken(rest.slice(0, colon)) ? mask : rest.slice(0, colon)
  return `${scheme}://${colon === -1 ? '' : `${user}:`}${mask}${rest.slice(at)}`
}

function isToken(user: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,200}$/.test(user)
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
