import { withoutSecretAddresses } from './secret-addresses.ts'
import { withoutSecretArguments } from './secret-arguments.ts'
import { secretRules } from './secret-rules.ts'
import { isPlaceholder, mask, withoutSecretValues } from './secret-values.ts'

/**
 * Masks secrets, and leaves the rest readable: for every text of a job or of a server that leaves
 * the pane that shows a job's output. Jobs print the passwords and keys of whatever they use, and
 * ping addresses, with which anybody can send signals. Takes linear time, and changes nothing that
 * is masked already. To be called before a text is cut: half a secret is not recognised.
 */
export function withoutSecrets(text: string): string {
  const withoutNamed = withoutSecretValues(withoutSecretAddresses(withoutKeyBlocks(text)))
  return withoutTokens(withoutSecretArguments(withoutNamed))
}

const keyName = '(?:[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?| OpenVPN Static key V\\d) ?-{4,5}'
const keyBegin = new RegExp(`-{4,5} ?BEGIN${keyName}`, 'g')
const keyEnd = new RegExp(`-{4,5} ?END${keyName}`, 'g')
/** A line of a key whose end is cut off: base64 or a header, maybe after a log's own beginning. */
const keyLine =
  /(?:^|\s)(?:[A-Za-z0-9+/=\\]{16,}|[A-Z][\w-]{1,30}: [^\n]{1,200}|=[\w+/]{4})["'\s]*$|^\s*$/

/** Private keys in any frame of dashes, whose lines alone look like nothing. */
function withoutKeyBlocks(text: string): string {
  if (!/PRIVATE KEY|Static key/.test(text)) return text
  const ends = Array.from(text.matchAll(keyEnd), ({ 0: { length }, index }) => index + length)
  let out = ''
  let done = 0
  for (const { 0: begin, index } of text.matchAll(keyBegin)) {
    const inside = index + begin.length
    if (index < done || text.startsWith(mask, inside)) continue
    while (ends[0] !== undefined && ends[0] <= inside) ends.shift()
    out += `${text.slice(done, inside)}${mask}`
    done = ends[0] ?? endOfKey(text, inside)
  }
  // A text that begins within a key.
  if (done === 0 && ends[0] !== undefined) return `${mask}${text.slice(ends[0])}`
  return out + text.slice(done)
}

function endOfKey(text: string, from: number): number {
  let at = from
  for (;;) {
    const next = text.indexOf('\n', at + 1)
    const end = next === -1 ? text.length : next
    if (at >= end || !keyLine.test(text.slice(at, Math.min(end, at + 300)))) return at
    at = end
  }
}

/** Shapes that the kept rules lack, or want to know more about than is in a text. */
const ownRules: readonly string[] = [
  // JSON web tokens.
  '(?<![\\w-])eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*){0,3}',
  // The monitoring service's API keys.
  '\\bhc[rw]_[A-Za-z0-9]{16,}',
  // Bots of Telegram and Discord.
  '(?<![\\w:])\\d{8,10}:[A-Za-z0-9_-]{34,36}(?![\\w-])',
  '(?<![\\w-])[MNO][\\w-]{23,25}\\.[\\w-]{6}\\.[\\w-]{27,38}(?![\\w-])',
  '(?<![A-Za-z0-9])[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}',
  '\\bya29\\.[\\w-]{20,}',
  '\\b1//0[\\w-]{30,}',
  '\\bGOCSPX-[\\w-]{20,}',
  '\\b(?:glpat|gldt|glrt|glptt|glcbt|glsoat|xox[a-z]|xapp)-[\\w-]{16,}',
  '\\bgh[oprsu]_[A-Za-z0-9]{30,}',
  '\\bgithub_pat_\\w{30,}',
  '\\bdckr_(?:pat|oat)_[\\w-]{20,}',
  '\\bfig[dur]_[\\w-]{30,}',
  '\\btskey-[a-z]{2,20}-[\\w-]{16,}',
  '\\bgsk_[A-Za-z0-9]{40,}',
  '\\bvc[acikpr]_[A-Za-z0-9]{20,}',
  '\\bcf(?:k|ut|at)_[A-Za-z0-9]{40,}',
  '\\bsk-[A-Za-z0-9_-]{24,}',
  '\\b(?:sk|rk|pk|whsec|re)_(?:live_|test_)?(?=[A-Za-z0-9]{0,40}\\d)[A-Za-z0-9]{20,}',
  '\\bhvs\\.[\\w-]{20,}',
  '\\bATATT3[\\w=-]{20,}',
  '\\bK00\\d[A-Za-z0-9+/]{27}(?![A-Za-z0-9+/])',
  '\\bpypi-[\\w-]{50,}',
  '\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  '\\bnvapi-[\\w-]{30,}',
  '\\bAIza[\\w-]{30,}',
  '\\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  '\\bntfy?_tk_[a-z0-9]{20,}|\\btk_[a-z0-9]{29}\\b',
  ...[
    '\\bNRAK-[A-Z0-9]{27}',
    '\\br8_[A-Za-z0-9]{37}',
    '\\bxai-[A-Za-z0-9]{60,}',
    '\\bsbp_[a-f0-9]{40}|\\bsb_secret_[\\w-]{20,}',
    '\\bpat-(?:na|eu|ap)\\d-[A-Za-z0-9-]{30,}',
    '\\bsq0csp-[\\w-]{40,}',
    '\\bbkua_[a-f0-9]{40}',
    '\\bsgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}',
    '\\bsq[aup]_[a-f0-9]{40}',
    '\\bCFPAT-[\\w-]{40,}',
    '\\bAT(?:BB|CTT3)[\\w=-]{28,}',
    '\\bAQVN[\\w-]{34,}|\\bt1\\.[A-Z0-9a-z_-]{4,}[\\w.=-]{80,}',
    '\\bsl\\.[\\w-]{120,}',
    '\\bEAA[A-Za-z0-9]{80,}',
    '\\bsyt_[\\w=-]{1,200}_[A-Za-z]{20}_\\w{6}',
    '\\bdp\\.(?:st|sa|ct|scim|audit)\\.[\\w.]{40,}',
    '\\bHRKU-[\\w-]{36,}',
    '\\bkey-(?=[a-z0-9]{0,31}\\d)[a-z0-9]{32}\\b|\\b[a-f0-9]{32}-us\\d{1,2}\\b',
    '\\b(?:sdk|api|mob)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}',
    '\\boy2[a-z0-9]{43}\\b|\\bcio[A-Za-z0-9]{32}\\b',
    '\\bAAAA[\\w-]{7}:[\\w-]{120,}',
    '\\bs\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}\\b',
    '\\bhvr\\.[\\w-]{20,}',
    '\\bsntrys_[\\w+/=-]{40,}',
    '\\bAGE-SECRET-KEY-1[A-Z0-9]{30,}',
    '\\btfp_[\\w.=-]{40,}',
  ],
  // Others by what they have in common: a prefix, and letters and digits of both cases.
  '(?<![\\w./-])[A-Za-z][A-Za-z0-9]{1,15}_(?=[A-Za-z0-9]{0,60}\\d)(?=[A-Za-z0-9]{0,60}[a-z])(?=[A-Za-z0-9]{0,60}[A-Z])[A-Za-z0-9]{32,}(?![\\w./])',
  '\\bpushb_[\\w-]{20,}|\\bo\\.[A-Za-z0-9]{32}\\b',
]

interface TokenRule {
  readonly words: readonly string[]
  readonly pattern: RegExp
}

const tokenRules: readonly TokenRule[] = [
  ...secretRules.map(([, words, pattern]) => ({ words, pattern: new RegExp(pattern, 'g') })),
  { words: [], pattern: new RegExp(ownRules.join('|'), 'g') },
]

/** A shorter group of a pattern is a part of the token, not the token in what surrounds it. */
const leastGroup = 16

function withoutTokens(text: string): string {
  const lower = text.toLowerCase()
  let out = text
  for (const { words, pattern } of tokenRules)
    if (words.length === 0 || words.some((word) => lower.includes(word)))
      out = out.replace(pattern, (whole: string, ...groups: unknown[]) => {
        const group = groups[0]
        if (typeof group !== 'string' || group.length < leastGroup) return mask
        return isPlaceholder(group) ? whole : whole.replace(group, mask)
      })
  return out
}
