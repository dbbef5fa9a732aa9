import { isKnownZone, zoneSpelling } from '../wall-clock.ts'
import { type CheckDraft, newCheckDraft } from './check-draft.ts'
import { nextRun, parseCron } from './cron.ts'

/** A line that runs a command at predictable times. */
export interface CronJob {
  /** From 0. */
  readonly line: number
  /** Five fields. */
  readonly expression: string
  readonly zone: string
  readonly name: string
  /** What its comment says beyond the name. */
  readonly description: string
  readonly graceSeconds: number
  /** The line is `before + command + after`. */
  readonly before: string
  readonly command: string
  readonly after: string
  /** The command already contains the address of a check. */
  readonly pings: boolean
}

/** A line that can't become a check. */
interface RefusedLine {
  readonly line: number
  readonly text: string
  /** A sentence. */
  readonly why: string
}

export interface Crontab {
  readonly lines: readonly string[]
  readonly jobs: readonly CronJob[]
  readonly refused: readonly RefusedLine[]
}

export interface CrontabOptions {
  /** The zone of the computer it runs on, used unless CRON_TZ sets another. */
  readonly zone: string
  /** Each line names a user before its command, as in /etc/crontab and /etc/cron.d. */
  readonly hasUsers: boolean
  /** Epoch ms: the intervals between runs are measured from then. */
  readonly now: number
}

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@every_minute': '* * * * *',
}

/** Characters: a crontab has a few thousand. */
export const longestCrontab = 60_000
/** Cron accepts about 1,000. */
const longestLine = 2_000

export function readCrontab(text: string, options: CrontabOptions): Crontab {
  const lines = text.split(/\r\n|\r|\n/)
  const jobs: CronJob[] = []
  const refused: RefusedLine[] = []
  const names = new Map<string, number>()
  let { zone } = options
  let comments: string[] = []
  for (const [line, whole] of lines.entries()) {
    if (whole.length > longestLine) {
      comments = []
      refused.push({ line, text: whole.slice(0, 100), why: 'It is longer than cron accepts.' })
      continue
    }
    const trimmed = whole.trim()
    if (trimmed.startsWith('#')) {
      comments = withComment(comments, trimmed)
      continue
    }
    const above = comments
    comments = []
    const assigned = trimmed === '' ? null : assignment(trimmed)
    if (assigned?.name === 'CRON_TZ') zone = assigned.value || options.zone
    if (trimmed === '' || assigned !== null) continue
    const read = readLine(whole, zone, options.hasUsers)
    if ('why' in read) refused.push({ line, text: trimmed, why: read.why })
    else {
      const { name, description } = named(read.command, above)
      const unique = untaken(name, names)
      const { expression, zone: own } = read
      const graceSeconds = graceOf(expression, own, options.now)
      jobs.push({ ...read, line, name: unique, description, graceSeconds })
    }
  }
  return { lines, jobs, refused }
}

/**
 * Adds a line to the comment above a job. A header of the fields or commented-out code clears it,
 * and a line of dashes is skipped.
 */
