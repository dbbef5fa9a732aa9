/** In place of a secret. */
export const mask = '•••'

/** What a key is for, so that it is a secret one and not that of a table or a cache. */
const keyKinds =
  'api|access|secret|private|auth|account|encryption|master|signing|shared|session|app|application|consumer|client|subscription|storage|admin|deploy|licen[cs]e|webhook|unseal|integration|routing|ping|jwt|hmac|aes|b2|bot|ingest|cf'
/** "Password" in the languages that programs and their messages are translated into most. */
const foreign =
  'passwort|kennwort|contrase(?:ñ|n)a|mot ?de ?passe|senha|wachtwoord|adgangskode|lösenord|salasana|has[łl]o|heslo|jelszó|parol[aă]|пароль|密[码碼]|パスワード|비밀번호'
/** The core of a name that has a secret as its value, at any place of the name. */
const core = `pass(?:word|wd|phrase|code)|passw|${foreign}|(?:(?<![a-z])(?:ssh)?|db|remote|smtp|imap|ftp|mail|proxy|bind|admin|root|store|key|user|auth|login)pass(?![a-z])|(?<=[a-z_])(?<!old)pwd|(?<=;)pwd(?==)|(?<=bind|root|admin|user|db)_?pw(?![a-z])|(?<![\\w-])pw(?=[=:])|(?<![a-z])psk(?![a-z])|pre-?shared-?key|(?<=:)_auth(?![a-z])|(?<![\\w])(?-i:pwd|Pwd)(?![a-z])|secret|token|credentials?|(?:${keyKinds})[_. -]?key|(?:auth|session)[_-]?id|(?:bw|op)_session|rediscli_auth|signature|(?<=[-_])sig|hc_(?:uuid|id)|(?<=check|ping)_?uuid|(?<=[\\s-])uuid(?=[ =][0-9a-f]{8}-)`
/** What may follow the core in a name. */
const tail = '(?:[_.-][\\w.-]{0,40}| ?\\d{1,3}(?=\\W)|(?-i:[A-Z]\\w{0,40}))?'
/** Names about a secret: where it is, how long it is. */
const about =
  /(?:file|path|dir|name|url|uri|endpoint|length|len|size|count|type|kind|expir\w*|ttl|age|policy|hint|prompt|min|max|version|status|manager|command|cmd|store|required|limit|usage|ref|arn|field|param\w*|date|time|at|in|algorithm|alg|auth|method|headers?|cache|change\w*|reset|strength|update\w*|valid\w*|used?|bucket|server|service|provider|backend|helper|format|key[_.-]?id)s?["'\]]?$/i
const nameOnly = new RegExp(`(?:${core})${tail}$`, 'i')

export function isSecretName(name: string): boolean {
  return nameOnly.test(name) && !about.test(name)
}

/** A text in quotes, of a regular expression. */
export const quoted = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`
/** `name=value`, `"name": "value"`, `name => value`, `--name value`. */
const named = new RegExp(
  `((?:${core})${tail})(\\\\?["']?\\]?[ \\t]{0,40}(?:=>(?:\\s{1,40}string\\(\\d{1,6}\\)(?= "))?|:=|={1,2}|[:：](?!//))[ \\t]{0,8}\\\\?(?:Some\\()?|["']?[ \\t](?:-?value[ \\t]|value[ \\t]?=[ \\t]?(?=["']))|[ \\t])((?<=\\\\)"[^"\\\\\\n]*\\\\"|${quoted}|[\\w.-]{1,40}=(?:${quoted})|[^\\s"',;&|)}\\]\\\\]+)`,
  'gi',
)

const words =
  /^(?:null|none|nil|true|false|yes|no|on|off|not?|is|are|was|must|should|has|have|with|for|from|to|of|in|or|and|the|a|an|by|required|optional|incorrect|invalid|expired|missing|unset|set|empty|wrong|unknown|undefined|changed|updated|ok|failed|failure|denied|error|unable|cannot|could|provided|given|found|prompt|unchanged|enabled|disabled|default|authentication|hidden|redacted|masked|removed|filtered|bearer|basic|string|number|object|boolean|n\/a|valid|accepted|rejected|revoked|generated|created|refreshed|rotated|loaded|using|reading|permission|access|via)$/i
const placeholder =
  /^(?:•+|\*+|x{3,}|\.{3}|…|\$(?:[A-Za-z_{(]\S*|\d)|%[\w(]\S*|<[^>]*>?|hidden|redacted|masked|filtered|removed|secret|sensitive)$/i
const opening = /^[\\"'“‘[({]*/
const closing = '\\"\'”’])}'
const path =
  /^(?:~|\.{1,2})?\/(?:[\w.@-]+\/)*[\w.@-]*\.[a-z]{1,6}$|^\/(?:bin|dev|etc|home|media|mnt|opt|proc|root|run|srv|sys|tmp|usr|var)(?:\/|$)/i

/** A variable, something masked already, or a word for what was left out. */
export function isPlaceholder(value: string): boolean {
  const opened = opening.exec(value)?.[0] ?? ''
  let end = value.length
  while (end > opened.length && closing.includes(value.charAt(end - 1))) end -= 1
  const inside = value.slice(opened.length, end)
  return placeholder.test(inside) || (opened.includes('{') && !inside.includes('}'))
}

/** In prose without quotes, no word looks like this. */
const mixed =
  /^(?=.{0,60}\d)(?=.{0,60}[a-z])(?=.{0,60}[A-Z])[\w!@#$%^&*+-]{8,60}$|^(?=.{0,60}\d)[A-Z2-7]{16,64}$/
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const random = /^(?=.{0,100}\d)(?=.{0,100}[A-Z])[\w+/=]{16,200}$/

function isSecretValue(
  name: string,
  sign: string,
  value: string,
  isOption: boolean,
  isPart: boolean,
): boolean {
  const bare = value.replace(/^["'](.*)["']$/s, '$1')
  if (saysNothing(bare, value)) return false
  // As in a usage: "--token TOKEN".
  if (isOption && /^[A-Z_]+$/.test(bare) && bare.length < 12) return false
  const isPassword = isAPassword.test(name)
  // What isn't English is not known to be a word for what is wrong with it.
  if (!isOption && isForeign.test(name)) return !/^\s$/.test(sign) && /[^\p{L}]/u.test(bare)
  if (/^\s$/.test(sign))
    return isOption ? !/^[-[(|]/.test(bare) : isSecretInProse(name, value, bare)
  if (!isPassword && /^[\d.]{1,6}$/.test(bare)) return false
  // "PASS: 12", but not "become_pass: …".
  if (/^pass$/i.test(name) && !isPart)
    return (sign.includes('=') || value !== bare) && !/^\d+(?:\/\d+)?$/.test(bare)
  if (/=|value/.test(sign) || isPassword || /pass$/i.test(name)) return true
  return value !== bare ? bare.length > 5 && !/ /.test(bare) : looksRandom(bare)
}

function isSecretInProse(name: string, value: string, bare: string): boolean {
  if (/token|secret/i.test(name) && uuid.test(bare)) return true
  const isQuoted = value !== bare
  return (
    (isAPassword.test(name) || random.test(bare)) && (isQuoted ? !/ /.test(bare) : mixed.test(bare))
  )
}

function saysNothing(bare: string, value: string): boolean {
  return bare === '' || words.test(bare) || isPlaceholder(value) || path.test(bare)
}

const isAPassword = /pass(?:word|wd|phrase|code)|pwd/i
const isForeign = new RegExp(foreign, 'i')

/** With a slash, it is no path. */
const base64 = /^(?=.{0,100}\d)(?=.{0,100}[A-Z])[\w+/]{40,200}={0,2}$/

/** Not prose, as in "token: unexpected end", and no name of something else. */
function looksRandom(bare: string): boolean {
  const isMixed = /\d/.test(bare) || /[a-z][A-Z]|\w{24}/.test(bare)
  const isPath = /^[\w.-]+\/[\w.-]+$/.test(bare) && !base64.test(bare)
  return bare.length > 7 && isMixed && !isPath
}

/** In prose, more words follow, and none of them is the password. */
function isProse(value: string, after: string): boolean {
  return /^[A-Za-z][a-z'’]*$/.test(value) && /^[ \t]+[A-Za-z]/.test(after)
}

/** What precedes the core in the name of an option. */
const optionBegin = /(?<![\w-])-{1,2}[a-z0-9-]{0,40}$/i

function withoutNamed(text: string): string {
  return text.replace(
    named,
    (whole: string, name: string, sign: string, value: string, at: number) => {
      const isOption = optionBegin.test(text.slice(Math.max(0, at - 45), at))
      const isPart = /[_-]/.test(text[at - 1] ?? '')
      if (
        (about.test(name) && !/^(?:rediscli)?_auth$/i.test(name)) ||
        // "/etc/passwd: 32 lines"
        (text[at - 1] === '/' && sign.startsWith(': ')) ||
        !isSecretValue(name, sign, value, isOption, isPart)
      )
        // The value may be a name itself: "POST /token client_secret=…".
        return /^\s$/.test(sign) ? `${name}${sign}${withoutNamed(value)}` : whole
      const after = text.slice(at + whole.length, at + whole.length + 20)
      if (!sign.includes('=') && !isOption && isProse(value, after)) return whole
      const quote = /^["']/.exec(value)?.[0] ?? ''
      return `${name}${sign}${quote}${mask}${quote}`
    },
  )
}

/** Constants of PHP: their name and value are strings. */
const defined =
  /(\bdefine\s?\(\s?["'][\w.-]{0,60}(?:pass|secret|token|key|salt|pw|pwd)[\w.-]{0,30}["']\s?,\s{0,20})(?:"[^"\n]*"|'[^'\n]*')/gi

/** Their value ends with the line, or with the string that the header is in. */
const headers =
  /((?:(?<![\w-])|(?<=\\[nrt]))(?:(?:proxy-)?authorization|(?:set-)?cookie2?|private-token|job-token|x-[a-z0-9-]{0,40}(?:key|token|secret|auth|signature|credential)|api-?key)\\?["']?[ \t]{0,3}[:=][ \t]{0,3}\\?["']?)((?:digest|hawk|oauth|signature) \w[^\\\r\n]*|[^\s"'\\][^"'\\\r\n]*)/gi
const schemes =
  /^(?:hawk|oauth|signature|basic|bearer|token|digest|negotiate|ntlm|apikey|api-key|aws4-hmac-sha256|ssws|key)[ \t]+(?=\S)/i

function withoutHeaders(text: string): string {
  return text.replace(headers, (whole, name: string, value: string) => {
    const scheme = schemes.exec(value)?.[0] ?? ''
    const rest = value.slice(scheme.length).trim()
    const first = /^\S+/.exec(rest)?.[0] ?? ''
    if (first === '' || words.test(first) || isPlaceholder(rest)) return whole
    return `${name}${scheme}${mask}`
  })
}

/** "Password for joe: …", as typed, and the "key=" of a settings file, if it can only be one. */
const prompted =
  /(\b(?:password|passphrase) for [^\s:][^:\n]{0,80}: {0,2})(?=\S{0,60}[^\sA-Za-z])\S+(?=\s*$)/gim
/** YAML, with the value in a line of its own. */
const folded = new RegExp(
  `((?:${core})${tail}:[ \\t]?[>|][+-]?\\r?\\n[ \\t]{1,40})\\S[^\\n]*`,
  'gi',
)
const keys =
  /((?<![\w.-])(?:[A-Za-z0-9]{1,40}_)?(?<!(?:P|p)ublic[ _])(?:key|Key|KEY) ?[=:] ?["']?)(?=\w{0,80}\d)(?=\w{0,80}[a-z])(?=\w{0,80}[A-Z])\w{20,100}(?![\w.:/+=-])/g

const elements = /<([\w:.-]{3,60})(?:>| name="([\w:.-]{3,60})">)([^<>\s]{1,500})<\/\1>/g

function withoutElements(text: string): string {
  return text.replace(elements, (whole, tag: string, name: string | undefined, value: string) =>
    isSecretName(name ?? tag) && !words.test(value) && !isPlaceholder(value)
      ? whole.replace(`>${value}<`, `>${mask}<`)
      : whole,
  )
}

/** Masks what is named as a secret: in settings, JSON, XML, headers and options. */
export function withoutSecretValues(text: string): string {
  return withoutElements(
    withoutNamed(withoutHeaders(text).replace(folded, `$1${mask}`))
      .replace(defined, `$1'${mask}'`)
      .replace(prompted, `$1${mask}`)
      .replace(keys, `$1${mask}`),
  )
}
