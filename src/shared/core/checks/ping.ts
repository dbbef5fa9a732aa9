import {
  type Check,
  type CheckDetails,
  type CheckStatus,
  type Schedule,
  slugOfName,
} from './check.ts'
import { parseCron } from './cron.ts'

/** `ignored`: logged without effect (paused with manual resume, GET to a POST-only check, …). */
export type PingKind = 'success' | 'start' | 'fail' | 'log' | 'ignored' | 'unknown'

/** A signal from a job, as the service logged it. */
export interface Ping {
  /** Running number within the check, from 1. Has gaps after pruning; null on very old rows. */
  readonly n: number | null
  readonly kind: PingKind
  /** The kind as the server wrote it, for unknown ones. */
  readonly rawKind: string
  /** Epoch ms by the server's clock. */
  readonly at: number
  /** `http`, `https` or `email`. */
  readonly scheme: string
  readonly remoteAddress: string | null
  /** As received; empty for e-mail. */
  readonly method: string
  readonly userAgent: string
  /** Ties a start to its end; null when the job sent none. */
  readonly runId: string | null
  /** A body was kept: it can be read by `n`. */
  readonly hasBody: boolean
  /** Two decimals; null when the ping did not end a measured run, or the server did not say. */
  readonly durationSeconds: number | null
}

export type PingSignal = 'success' | 'start' | 'fail' | 'log' | 'exitStatus'

export const signalLabels: Readonly<Record<PingSignal, string>> = {
  success: 'Success',
  start: 'Start',
  fail: 'Failure',
  log: 'Log entry',
  exitStatus: 'Exit status',
}

/** A ping sent by hand. */
export interface PingByHand {
  readonly signal: PingSignal
  /** 0 to 255 with the signal `exitStatus`, else null. */
  readonly exitStatus: number | null
  /** A UUID that ties a start to its end. */
  readonly runId: string | null
  readonly body: string
}

/**
 * What became of a ping sent by hand. Servers answer "OK" even to pings that they ignore, so the
 * check and its log are read afterwards.
 */
export type PingOutcome =
  /** `as` is from the log: keywords can turn it into another signal. */
  | {
      readonly kind: 'recorded'
      readonly as: 'success' | 'start' | 'fail' | 'log'
      readonly status: CheckStatus
    }
  /** Answered OK and logged, but without effect. */
  | {
      readonly kind: 'ignored'
      readonly because: 'pausedManually' | 'keywords' | 'unknown'
      readonly status: CheckStatus
    }
  /** Answered OK, but the check's log does not have it. */
  | { readonly kind: 'notLogged' }
  /** Answered OK; the check could not be read afterwards. */
  | { readonly kind: 'unconfirmed' }
  /** Dropped: too many pings. Hosted services answer 429, or 200 with another text than OK. */
  | { readonly kind: 'rateLimited' }
  /** 404: the check is gone. */
  | { readonly kind: 'notFound' }
  /** 409 and any other refusal, in the server's words. */
  | { readonly kind: 'refused'; readonly httpStatus: number; readonly message: string }

/** The outcome as a sentence. */
export function pingOutcomeText(outcome: PingOutcome): string {
  switch (outcome.kind) {
    case 'recorded':
      return `Recorded as ${signalWords[outcome.as]}.`
    case 'ignored':
      return `Answered OK but ignored: ${reasonWords[outcome.because]}.`
    case 'notLogged':
      return 'Answered OK, but not in the check’s log yet.'
    case 'unconfirmed':
      return 'Answered OK, but the check could not be read to confirm it.'
    case 'rateLimited':
      return 'Dropped: too many pings in a short time.'
    case 'notFound':
      return 'The check no longer exists.'
    case 'refused':
      return `Refused with ${outcome.httpStatus}${outcome.message && `: ${outcome.message}`}.`
  }
}

const signalWords = {
  success: 'a success',
  start: 'a start',
  fail: 'a failure',
  log: 'a log entry',
} as const

const reasonWords = {
  pausedManually: 'the check is paused until somebody resumes it',
  keywords: 'its body has none of the keywords',
  unknown: 'the server does not say why',
} as const

/** The forms in which a ping address can be copied: alone, or in a command or unit. */
export const pingForms = ['url', 'curl', 'wget', 'shell', 'cron', 'systemd'] as const
export type PingForm = (typeof pingForms)[number]

/** Compiled once: doing it for each check would take longer than parsing the rest of it. */
const pingAddress =
  /^https?:\/\/(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/[\w.~%-]+)*\/([\da-f-]+)$/i

/**
 * Whether a text from a server may be used as a check's ping address: http or https, ending in the
 * uuid, and without characters that a shell would interpret within quotes.
 */
export function isPingAddress(url: string, uuid: string): boolean {
  return url.length <= 2_000 && pingAddress.exec(url)?.[1]?.toLowerCase() === uuid.toLowerCase()
}

/**
 * The text for the clipboard; null without an address (a read-only key), and for an OnCalendar
 * schedule as a cron line.
 */
export function pingAddressText(
  check: Pick<CheckDetails, 'name' | 'pingUrl' | 'methods' | 'schedule'>,
  form: PingForm,
): string | null {
  const { pingUrl, methods } = check
  if (pingUrl === null) return null
  if (form === 'url') return pingUrl
  const isPost = methods === 'POST'
  if (form === 'wget')
    return `wget -q -T 10 -t 5 -O /dev/null ${isPost ? "--post-data='' " : ''}${word(pingUrl)}`
  const quiet = `curl -fsS -m 10 --retry 5 -o /dev/null${isPost ? ' -X POST' : ''}`
  const curl = `${quiet} ${word(pingUrl)}`
  if (form === 'shell') return `${curl}/start; ${command}; ${curl}/$?`
  if (form === 'systemd') return unitText(check, pingUrl, quiet)
  return form === 'curl' ? curl : cronLine(check.schedule, curl)
}