function withComment(before: readonly string[], comment: string): string[] {
  const raw = comment.replace(/^[#\s]+/, '')
  const isHeader = /\bdow\b|\bday of (?:the )?week\b|^[┌│└|.]/i.test(raw)
  if (isHeader || isJobLine(raw) || assignment(raw) !== null) return []
  const text = raw.replace(/^[\s*=~_|+-]+|[\s#*=~_|+-]+$/g, '')
  return text === '' ? [...before] : [...before, text]
}

function isJobLine(text: string): boolean {
  return 'command' in readLine(text, 'UTC', false)
}

/** `NAME = value`, quoted or not; null for anything else, such as a job with a zone in front. */
function assignment(text: string): { readonly name: string; readonly value: string } | null {
  const [, name, value = ''] = /^["']?([A-Za-z_]\w*)["']?\s*=\s*(.*)$/.exec(text) ?? []
  if (name === undefined || ownZone.test(text)) return null
  return { name, value: value.replace(/^(["'])(.*)\1$/, '$2').trim() }
}

/** Some schedulers accept this: `CRON_TZ=Asia/Tokyo 0 3 * * * command`. */
const ownZone = /^\s*(?:CRON_)?TZ=(\S+)\s+(?=(?:\S+\s+){5}\S|@\w+\s+\S)/

type ReadLine = Pick<CronJob, 'expression' | 'zone' | 'before' | 'command' | 'after' | 'pings'>

function readLine(
  whole: string,
  zoneAbove: string,
  hasUsers: boolean,
): ReadLine | { readonly why: string } {
  const own = ownZone.exec(whole)
  const zone = zoneSpelling(own?.[1] ?? zoneAbove)
  const from = own?.[0].length ?? /^\s*/.exec(whole)?.[0].length ?? 0
  const times = timesIn(whole.slice(from))
  if ('why' in times) return times
  const user = hasUsers ? (/^\S+\s+/.exec(whole.slice(from + times.length))?.[0] ?? null) : ''
  if (user === null) return { why: 'It has no command after the user.' }
  const start = from + times.length + user.length
  const end = endOfCommand(whole, start)
  const command = whole.slice(start, end)
  if (/^[*\d]\S*\s/.test(command) && /^[\d*,/-]+$/.test(command.split(/\s/, 1)[0] ?? ''))
    return { why: 'It has more than five time fields. Cron has none for seconds or years.' }
  if (commentAt(command) === 0) return { why: 'It runs nothing: its command is a comment.' }
  const read = parseCron(times.expression)
  if ('error' in read) return { why: read.error }
  if (times.expression.length > 100) return { why: 'Its schedule is longer than 100 characters.' }
  if (!isKnownZone(zone)) return { why: `Belfry does not know the time zone ${zone}.` }
  const pings = /https?:\/\/\S*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.test(command)
  const { expression } = times
  return {
    expression,
    zone,
    before: whole.slice(0, start),
    command,
    after: whole.slice(end),
    pings,
  }
}

/** The five fields at the start of a line, and their length including the space after them. */
function timesIn(text: string): { expression: string; length: number } | { why: string } {
  const [macro] = /^@\S*/.exec(text) ?? []
  if (macro !== undefined) {
    const expression = macros[macro.toLowerCase()]
    const length = /^@\S*\s+(?=\S)/.exec(text)?.[0].length
    if (macro.toLowerCase() === '@reboot')
      return { why: '@reboot has no time: it runs whenever the computer starts.' }
    if (expression === undefined) return { why: `${macro} is not a schedule that Belfry knows.` }
    return length === undefined ? { why: 'It has no command.' } : { expression, length }
  }
  const found = /^(?:\S+\s+){5}(?=\S)/.exec(text)?.[0]
  if (found === undefined)
    return { why: 'This is not a crontab line: five time fields, then a command.' }
  // In SUSE's cron a leading minus means "don't log".
  const expression = found
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/^-(?=[\d*])/, '')
  return expression.includes('~')
    ? { why: 'It runs at a random time (~), so no time can be expected.' }
    : { expression, length: found.length }
}

/** The command's input begins at the first `%` without a backslash before it. */
function endOfCommand(whole: string, start: number): number {
  const input = /(?<!\\)%/.exec(whole.slice(start))?.index
  const command = whole.slice(start, input === undefined ? undefined : start + input)
  return start + command.trimEnd().length
}

/** A cache: a crontab is parsed again with each keystroke, and its lines are similar. */
const graces = new Map<string, number>()
const mostGraces = 2_000

/** Half of the shortest interval between runs in a week, at most the service's default of 1 h. */
function graceOf(expression: string, zone: string, now: number): number {
  const key = `${expression} ${zone}`
  const known = graces.get(key)
  if (known !== undefined) return known
  const read = parseCron(expression)
  let shortest = 2 * 3_600_000
  if ('schedule' in read) {
    let at = nextRun(read.schedule, now, zone)
    const end = (at ?? now) + 7 * 86_400_000
    for (let n = 0; at !== null && at < end && n < 60; n += 1) {
      const next: number | null = nextRun(read.schedule, at, zone)
      if (next !== null && next > at) shortest = Math.min(shortest, next - at)
      at = next
    }
  }
  const grace = Math.max(60, Math.floor(shortest / 2 / 60_000) * 60)
  if (graces.size >= mostGraces) graces.clear()
  graces.set(key, grace)
  return grace
}

/** Whether each line seems to name a user. */
export function seemsToHaveUsers(text: string): boolean {
  const lines = text.split(/\r\n|\r|\n/, 200).filter(({ length }) => length <= longestLine)
  const beginning = lines.join('\n')
  if (/^#.*\buser(?:-?name)?\b.*\bcommand\b/im.test(beginning)) return true
  const { jobs } = readCrontab(beginning, { zone: 'UTC', hasUsers: false, now: 0 })
  const first = jobs.map(({ command }) => command.split(/\s+/, 2))
  const isName = ([user = '', more]: readonly string[]) =>
    more !== undefined && /^[a-z_][\w-]*\$?$/i.test(user)
  return first.every(isName) && first.some(([user = '']) => users.test(user))
}

const users = /^(?:root|www-data|nobody|daemon|postgres|munin|nagios|apache|nginx|smmsp)$/

/** A unique name. `names`: how often each was used. */
function untaken(name: string, names: Map<string, number>): string {
  let unique = name
  for (let n = names.get(name) ?? 0; names.has(unique); n += 1) {
    unique = `${cut(name, 95)} ${n + 1}`
    names.set(name, n + 1)
  }
  names.set(unique, names.get(unique) ?? 1)
  return unique
}

function cut(text: string, most: number): string {
  return [...text].slice(0, most).join('').trim()
}

/** Names a job by the comment after the command, else the one above it, else what it runs. */
function named(command: string, above: readonly string[]) {
  const behind = commentOf(command)
  const comments = behind === '' ? above : [behind, ...above]
  const [first, ...more] = comments
  const name = cut(first?.replace(/[.:]+$/, '') ?? '', 100) || commandName(command)
  const wasCut = first !== undefined && [...first].length > 100
  return { name, description: (wasCut ? comments : more).join('\n') }
}

/** The shell's own comment at the end of a command. */
function commentOf(command: string): string {
  const at = commentAt(command)
  return at === -1 ? '' : command.slice(at).replace(/^[#\s]+/, '')
}

/** Where the shell's comment begins; -1 if there is none. */
function commentAt(command: string): number {
  const mark = unquoted(command).search(/(?:^|[\s;&|()])#/)
  return mark === -1 ? -1 : command.indexOf('#', mark)
}

/** Replaces quoted text and escaped characters by as many x, to keep all positions. */
function unquoted(command: string): string {
  return command.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, (text) =>
    'x'.repeat(text.length),
  )
}

/** Commands that run another: options that take a value, and the number of arguments before it. */
const wrappers: ReadonlyMap<string, readonly [letters: string, words: number]> = new Map([
  ['sudo', ['ugC', 0]],
  ['nice', ['n', 0]],
  ['ionice', ['cnp', 0]],
  ['timeout', ['ks', 1]],
  ['flock', ['wE', 1]],
  ['taskset', ['', 1]],
  ['systemd-cat', ['tp', 0]],
  ...'chronic cronic nohup setsid env time exec command run-one bundle sh bash dash zsh python python3 perl php node ruby java'
    .split(' ')
    .map((one): [string, [string, number]] => [one, ['', 0]]),
])

const fileName = (word: string) => word.split('/').findLast((part) => part !== '') ?? ''

/** "backup-db" for `cd /srv && /usr/bin/flock -n /tmp/lock /opt/backup-db.sh --all >/dev/null`. */
export function commandName(command: string): string {
  const at = commentAt(command)
  const parts = (at === -1 ? command : command.slice(0, at))
    .replace(/(?:\S*\/)?\b(?:ba|da|z|k)?sh\s+-\w*c\s+["']/g, ';')
    .replace(/\b\w+=(?:"[^"]*"|'[^']*')/g, '')
    .split(/&&|\|\||;|\|/)
    .filter(
      (part) => !/^[\s({!]*(?:(?:cd|test|\[|\.|source|export|sleep|umask|set)\s|$)/.test(part),
    )
  const runs = parts.map(commandIn)
  const [first = '', next = ''] = runs.find(([word = '']) => !wrappers.has(word)) ?? runs[0] ?? []
  const name = fileName(first).replace(/\.(?:sh|py|php|pl|rb|js|mjs|bash|jar)$/, '')
  const isSubcommand = /^[a-z][a-z0-9:_-]{1,30}$/.test(next)
  return cut(isSubcommand ? `${name} ${next}` : name, 100) || 'cron job'
}

/** The words from the command that is eventually run. */
function commandIn(part: string): readonly string[] {
  let words = part
    .replace(/\d?[<>].*$/s, '')
    .split(/[\s"'`(){}]+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^\w+=/.test(word))
  for (;;) {
    const [word = '', ...more] = words
    const wrapper = wrappers.get(fileName(word))
    const rest = wrapper === undefined ? [] : afterOptions(more, ...wrapper)
    if (rest.length === 0) return words
    words = rest
  }
}

function afterOptions(words: readonly string[], letters: string, own: number): string[] {
  let at = 0
  while (words[at]?.startsWith('-') === true)
    at += letters !== '' && new RegExp(`^-[${letters}]$`).test(words[at] ?? '') ? 2 : 1
  return words.slice(at + own)
}

/** How a job pings its check: only on success, or always with its exit status. */
export type ReportOf = 'success' | 'exitStatus'

/**
 * The crontab with pings added to its jobs, otherwise unchanged. `pings`: the command that pings,
 * by line. If one can't be added, a comment above the job says so.
 */
export function crontabWithPings(
  { lines, jobs }: Crontab,
  pings: ReadonlyMap<number, string>,
  of: ReportOf,
): string {
  const byLine = new Map(jobs.map((job) => [job.line, job]))
  const written = lines.flatMap((text, line) => {
    const [job, ping] = [byLine.get(line), pings.get(line)]
    if (job === undefined || ping === undefined) return [text]
    // A bare % ends the command in a crontab and begins its input.
    const command = withPing(job.command, ping.replaceAll('%', '\\%'), of)
    if (command !== null) return [`${job.before}${command}${job.after}`]
    return [`# Belfry can't tell whether this job succeeds. Add where you can: ${ping}`, text]
  })
  return written.join('\n')
}

/**
 * Null if the ping would not say whether the job succeeded: it is unclear where the command ends, or
 * its exit status is not that of each of its parts.
 */
export function withPing(command: string, ping: string, of: ReportOf): string | null {
  if (losesStatus(command)) return null
  const at = commentAt(command)
  const comment = at === -1 ? '' : ` ${command.slice(at)}`
  let code = (at === -1 ? command : command.slice(0, at)).trimEnd()
  const trailing = /[\s;]+$/.exec(unquoted(code))?.[0].length ?? 0
  code = code.slice(0, code.length - trailing)
  const plain = unquoted(code)
  const isBackground = /[^&]&$/.test(plain)
  if (/["'\\]|<<|(?:&&|\|)$/.test(plain) || code === '') return null
  if (isBackground) code = code.slice(0, -1).trimEnd()
  // After `exit` or `exec` the shell would never get to the ping: runs them in a subshell.
  if (/(?:^|[\s;&|(])(?:exec|exit)\b/.test(plain)) code = `( ${code} )`
  const reporting = of === 'success' ? `${code} && ${ping}` : `${code}; ${ping}/$?`
  return `${isBackground ? `( ${reporting} ) &` : reporting}${comment}`
}

/** Code for another shell: `sh -c '…'`, `ssh host '…'`. */
const innerCode = /(?:\s-\w*c|\bssh\s[^|;&]*)\s+(?:'([^']*)'|"((?:\\[\s\S]|[^"\\])*)")/g

/**
 * Whether a part of the command can fail without the command failing, as before a pipe or a
 * semicolon, in the background, or before `|| true`.
 */
export function losesStatus(command: string): boolean {
  const at = commentAt(command)
  const code = (at === -1 ? command : command.slice(0, at)).replace(/[\s;]+$/, '')
  // Not among them: `2>&1`, `&>file`, `&&`, and the one at the end, which is taken off for the ping.
  const plain = unquoted(code)
    .replace(/[<>]&|&>|&&|>\|/g, 'xx')
    .replace(/&$/, '')
  if (/[;|&]/.test(plain)) return true
  if (/[|;]/.test(code.match(/\$\([^)]*|`[^`]*`/g)?.join('') ?? '')) return true
  return [...code.matchAll(innerCode)].some(([, one, two]) => {
    const inner = one ?? two ?? ''
    return /&\s*$/.test(inner) || losesStatus(inner)
  })
}

/** The check that is proposed for a job. */
export function draftOfJob(job: CronJob, tags: string): CheckDraft {
  const { name, description, expression, zone, graceSeconds } = job
  const grace = `${graceSeconds} s`
  return { ...newCheckDraft, name, description, tags, kind: 'cron', expression, zone, grace }
}
