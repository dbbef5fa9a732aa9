import { isKnownZone, zoneSpelling } from '../wall-clock.ts'
import { type CheckDraft, newCheckDraft } from './check-draft.ts'
import { nextRun, parseCron } from './cron.ts'
import { type Comments, named, noComments, untaken, withComment } from './cron-job-name.ts'
import { isForOtherInits, isWatched, notesOn, runTimes } from './cron-job-notes.ts'
import type { ShellOptions } from './honest-status.ts'
import { commentAt } from './shell-code.ts'

/** A line that runs a command at predictable times. */
export interface CronJob extends ShellOptions {
  /** From 0. */
  readonly line: number
  /** Five fields: when its check expects it. */
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
  /** Why no check is proposed for it, as a sentence; null if one is. */
  readonly leftOut: string | null
  /** What else to know of it: sentences. */
  readonly notes: readonly string[]
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
/** Cron accepts some 1,000. Reading a line may take time that grows with the square of its length. */
const longestLine = 1_200

export function readCrontab(text: string, options: CrontabOptions): Crontab {
  const lines = text.split(/\r\n|\r|\n/)
  const jobs: CronJob[] = []
  const refused: RefusedLine[] = []
  const names = new Map<string, number>()
  const variables = new Map<string, string>()
  let comments = noComments
  for (const [line, whole] of lines.entries()) {
    const trimmed = whole.slice(0, longestLine).trim()
    if (trimmed.startsWith('#')) {
      comments = withComment(comments, trimmed, isCode)
      continue
    }
    const assigned = trimmed === '' ? null : assignment(trimmed)
    if (assigned !== null) variables.set(assigned.name, assigned.value)
    // Between a tool's marker and its job there may be settings.
    if (assigned !== null && comments.tool !== null) continue
    const above = comments
    comments = noComments
    if (trimmed === '' || assigned !== null) continue
    const zone = variables.get('CRON_TZ') || options.zone
    const read = readLine(whole, zone, options.hasUsers)
    if ('why' in read) refused.push({ line, text: trimmed.slice(0, 200), why: read.why })
    else jobs.push(jobOf(line, read, { above, variables, names, now: options.now }))
  }
  return { lines, jobs, refused }
}

interface Surroundings {
  readonly above: Comments
  readonly variables: ReadonlyMap<string, string>
  readonly names: Map<string, number>
  readonly now: number
}

function jobOf(line: number, read: ReadLine, around: Surroundings): CronJob {
  const { above, variables, names, now } = around
  const { command, zone } = read
  const { name, description } = named(command, above.lines)
  const times = runTimes(read.expression, command)
  const expression = times.expression ?? read.expression
  return {
    ...read,
    ...{ line, expression, description },
    name: untaken(name, names),
    graceSeconds: graceOf(expression, zone, now) + times.waitSeconds,
    hasPipefail: /(?:^|\/)(?:bash|zsh|ksh)$/.test(variables.get('SHELL') ?? ''),
    isScheduled: times.expression !== null,
    leftOut: whyLeftOut(command, variables),
    notes: notesOn(times.waitSeconds, above.tool),
  }
}

function whyLeftOut(command: string, variables: ReadonlyMap<string, string>): string | null {
  if (isWatched(command, variables)) return 'Its command already pings a check.'
  return isForOtherInits(command)
    ? 'On a computer with systemd it does nothing: a timer runs its job there.'
    : null
}

/** A job or a setting that is commented out. */
function isCode(text: string): boolean {
  return 'command' in readLine(text, 'UTC', false) || assignment(text) !== null
}

/** `NAME = value`, quoted or not; null for anything else, such as a job with a zone in front. */
function assignment(text: string): { readonly name: string; readonly value: string } | null {
  const [, name, value = ''] = /^["']?([A-Za-z_]\w*)["']?\s*=\s*(.*)$/.exec(text) ?? []
  if (name === undefined || ownZone.test(text)) return null
  return { name, value: value.replace(/^(["'])(.*)\1$/, '$2').trim() }
}

/** Some schedulers accept this: `CRON_TZ=Asia/Tokyo 0 3 * * * command`. */
const ownZone = /^\s*(?:CRON_)?TZ=(\S+)\s+(?=(?:\S+\s+){5}\S|@\w+\s+\S)/

type ReadLine = Pick<CronJob, 'expression' | 'zone' | 'before' | 'command' | 'after'>

function readLine(
  whole: string,
  zoneAbove: string,
  hasUsers: boolean,
): ReadLine | { readonly why: string } {
  if (whole.length > longestLine) return { why: 'It is longer than cron accepts.' }
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
  if (/^(?:\?|[*\d][\d*,/-]*)(?:\s|$)/.test(command))
    return { why: 'It has more than five time fields. Cron has none for seconds or years.' }
  if (commentAt(command) === 0) return { why: 'It runs nothing: its command is a comment.' }
  const read = parseCron(times.expression)
  if ('error' in read) return { why: read.error }
  if (times.expression.length > 100) return { why: 'Its schedule is longer than 100 characters.' }
  if (!isKnownZone(zone)) return { why: `Belfry does not know the time zone ${zone}.` }
  const { expression } = times
  return {
    expression,
    zone,
    before: whole.slice(0, start),
    command,
    after: whole.slice(end),
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
  if (/^#.*\b(?:user(?:-?name)?|who)\b.*\bcommand\b/im.test(beginning)) return true
  const { jobs } = readCrontab(beginning, { zone: 'UTC', hasUsers: false, now: 0 })
  const first = jobs.map(({ command }) => command.split(/\s+/, 2))
  const mayBeUser = ([user = '', more]: readonly string[]) =>
    more !== undefined && /^[a-z_][\w-]*\$?$/i.test(user) && !isProgram(user, more)
  return (
    first.every(mayBeUser) &&
    first.some(([user = '', more = '']) => users.test(user) || /^[/~$]/.test(more))
  )
}

const users =
  /^(?:root|www-data|nobody|daemon|postgres|munin|nagios|apache|nginx|smmsp|mysql|redis|backup)$/

/** Whether what may be a user is a program that is often given a path or another program. */
function isProgram(user: string, more: string): boolean {
  // Its first argument is the name of one of its commands.
  if (/^(?:git|docker|restic|borg|rclone|systemctl)$/.test(user)) return !/^[/~$]/.test(more)
  return programs.has(user)
}

const programs = new Set(
  'test if for while cd source echo printf true false exec export sleep nice ionice timeout flock sudo su nohup setsid env time sh bash dash zsh ksh python python2 python3 perl php ruby node java npm npx make rm cp mv ln ls cat tar gzip zip touch mkdir find rsync scp ssh curl wget chown chmod du df mail logger run-parts mysqldump pg_dump mysql psql sqlite3 rake bundle chronic cronic systemd-cat wp composer drush certbot logrotate tee grep awk sed date'.split(
    ' ',
  ),
)

/** The check that is proposed for a job. */
export function draftOfJob(job: CronJob, tags: string): CheckDraft {
  const { name, description, expression, zone, graceSeconds } = job
  const grace = `${graceSeconds} s`
  return { ...newCheckDraft, name, description, tags, kind: 'cron', expression, zone, grace }
}
