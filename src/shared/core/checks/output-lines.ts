import { jsonAsText } from './json-line.ts'

/** What a line of a log is, given the line before it. */
export interface ReadLine {
  /** How likely it says why the job failed; 0 if it doesn't. */
  readonly weight: number
  /** Of two lines of the same weight, the later one counts: the last exception is the one that ended it. */
  readonly isLater: boolean
  /** What the next lines belong to: a trace, the causes under their heading, the source that a compiler quotes, a box of a warning. */
  readonly within: 'trace' | 'causes' | 'warning' | 'warning in paragraphs' | null
}

/** Each tier is worth more than any line of those below. */
const weights = {
  exception: 80,
  error: 70,
  /** An error that ends in a colon: what it was is in the lines below. */
  heading: 65,
  /** "make: *** Error 1", "exit status 2": says that something failed, and not what. */
  summary: 50,
  /** An error that was worked around, or tried again. */
  tried: 35,
  warning: 30,
  /** Words of a failure in a line that is marked as information. */
  aside: 20,
  none: 0,
}

/** A time, a host and a process, as syslog and others write before the message. */
const stamp =
  /^(?:[\s[(<]*(?:\d{4}[-/.]\d\d[-/.]\d\d[T ,]?\s*)?(?:\d\d?:\d\d:\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?[\])>]*[\s|:-]*)(?=\D)/
const syslog = /^(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d )?[\w.-]+ [\w.@/-]+(?:\[\d+\])?: (?=\S)/
const monthFirst = /^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d /
/** A process in brackets; without one, a "host program:" could be anything. */
const withProcess = /^[\w.-]+ [\w.@/-]+\[\d+\]: /

function withoutStamp(line: string): string {
  // A box, or the step of a build by Docker.
  const plain = line.replace(/^[\s│|╷╵]+|^#\d+ \d+\.\d+ /, '')
  if (monthFirst.test(plain)) return plain.replace(syslog, '').replace(monthFirst, '')
  const rest = plain.replace(stamp, '')
  return withProcess.test(rest) ? rest.replace(withProcess, '') : rest
}

type Level = 'error' | 'warning' | 'calm'

const levels: readonly (readonly [Level, string])[] = [
  [
    'error',
    'fatal(?: error)?|critical|crit|emerg(?:ency)?|severe|panic|alert|errors?|err|eror|failure|schwerwiegend|fehler|erreur',
  ],
  ['warning', 'warn(?:ing)?s?'],
  ['calm', 'info(?:rmation)?|notice|debug|trace|verbose|note|hint|help|dbug'],
]
const levelWords = levels.map(([, words]) => words).join('|')
/** A level where programs write it: first, after their name, in brackets, as a field. */
const levelled = new RegExp(
  `^(?:[\\[(<*!=\\s]{0,6})(?:[\\w./\\\\()@-]{1,60}(?:\\[\\d+\\])?[: ]\\s?(?:\\d+:)*\\s?){0,3}?[\\[(<*]{0,3}(${levelWords})(?=\\s?[\\])>:!|]|\\s+-|\\s{2,}|\\[[A-Z]\\d)`,
  'i',
)
const capital =
  /^(?:[^\s]{1,40}\s+){0,3}[[(<]?(FATAL|CRITICAL|CRIT|SEVERE|PANIC|ERROR|ERR|WARN(?:ING)?|NOTICE|INFO|DEBUG|TRACE)\b/
const field = new RegExp(
  `\\b(?:level|lvl|severity|loglevel)["']?\\s?[:=]\\s?["']?(${levelWords})\\b`,
  'i',
)
const letter = /^(?:\[)?([EWNIFD])(?:\]|:|\d{4} \d\d:)/
const letters: Readonly<Record<string, Level>> = { E: 'error', F: 'error', W: 'warning' }

function levelOf(text: string): Level | null {
  const [, one] = letter.exec(text) ?? []
  if (one !== undefined) return letters[one] ?? 'calm'
  if (/^npm (?:ERR!|error)/.test(text)) return 'error'
  if (/^[✗✖✘❌] /.test(text)) return 'error'
  // Apt fetches on, and tells why in the end.
  if (/^(?:Err|Ign):\d+ |^CMake (?:\w+ )?Warning\b/.test(text)) return 'warning'
  if (/^npm (?:WARN|warn|notice)/.test(text)) return 'calm'
  const word = (field.exec(text) ?? levelled.exec(text) ?? capital.exec(text))?.[1]
  if (word === undefined) return null
  return levels.find(([, words]) => new RegExp(`^(?:${words})$`, 'i').test(word))?.[0] ?? null
}

/** Names of files and options, in which words mean nothing. */
const names =
  /(?:[a-z][a-z+.-]{1,20}:\/\/|~?\/|\.{1,2}\/|[A-Za-z]:\\)[^\s'"’”,;:)]*|(?<=^|[\s'"‘“(=])[\w@%+.-]*[\w-]\/[\w@%+./-]*\.\w{1,8}|(?<=^|[\s'"‘“([])-{1,2}[A-Za-z][\w=-]*|\b[\w-]+\.(?:log|txt|gz|zip|tar|sh|py|js|ts|json|ya?ml|conf|cfg|ini|csv|xml|html?|sql|bak|out|err|png|jpe?g|pdf|md|lock|c|h|o|go|rs|rb|pl|php|java|service|timer|socket|mount|target)\b/gi
/** "0 errors", "errors: 0", "error: none", "0% failed", "without errors": says that there were none. */
const noError =
  /\berrors? (?:if|when|can|may|might|could)\b|\b(?:0|no|zero|without(?: any)?|never|ignor(?:e|es|ing)|not)\s?%?(?: \w+){0,2}? (?:errors?|failures?|failed|exceptions?|problems?|warnings?|fatal)\b|["']?\b\w*(?:err(?:or)?s?|failures?|failed|fatal|exceptions?|problems?|aborted|skipped|infected|unreachable|killed|timeouts?|corrupt\w*|refused|denied|missing|invalid)["']?(?: (?:summary|count|total))?\s*(?:\(s\))?\s*[:=]\s*["'[{(]?(?:0\b(?![.:]\d)%?|none\b|no errors?\b|null\b|nil\b|no(?=\s*(?:[,;)}\]"']|$))|false\b|off\b|ok\b|success\w*|n\/a|undefined(?=\s*(?:[,;)}\]"']|$))|[\]}]|["'](?=[\s,}]|$))["'\])}]?/gi
/** A setting, whose name or value is no message. */
const setting =
  /^[\w.-]+\s*[=]\s*["']?[\w./:-]*["']?[,;]?$|^[\w.-]*[_.-][\w.-]*\s*:\s*["']?[\w./-]*["']?[,;]?$/
const success =
  /\b(?:success(?:ful(?:ly)?)?|succeeded|recovered|completed(?! with)|passed|all (?:good|ok|well)|(?<!not )up to date|is healthy|(?<!not (?:be )?)(?:restored|resolved)|finished(?! with)|retried ok)\b/i
const tried =
  /\b(?:retry(?:ing)?|trying(?! to)|will (?:re)?try|falling back|fall(?:ing)? ?back|using defaults?|ignor(?:ed|ing)|skipp(?:ed|ing)|continuing|non-fatal|changed (?:as|while) we|not fatal|check forced|deprecated|deprecat\w+|attempt \d+(?:(?:\/| of )\d+| failed))\b/i

/** Exceptions by the names that languages give them, at the end of a trace or alone. */
const exception =
  /^(?:Exception in thread "[^"]*" |Uncaught |Unhandled (?:exception|rejection)[.:]? |Caused by: |\[cause\]: |Error: Uncaught )?(?:[\w$-]+(?:\.|::|\\))*[A-Z][\w$]*(?:Error|Exception|Failure|Exit|Interrupt|Fault|Timeout|Refused|NotFound|Denied|Exceeded|Invalid|Missing|Warning)\b(?:\s\[\w+\])?(?::|$| \()/
/** Of .NET. */
const innerException = /^-+> (?:\(Inner Exception #\d+\) )?/
const bareException = /^(?:[\w$]+(?:\.|::|\\))+[A-Z][\w$]*: \S|^\*\* \([\w.]+\) \S/
const atEnd = /\((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|::E[A-Z]+)\)$/
const panic =
  /^(?:panic: |thread '[^']*' (?:\(\d+\) )?panicked at |fatal error: all goroutines|.*\*\*\* (?:stack smashing|buffer overflow) detected)/

/** Within a trace, lines name code; these never say what went wrong, wherever they are. */
const code =
  /^(?:\s+at\b |at (?:\S+ ?\(|\S+:\d+|[\w.$<>]+\.)|at [A-Z]:\\|At (?:line|[A-Z]:\\|\/)\S*:?\d*|File "|from \S+:\d+|#\d+ +(?:0x|\/|\{main|[\w\\:>-]+\()|\.{3} \d+ more|raise |throw |return |[~^\s|.─]+$|goroutine \d+|Traceback \(|Stack ?trace|stack (?:back)?trace|Call Stack|During handling of|The above exception|Emitted '?error|node:(?:internal|events|fs)|triggerUncaughtException|note: |help: |hint: |= (?:note|help)|\d+ \| |\d+: +\w+::|\d+ *\||\| |In file included|In function|.*: In function|.*: At top level|\.\.\.$|\+ (?:CategoryInfo|FullyQualifiedErrorId|~))/i
const command =
  /^(?:\++ (?![A-Z]{4,}:)|\$ |> (?=\S)|# (?=\S)|% (?=\S)|PS [A-Z]:\S*> |(?:\/\S*\/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|javac|rustc|make|cmake|install) -)/
const advice =
  /^(?:usage:|use |try |run |see |please |to (?:see|get|fix|show)|for more|more info|did you mean|possible reason|is the (?:server|docker)|you (?:may|can|might|should)|re-?run|read more|documentation:|consider |check (?:that|whether|the)|if you )|A complete log of|for help|^[^.:]*\bfor more information\b|--help\b/i
const noise =
  /^(?:An exception occurred during task execution|checking (?:for|whether|if)\b|perl: warning: |debconf: |locale: |.*setlocale|.*cannot (?:change|set) locale|npm (?:error|ERR!) (?:code|errno|syscall|path|dest|command|workspace|location|lifecycle)\b|npm (?:error|ERR!)$|npm error (?:To see|npm run|Note)|dpkg-preconfigure: |.*TERM environment variable not set|tput: |stdin: is not a tty|Unable to find image .* locally$|mesg: |AH00558: |\* (?:TLSv\d|ALPN|Trying |Connected to )|\[\d+:0x[\da-f]+\] +\d+ ms: |Warning: Permanently added|ok \d|PASS\b|✓|✔|√|✅|--- PASS|\[ *OK *\]|\.\.\. ok$)/i
/** A heading of a table: words in columns, without a number. */
const heading =
  /^(?!--- FAIL)(?:[A-Z]{2,9}-\d+: )?[=#*-]{3,}.*|^=[A-Z ]+={3,}.*|^(?:[A-Z%#][A-Za-z%#()/]*(?: [A-Za-z%]+)?(?:\s{2,}|\s*\|\s*)){2,}[A-Z%#][A-Za-z%()/ ]*$/

const summary =
  /\*\*\* \[.*\] Error \d|\b(?:exit(?:ed|ing)?|returned|terminated|finished|completed|ended)(?: \w+){0,3}? (?:with )?(?:an? )?(?:non-?zero |error |failure )*(?:exit )?(?:status|code|errors?|failures?)\b|\b(?:exit|return)[ -]?(?:code|status)\b|\bprevious errors?\b|\berrors? (?:was|were|have) (?:encountered|found)|^\W*\d+ (?:\w+ )?(?:errors?|failures?|failed)\b|\bcompilation (?:terminated|aborted)|\bBEGIN failed|treated as errors|\b(?:job|build|task|script|backup|run|step|command|process|pipeline|action|cron|service|unit|test|operation|deployment|restore|sync|import|export|update|upgrade|install(?:ation)?)s? (?:\S+ )?(?:has |have )?(?:failed|aborted|FAILED|error)(?: with an? (?:exception|error))?[.!]?$|\b\d+ errors?$|^(?:BUILD|TESTS?) FAILED|^FAIL\s|\.{4,} \[?[\w ,.]*(?:FAIL|FAILED|ERROR)(?: in [\d.]+ ?m?s)?\]?$|\| \d+ failed\)|^(?:Container|Network|Volume) \S+ Error$|subprocess-exited-with-error|\berrors? running\b|\bfailure of \w+ command\b|Failed with result|Main process exited|^Failed to start |Control process exited|\bsee (?:the )?log|^rsync error:|ld returned|Child returned|not recoverable|Errors? occurred|attempt \d+(?:\/| of )\d+ failed|giving up|^\S+ +: ok=\d+.*failed=|^(?:Errors?|Failed): +\d|lifecycle failed|ELIFECYCLE|^(?:FAILED|ERROR|FAILURE|Failed|Aborted|Error)[.!]*$|script failed|subprocess returned|non-zero|\bfailures?[:=] ?\d|check failed$|invoked oom-killer/i

/** Words of what went wrong. In a line without them, and without a level, it isn't said. */
const failure = new RegExp(
  [
    String.raw`\b(?:fatal|fail(?:ed|ure|ures|s|ing)?|panic(?:ked)?|critical|refused|rejected|denied|abort(?:ed|ing)?|killed|corrupt(?:ed|ion)?|damaged|invalid|illegal|malformed|mismatch(?:ed)?|missing|unknown|unexpected|unrecogni[sz]ed|unsupported|undefined|undeclared|unresolved|unreachable|unhealthy|unavailable|unauthori[sz]ed|forbidden|unbound|unable|incorrect|wrong|expired|\w*exceed(?:ed|s)?|degraded\w*|inconsisten(?:t|cy)|\w*failed|HEALTH_(?:ERR|WARN)|problems? (?:encountered|occurred|while|with)|exhausted|insufficient|interrupted|disconnected|terminated|vanished|infected|deadlock(?:ed)?|crash(?:ed)?|lost (?:connection|contact|lease|leader\w*|carrier|packets?|sync)|(?:connection|contact|link|carrier|session|lease|data|heartbeat)s? (?:was |is )?lost|broken|locked|conflict|violat(?:es|ed|ion)|overflow|stopped|stalled|hung|gone|uncaught|unhandled|bad|oom|out of (?:memory|space|disk|range|inodes)|over quota|quota)\b`,
    String.raw`\b(?:\w*error|\w*exception)s?\b`,
    String.raw`\btime(?:d |-|)out\b|\bdeadline\b`,
    String.raw`\b(?:can(?:not|[’']t| not)|could(?: not|n[’']t)|couldn[’']t|won[’']t|did(?: not|n[’']t)|does(?: not|n[’']t)|do(?: not|n[’']t)|is(?: not|n[’']t)|are(?: not|n[’']t)|was(?: not|n[’']t)|were(?: not|n[’']t)|has(?: not|n[’']t| no)|must(?: not| be)?|not \w+ed|not (?:found|permitted|allowed|enough|in|a|an|running|sent|known|valid|writable|readable|available|empty|recogni[sz]ed|supported|up|reachable|ready|ok))\b`,
    String.raw`\bno (?:such|space|route|space left|valid|matching|route to host|permission|rule|free|more|response|medium|process|disk|child|configuration|public key|secret key|module|package|default|active|backup|data|route|host|usable|suitable|input|files?|key|servers? could|match(?:es)?)\b|\bnone of\b|\bNothing to do!`,
    String.raw`\b(?:permission|access|operation|connection|transport|network|i\/o|disk|host|broken|end) (?:denied|is denied|not permitted|reset|closed|lost|dropped|is unreachable|unreachable|error|full|key verification|is down|pipe|of file)\b|\bI\/O error\b|\bdisk (?:is )?full\b|\bread-only\b|\breset by peer\b|\bbroken pipe\b|\bconnection (?:\w+ )?closed\b|\bis (?:full|down|busy|denied|required|locked|corrupt|stale)\b|\balready (?:exists|running|in use|locked)\b|\bin use\b|\btoo (?:many|large|long|big|old|small|few)\b|\bsegmentation fault|\bsegfault|\bcore dumped|\bbus error|\bstale file|\bsyntax error|\bparse error|\bdepends on|\bunmet depend|\bheld broken|\bresource (?:temporarily )?(?:un|busy)|\bdevice or resource busy|\bskew\b|\bfound differences\b|\bno longer\b|\battempt to\b|(?-i:\bFOUND$)|\bchanged (?:as|while) we\b`,
    String.raw`\b(?:status|code|HTTP(?:\/\d(?:\.\d)?)?)[ :=]{1,3}["']?[45]\d\d\b|\b[45]\d\d (?:bad|not|forbidden|unauthor|internal|service|gateway|too|payment|request|insufficient|proxy|conflict|gone|length|server|precondition)|\bNT_STATUS_(?!SUCCESS)|\bE(?:ACCES|ADDRINUSE|CONN\w+|EXIST|HOSTUNREACH|IO|MFILE|NOENT|NOSPC|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|JSONPARSE)\b|\b(?:ORA|SQLSTATE|ERROR|TNS|RMAN)-?\[?\d{2,5}\b|\bERR_[A-Z]|\(Errno|\[Errno|\berrno[= ]\d`,
    String.raw`\bat \S+ line \d+\.?$`,
    // In other languages; \b knows only Latin letters.
    'ошибк|не удалось|не найден|отказано|нет (?:места|такого)|невозможно|错误|失败|无法|拒绝|空间不足|找不到|エラー|失敗|できません|오류|실패|\\b(?:fehlgeschlagen|verweigert|nicht gefunden|kein Speicherplatz|échec|échoué|impossible|refusé|aucun (?:espace|fichier)|no se (?:puede|pudo|encuentra)|denegado|no existe|fallido|impossibile|negato|non riuscit[oa]|falhou|negad[oa]|não foi possível|mislukt|geweigerd)\\b',
  ].join('|'),
  'i',
)

/** Weighs a line. `before`: what the one above it was; null for the first. */
export function weightOf(line: string, before: ReadLine | null): ReadLine {
  const within = before?.within ?? null
  const isInner = innerException.test(line.trim())
  const trimmed = line.trim().replace(innerException, '')
  if (trimmed === '') return nothing(within === 'warning' ? null : within)
  if (/^Traceback \(|^Stack ?trace|stack traceback:/i.test(trimmed)) return nothing('trace')
  if (/^Caused by:$/.test(trimmed)) return nothing('causes')
  const isIndented = /^\s/.test(line)
  if (within === 'trace' && isIndented && !isInner) return nothing('trace')
  if (within === 'causes' && isIndented) return causeOf(trimmed)
  const isBoxed = /^[│╷╵]/.test(trimmed)
  if (isMoreOf(within, line, isBoxed)) return nothing(within)
  if (isIndented && /^(?:at |from |\.{3} \d|\d+ ?\||\|)/.test(trimmed)) return nothing()
  return weightOfMessage(trimmed, isBoxed)
}

function nothing(within: ReadLine['within'] = null): ReadLine {
  return { weight: 0, isLater: false, within }
}

/** More follow if it has a number. */
function causeOf(cause: string): ReadLine {
  const within = /^\d+: /.test(cause) ? 'causes' : null
  return { weight: weights.exception, isLater: true, within }
}

function weightOfMessage(trimmed: string, isBoxed: boolean): ReadLine {
  const text = (jsonAsText(trimmed) ?? withoutStamp(trimmed)).trim().replace(/\s+/g, ' ')
  if (heading.test(trimmed)) return nothing()
  if (panic.test(text)) return { weight: weights.exception, isLater: false, within: 'trace' }
  if (code.test(text) || command.test(trimmed) || noise.test(text) || advice.test(text))
    return nothing()
  if (exception.test(text) || bareException.test(text)) return exceptionOf(text)
  const said = text.replace(noError, ' ').replace(names, ' ').replace(/ +/g, ' ').trim()
  const weight = weightOfText(text, said)
  const isWarning = weight === weights.warning || weight === weights.tried || isBoxed
  return { weight, isLater: false, within: isWarning ? whatFollows(text, isBoxed) : null }
}

/** What comes with a warning: the rest of its box, of its sentence, or indented paragraphs. */
function whatFollows(text: string, isBoxed: boolean): ReadLine['within'] {
  if (isBoxed) return /^Warning/.test(text) ? 'warning' : null
  if (/:$|^Err:\d+ /.test(text)) return 'warning in paragraphs'
  return /.{60}[\w,]$/.test(text) ? 'warning' : null
}

/** Whether a line goes on with the warning above it: in its box, indented, or within its sentence. */
function isMoreOf(within: ReadLine['within'], line: string, isBoxed: boolean): boolean {
  if (within === 'trace' || within === 'causes' || within === null) return false
  if (isBoxed) return within === 'warning' && !line.trim().startsWith('╵')
  if (/^\s/.test(line)) return true
  return within === 'warning' && /^[a-z]/.test(line) && !/^[\w./-]+(?:\[\d+\])?: /.test(line)
}

/** A file in a list, or a setting. */
function saysNothing(text: string): boolean {
  const isWord = /^\S+$/.test(text) && !text.includes(':')
  const isSaid =
    /^(?:fatal|failed|error|failure|killed|aborted|terminated|timeout|denied|refused)\W*$/i
  if (isWord && !isSaid.test(text)) return true
  return setting.test(text) && levelOf(text) === null
}

function exceptionOf(text: string): ReadLine {
  if (/warning\b/i.test(text.slice(0, 40)))
    return { weight: weights.warning, isLater: true, within: 'trace' }
  // The sum of what other exceptions said, or what only points to the lines below.
  if (/: \d+ \S+ could not be |\bsee .{1,40}:$/.test(text))
    return { weight: weights.summary, isLater: true, within: null }
  // Its name alone says less than a message elsewhere, which may be indented below it.
  return /[^:]: *\S|\(/.test(text)
    ? { weight: weights.exception, isLater: true, within: 'trace' }
    : { weight: weights.summary, isLater: true, within: null }
}

/** Tells of a line above it, even if that is only a warning. */
const pointsBack = /\bprevious errors?\b/i

function weightOfText(text: string, said: string): number {
  if (saysNothing(text)) return 0
  if (pointsBack.test(said)) return weights.aside
  const level = levelOf(said) ?? (levelOf(text) === 'calm' ? 'calm' : null)
  const isFailure = failure.test(said) || atEnd.test(text)
  if (level === 'calm')
    return isFailure && !success.test(said) && !tried.test(said) ? weights.aside : 0
  if (level === 'warning') return weights.warning
  const isSummary = isSummed(said)
  if (level === 'error') {
    if (tried.test(said)) return weights.tried
    if (isSummary) return weights.summary
    return weights.error
  }
  if (success.test(said) && !/\b(?:not|un|in)success|\bbut\b|\bunsuccess/i.test(said)) return 0
  if (isSummary) return weights.summary
  return isFailure ? weightOfFailure(text, said) : 0
}

function weightOfFailure(text: string, said: string): number {
  if (tried.test(said)) return weights.warning
  // "First run (no settings found)": an aside.
  const isSaidOutside = failure.test(said.replace(/\([^()]*\)/g, ' ')) || atEnd.test(text)
  return isSaidOutside ? errorOf(text) : weights.summary
}

function errorOf(text: string): number {
  if (/:$/.test(text) && !/:\d/.test(text) && !isAnnouncement(text)) return weights.heading
  // A banner: what it is about is told below.
  return /^[A-Z]+(?: [A-Z]+)+$/.test(text) ? weights.summary : weights.error
}

function isSummed(said: string): boolean {
  // "exit status 0" says success.
  return summary.test(
    said.replace(/\b(?:exit|return)\w*(?: with)?(?: status| code)?[ :=]{1,3}0\b/gi, ' '),
  )
}

/** Whether it only says that the next line says it. */
export function isAnnouncement(line: string): boolean {
  return /(?:following (?:errors?|problems?|exceptions?|failures?|reasons?|messages?)|went wrong|error was|errors? (?:was |were )?(?:encountered|occurred)|panicked at|processing).*:$|^\W*(?:errors?|fatal|failures?|exception|failed)\s*(?:message|details?)?:$/i.test(
    line.trim(),
  )
}
