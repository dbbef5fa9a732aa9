import { isPlaceholder, mask, quoted, withoutSecretValues } from './secret-values.ts'

/** To the quote that closes what the option began with. */
const inQuotes = `[^"'\\n]+`

/**
 * Options of single programs that take a password: after which word, what precedes it, and the
 * password if that is no ordinary argument.
 */
const programs: readonly (readonly [string, RegExp, string?])[] = [
  ['(?:mysql|mariadb|mydumper|xtrabackup|mariabackup|innobackupex)[\\w-]{0,20}', /(\s-p)(?!\s)/g],
  ['sshpass', /(\s-p ?)/g],
  [
    '(?:curl|wget|http|https|lftp)',
    /(\s(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:,"']{0,100}[:,])/g,
  ],
  [
    '(?:curl|wget|lftp)',
    /(\s(?:-u|-U|--user|--proxy-user)[ =]?["'][^\s:,"']{0,100}[:,])/g,
    inQuotes,
  ],
  ['curl', /(\s(?:-b|--cookie)[ =]?["']?\w[\w.-]{0,60}=)(?=[^\s"']{8})/g],
  ['https?', /(\s(?:-a|--auth)[ =]?["']?[^\s:"']{1,100}:)/g],
  ['redis-cli', /(\s-a ?)/g],
  ['(?:7z[ar]?|7zz|rar|unrar)', /(\s-(?:hp|p))(?!\s)/g],
  ['(?:zip|unzip|ipmitool|sqlcmd|bcp|isql|osql|tsql)', /(\s-P ?)/g],
  ['ldap(?:search|add|modify|delete|whoami|passwd)', /(\s-w ?)/g],
  ['(?:smbclient|rpcclient|net|smbmap|mount)', /(\s-U ?["']?[^\s%"']{1,100}%)/g],
  ['(?:smbclient|rpcclient|net|smbmap)', /(\s-U ?["'][^%"'\n]{1,100}%)/g, inQuotes],
  ['smbclient', /(\s["']?(?:\/\/|\\\\)[^\s"']{1,200}["']?\s)(?!-)/g],
  ['(?:gotify|influx|doctl|vercel|flyctl)', /(\s-t )/g],
  ['mount(?:\\.cifs)?', /([\s,]user(?:name)?=[^\s%,]{1,100}%)/g],
  ['mosquitto_(?:pub|sub|rr)', /(\s-P ?)/g],
  ['(?:nmcli|msmtp)', /(\spassword )/g],
  ['mongo(?:sh|dump|restore|export|import|stat)?', /(\s-p ?)/g],
  ['(?:docker|podman|nerdctl|helm|az|oc|skopeo|buildah)', /(\slogin\b[^\n]{0,200}?\s-p ?)/g],
  ['(?:plink|pscp|psftp|putty)', /(\s-pw )/g],
  ['net', /(\suse\b[^\n]{0,200}?\s\/user:\S{1,100} )/g],
  ['net', /(\suse\s(?:[A-Z*]:?\s)?\\\\\S{1,200}\s)(?!\/)/g],
  [
    '(?:sqlplus|expdp|impdp|exp|imp|rman|sqlldr)',
    /(\s(?:userid=)?[A-Za-z][\w$#]{0,60}\/)(?=[^\s@/.]{1,100}(?:[@\s]|$))/g,
  ],
  ['(?:psexec|paexec|winexe|wmic)(?:64)?(?:\\.exe)?', /(\s-p ?)/g],
  ['schtasks(?:\\.exe)?', /(\s\/r?p )/gi],
  ['swaks', /(\s-ap )/g],
  ['[sS]end[eE]mail', /(\s-xp )/g],
  ['mc', /(\s(?:alias set|config host add) \S{1,100} \S{1,200} \S{1,100} )/g],
  ['(?:useradd|usermod)', /(\s-p ?)/g],
  ['openssl', /(\spasswd(?: -(?!salt)\w{1,9})* )(?!-)/g],
  ['(?:ncftp(?:get|put|ls)?|kinit|cadaver|isql-fb|fbexport)', /(\s-p )/g],
  ['(?:isql|gbak|gfix|nbackup)', /(\s-pas(?:sword)? )/g],
  ['(?:racadm|rdesktop)', /(\s-p )/g],
  ['winrs', /(\s-p:)/g],
  ['net', /(\suser \S{1,100} )(?![/*])/g],
  ['x11vnc', /(\s-passwd )/g],
  ['ConvertTo-SecureString', /(\s(?:-String )?)(?=["'])/g],
  ['composer', /(\shttp-basic\.\S{1,100} \S{1,100} )/g],
  ['openssl', /(\s-(?:k|K|pass|hmac) )(?!pass:|file:|env:|stdin|fd:)/g],
  ['wpa_passphrase', /(\s\S{1,100} )/g],
  ['(?:machine|default)', /(\s(?:login|user) \S{1,100} password )/g],
  ['(?:poll|server)', /(\suser(?:name)? \S{1,100} pass(?:word)? )/g],
  ['rabbitmqctl', /(\s(?:add_user|change_password|authenticate_user) \S{1,100} )/g],
  ['(?:rabbitmqadmin|cqlsh|influx|hdbsql)', /(\s-p )/g],
  ['(?:poetry|twine)', /(\s(?:publish|upload)\b[^\n]{0,200}?\s-p )/g],
  ['vsql', /(\s-w ?)/g],
  ['swift', /(\s-K ?)/g],
  ['db2', /(\sconnect\b[^\n]{0,200}?\susing )/gi],
  ['rclone', /(\sobscure |\sconfig\b[^\n]{0,200}?\spass )(?!-)/g],
  ['ssh-keygen', /(\s-[NP] )/g],
  ['(?:keytool|jarsigner|apksigner)', /(\s-\w{0,14}pass )/g],
  ['signtool(?:\\.exe)?', /(\s\/p )/g],
  ['pdftk', /(\s(?:user|owner|input)_pw )/g],
  ['xfreerdp', /(\s\/p:)/g],
  ['snmp(?:get|walk|set|bulkwalk|table)', /(\s-[cAX] ?)/g],
  ['htpasswd', /(\s-\w{0,5}b\w{0,5}(?: -\w{1,5})* (?!-)\S{1,200} \S{1,200} )/g],
]
const given = `(?:${quoted}|[^\\s"'|;&][^\\s|;&]*)`
const commands = programs.map(([program, option, value = given]) => ({
  // With all of its arguments, so that each text is looked at once.
  call: new RegExp(
    `(?<![\\w.-])${program}(?:\\.exe)?(?![\\w.])(?:'[^'\\n]*'|"[^"\\n]*"|[^\\n|;&])*`,
    'g',
  ),
  option: new RegExp(`${option.source}(${value})`, 'g'),
}))

/** Elsewhere in a command or a statement: the groups are kept, and the value between them is masked. */
const statements = [
  // Input of programs that read a password.
  `(\\b(?:echo|printf)\\s(?:-[neE]{1,3}\\s)?)(?:${quoted}|[^\\s"'|;&]+)(\\s{0,3}\\|\\s{0,3}(?:\\S{0,30}/)?(?:sudo\\s(?:-\\w+\\s)*-\\w*S|chpasswd|passwd|smbpasswd|kinit|cryptsetup|zfs\\sload-key|su\\s|[^\\n|]{1,200}--pass\\w*-(?:stdin|fd)))`,
  `(\\b(?:sudo\\s(?:-\\w+\\s)*-\\w*S|cryptsetup\\s[^\\n|;&<]{1,200}?)\\s<<<\\s?)(?:${quoted}|[^\\s"']+)()`,
  // Arguments of functions, as in PHP's traces.
  `((?:\\bPDO->__construct|\\bmysqli?(?:->|_)(?:__construct|connect|real_connect)|\\bftp_login|\\bssh2_auth_password|\\bimap_open|\\bldap_bind)\\((?:[^,()\\n]{1,200}, ?){2})(?:${quoted})()`,
  `(\\bauth=\\(["'][^"'\\n]{0,100}["'], ?)(?:${quoted})()`,
  // What replaces a value that is masked already.
  `(${mask}["']? -> )(?:${quoted})()`,
  // What Go's drivers connect to.
  '(\\b[\\w.-]{1,60}:)[^\\s@/"\']{1,100}(@(?:tcp|unix|cloudsql)\\()',
  // Sentences, where only what looks like no word is a password.
  '(\\b(?:with|using)\\s(?:the\\s)?(?:password|passphrase)\\s|[,;]\\s(?:password|passphrase)\\s)(?=[^\\s]{0,60}\\d)(?!argon2|pbkdf2|scram|sha-?\\d|md5|bcrypt)[^\\s,;()"\'/]{6,60}()',
  '((?<![a-z\\d])(?:password|passphrase)\\sis(?:\\s(?:now|set\\sto))?:?\\s["\']?)(?=[^\\s]{0,60}\\d)(?=[^\\s]{0,60}[a-z])(?!\\d+[a-z]+\\b)[^\\s"\',;/]{6,60}()',
  '(\\btemporary\\spassword\\sis\\sgenerated\\sfor\\s\\S{1,100}:\\s)\\S+()',
  '(\\b(?:one[- ]time|verification|security|confirmation|login|sms|[2m]fa|t?otp|two-factor)\\s(?:pass)?(?:code|pin|password)(?:\\sfor\\s\\S{1,60})?(?:\\sis)?:?\\s|\\bt?otp(?::\\s?|=))\\d(?:[\\d -]{2,8})\\d\\b()',
  `(\\b(?:user|connect\\sto)\\s(?!is|was|be)\\S{1,60}\\sidentified\\sby\\s)(?!values)[^\\s;'"]+()`,
  `(=\\s?password\\()(?:${quoted})()`,
  // A command that prints it.
  '((?:--pass\\w*-(?:file|command|cmd)|_pass(?:word_)?command)[ =](?:<\\(|["\'])?(?:echo|printf)\\s["\']?)[^\\s"\')]+()',
  // SQL.
  `(\\bidentified\\s(?:with\\s\\S{1,60}\\s)?(?:by|as|using)\\s(?:password\\s)?)(?:${quoted})()`,
]

/** Words of protocols that log in, and what programs write in lines of its own. */
const protocols = [
  '(^(?:-{2,4})?[>*]{1,2} {0,2}PASS )(?=[^\\s/]{0,60}\\d)[^\\s/]+(?=\\s*$)()',
  '(\\b(?:requirepass|masterauth|(?:root)?bindpw) )\\S+()',
  '(\\bAUTH )(?=\\S{0,60}\\d)[^\\s=]{6,100}(?=[ \\t]{0,20}$)()',
  '(\\b(?:[Bb]earer|Token) )(?=\\S{0,60}\\d)[\\w.~+/-]{20,}={0,2}()',
  '(\\bGenieKey )[\\w-]{20,}()',
  '(\\bAUTH (?:PLAIN|LOGIN) )[\\w+/=]{8,}()',
  '(\\b334 \\w{4,20}={0,2}\\r?\\n(?:[>*<-]{1,4} ?)?)[\\w+/=]{4,}()',
  '(^[^\\n]{0,20}\\b[A-Za-z]{0,4}\\d{1,5} LOGIN \\S{1,100} )(?=\\S{0,60}\\d)\\S+()',
  '(\\b331 [^\\n]{1,100}\\n(?:[^\\n]{0,20}[> ])?PASS )\\S+()',
  // As `crypt` writes passwords.
  '()(?<![\\w$])\\$(?:(?:1|apr1)\\$[./\\w]{1,8}\\$[./\\w]{22}|2[abxy]\\$\\d\\d\\$[./\\w]{53}|[567]\\$(?:rounds=\\d{1,9}\\$)?[./\\w]{1,16}\\$[./\\w]{43,86}|g?y\\$[./\\w]{1,40}\\$[./\\w]{1,86}\\$[./\\w]{30,86}|argon2\\w{1,2}\\$[\\w$=,+/]{30,200})()',
  '(^[ \\t]{0,20}(?:password|passwd|pass) )(?=\\S{0,60}\\d)\\S+(?=[ \\t]{0,20}$)()',
  // Strongswan's, and a line of a .pgpass.
  '(:\\s?PSK\\s)(?:"[^"\\n]*"|\'[^\'\\n]*\')()',
  '(\\b[\\w.-]{1,100}:(?:5432|6432|\\*):[\\w.*-]{1,60}:[\\w.*-]{1,60}:)(?!\\d)[^\\s:]+(?=\\s*$)()',
  '(\\b(?:api|access|secret|auth)[ _-]?key )(?=\\w{0,60}\\d)\\w{20,}()',
  '(\\bK10[0-9a-f]{64}::\\w{1,20}:)\\S+()',
  // As Docker keeps what one logs in with.
  '("auth":\\s?")[\\w+/]{12,}={0,2}(?=")()',
  // A key of PuTTY's.
  '(\\bPrivate-Lines: \\d{1,3}\\r?\\n)(?:[\\w+/=]{1,80}(?:\\r?\\n|$)){1,100}()',
]
const kept = [
  ...statements.map((one) => new RegExp(one, 'gi')),
  ...protocols.map((one) => new RegExp(one, 'gm')),
]

/** A command as Python and JSON write it: `['mysqldump', '-psecret', 'db']`. */
const list = /\[(?:(?:'[^'\n]{0,500}'|"[^"\n]{0,500}")(?:, ?|(?=\]))){2,100}\]/g
const item = /'([^'\n]*)'|"([^"\n]*)"/g

/** Masks what programs are given as a secret: by options or their input, and in statements of SQL. */
export function withoutSecretArguments(text: string): string {
  return withoutGiven(
    text.replace(list, (whole) => {
      const words = Array.from(whole.matchAll(item), ([, one, two]) => one ?? two ?? '')
      const line = words.map((word) => (/^[^\s']+$/.test(word) ? word : `'${word}'`)).join(' ')
      const masked = withoutGiven(withoutSecretValues(line))
      // As the command that it is.
      return masked === line ? whole : `[${masked}]`
    }),
  )
}

function withoutGiven(text: string): string {
  let out = text
    .replace(
      /((?<=")pass:(?=[^"\n]{3,200}")[^"\n]+|(?<=')pass:(?=[^'\n]{3,200}')[^'\n]+)/g,
      `pass:${mask}`,
    )
    .replace(/(\bpass:)(?![\s\d•])[^\s"',;)]{3,}/g, `$1${mask}`)
  for (const one of kept) out = out.replace(one, `$1${mask}$2`)
  for (const { call, option } of commands)
    out = out.replace(call, (command) =>
      command.replace(option, (whole, before: string, value: string) =>
        isPlaceholder(value) || /^(?:-|''|"")/.test(value) ? whole : `${before}${mask}`,
      ),
    )
  return out
}