/** As a word for a POSIX shell, where brackets (an IPv6 host) would be a file pattern. */
function word(url: string): string {
  return /^[\w.:/~%-]+$/.test(url) ? url : `'${url}'`
}

/** A placeholder for the user's command. */
const command = '/path/to/command'

/** Pings only if the command succeeded, as a check expects. */
function cronLine(schedule: Check['schedule'], curl: string): string | null {
  const when = cronSchedule(schedule)
  if (when === null) return null
  // A bare % ends the command in a crontab and begins its input.
  const line = `${when} ${command} && ${curl.replaceAll('%', '\\%')}`
  const zone = schedule.kind === 'period' ? null : schedule.zone
  // Not CRON_TZ: many crons take it for an environment variable and use local time.
  return zone === null || !/^[\w/+-]+$/.test(zone) ? line : `# Times are in zone ${zone}.\n${line}`
}

function cronSchedule(schedule: Check['schedule']): string | null {
  if (schedule.kind === 'period') return cronOfPeriod(schedule.periodSeconds)
  if (schedule.kind === 'onCalendar') return null
  const expression = schedule.expression.trim().split(/\s+/).join(' ')
  // It goes into a crontab, so anything else that a server may send is rejected.
  return /^[\w*,/#?-]+(?: [\w*,/#?-]+){4}$/.test(expression) ? expression : null
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Longest first; each divides its hour or day evenly, or the last interval would be shorter. */
const cronPeriods: readonly (readonly [seconds: number, schedule: string])[] = [
  [31 * day, '0 0 1 * *'],
  [7 * day, '0 0 * * 0'],
  [day, '0 0 * * *'],
  ...[12, 8, 6, 4, 3, 2].map((n): [number, string] => [n * hour, `0 */${n} * * *`]),
  [hour, '0 * * * *'],
  ...[30, 20, 15, 12, 10, 6, 5, 4, 3, 2].map((n): [number, string] => [
    n * minute,
    `*/${n} * * * *`,
  ]),
]

/** The longest of these that is not longer than the period, so that no ping comes late. */
function cronOfPeriod(seconds: number): string {
  return cronPeriods.find(([length]) => length <= seconds)?.[1] ?? '* * * * *'
}

/** A service that reports its start and its exit status, and the timer for it. */
function unitText({ name, schedule }: Pick<Check, 'name' | 'schedule'>, url: string, curl: string) {
  const file = slugOfName(name).slice(0, 60) || 'job'
  const calls = `/usr/bin/${curl} "${url}`.replaceAll('%', '%%')
  const words = name.replace(/[\p{C}\s\\]+/gu, ' ').replaceAll('%', '%%')
  // EXIT_STATUS is the name of a signal if the job was killed.
  const status =
    '$$(case "$$EXIT_STATUS" in ""|*[!0-9]*) echo fail;; *) echo "$$EXIT_STATUS";; esac)'
  return `# /etc/systemd/system/${file}.service
[Unit]
Description=${words.trim() || file}

[Service]
Type=oneshot
ExecStartPre=-${calls}/start"
ExecStart=${command}
ExecStopPost=-/bin/sh -c '${calls}/${status}"'

# /etc/systemd/system/${file}.timer
[Timer]
${timerLines(schedule).join('\n')}

[Install]
WantedBy=timers.target`
}

function timerLines(schedule: Schedule): readonly string[] {
  if (schedule.kind === 'period')
    return ['OnBootSec=1min', `OnUnitActiveSec=${schedule.periodSeconds}s`]
  const { kind, expression, zone } = schedule
  const dates = kind === 'cron' ? calendarDates(expression) : linesOf(expression)
  // They go into a unit, so anything else that a server may send is rejected.
  const isPlain = dates.every((one) => /^[\w*,./:~ -]+$/.test(one)) && /^[\w/+-]+$/.test(zone)
  return dates.length > 0 && isPlain
    ? [...dates.map((one) => `OnCalendar=${one} ${zone}`), 'Persistent=true']
    : ['# OnCalendar= cannot express the schedule of this check.']
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

/** A cron expression as OnCalendar= values; empty if they can't express it. */
function calendarDates(expression: string): readonly string[] {
  const read = parseCron(expression)
  if ('error' in read) return []
  const { minutes, hours, days, months, weekdays, bothDays } = read.schedule
  if (Math.min(...days) < 1 || Math.max(...weekdays) > 6) return []
  const list = (values: ReadonlySet<number>, all: number) =>
    values.size === all
      ? '*'
      : [...values]
          .sort((one, other) => one - other)
          .map((one) => String(one).padStart(2, '0'))
          .join(',')
  const time = `${list(hours, 24)}:${list(minutes, 60)}:00`
  const week = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].filter((_, n) => weekdays.has(n))
  const onDays = `*-${list(months, 12)}-${list(days, 31)} ${time}`
  const onWeekdays = `${week.join(',')} *-${list(months, 12)}-*`
  // In cron, matching either of the two suffices.
  if (!bothDays) return [onDays, `${onWeekdays} ${time}`]
  return [week.length === 7 ? onDays : `${week.join(',')} ${onDays}`]
}
