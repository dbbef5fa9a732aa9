import { durationWords } from '../time.ts'

/** What a command says about when its job runs, beyond the times of its line. */
export interface RunTimes {
  /** The schedule of the runs that its condition allows; null if its condition says nothing of it. */
  readonly expression: string | null
  /** How long it may wait before it starts, in seconds. */
  readonly waitSeconds: number
}

export function runTimes(expression: string, command: string): RunTimes {
  const code = plainWords(command)
  return { expression: conditionalSchedule(expression, code), waitSeconds: waitIn(code) }
}

/** Without what quotes, escapes and brackets add to the words of a condition. */
function plainWords(command: string): string {
  return command
    .replaceAll('\\%', '%')
    .replace(/["'`\\]|\$(?=\()/g, '')
    .replace(/[()]/g, ' ')
    .replace(/\s+/g, ' ')
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const tomorrow =
  /date (?:.*(?:tomorrow|\+ ?1 ?days?|1 day\b|-v ?\+1d).*\+%-?[de]|\+%-?[de] .*(?:tomorrow|\+ ?1 ?days?|-v ?\+1d))/
const comparison = /(?:==?|-eq) *(\w+)/

/**
 * The nth weekday of a month, or its last day: crontabs name the days that may be it and ask the date.
 * The service's schedules say it outright: `1#1`, `L`.
 */
function conditionalSchedule(expression: string, code: string): string | null {
  const [minute, hour, day = '', month, weekday = ''] = expression.split(' ')
  const condition = /^(?:if )?(?:\S*\/)?(?:test|\[\[?) (.*?)(?: \]\]?)? ?(?:&&|; ?then)/.exec(
    code,
  )?.[1]
  if (condition === undefined || / -[oa] |\|\|/.test(condition)) return null
  if (tomorrow.test(condition)) {
    const isFirst = /^0?1$/.test(comparison.exec(condition)?.[1] ?? '')
    const mayBeLast = /^(?:\*|28-31|28,29,30,31)$/.test(day) && weekday === '*'
    return isFirst && mayBeLast ? `${minute} ${hour} L ${month} *` : null
  }
  const nth = /^(\d+)-(\d+)$/.exec(day)
  if (weekday === '*' && nth !== null) {
    const on = weekdayIn(condition)
    const week = (Number(nth[1]) + 6) / 7
    const isWeek = [1, 2, 3, 4].includes(week) && Number(nth[2]) === week * 7
    return isWeek && on !== null ? `${minute} ${hour} * ${month} ${on}#${week}` : null
  }
  const on = dayOf(weekday)
  const most = /^date \+%-?[de] (-l[te]) 0?(\d+)$/.exec(condition)
  const isFirst = most !== null && Number(most[2]) === (most[1] === '-lt' ? 8 : 7)
  return day === '*' && on !== null && isFirst ? `${minute} ${hour} * ${month} ${on}#1` : null
}

function dayOf(text: string): number | null {
  const named = weekdays.indexOf(text.slice(0, 3).toLowerCase())
  if (named !== -1) return named
  return /^[0-7]$/.test(text) ? Number(text) % 7 : null
}

function weekdayIn(condition: string): number | null {
  const value = comparison.exec(condition)?.[1] ?? ''
  const isAsked = /^date \+%[uw] /.test(condition)
    ? /^[0-7]$/
    : /^date \+%[aA] /.test(condition)
      ? /^[a-z]{3,}$/i
      : /^$/
  if (isAsked.test(value)) return dayOf(value)
  // The other way round: 1 = $(date +%u).
  const [, first = ''] = /^(\w+) (?:==?|-eq) date \+%[uwaA]$/.exec(condition) ?? []
  return first === '' ? null : dayOf(first)
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function waitIn(code: string): number {
  let seconds = 0
  for (const [, text = ''] of code.matchAll(/\bsleep ([^;&|]*)/g)) {
    const random =
      /(?:RANDOM|rand|od|cksum|hash\w*)\b.*?%? ?(\d{2,})|shuf -i ?\d+-(\d+)|rand (\d+)/.exec(text)
    const most = random?.[1] ?? random?.[2] ?? random?.[3]
    const [, fixed, unit] = /^(\d+)([smhd]?)\b/.exec(text) ?? []
    const ownUnit = random === null ? unit : /([smhd])\s*$/.exec(text)?.[1]
    seconds += Number(most ?? fixed ?? 0) * (units[ownUnit ?? 's'] ?? 1)
  }
  return Math.min(seconds, 86_400)
}

/** Addresses that a job pings, and tools that do it. */
const watched =
  /https?:\/\/\S*(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\/ping\/[\w-]{22}\/[\w-]+|\/api\/push\/|\/heartbeat\/)|https?:\/\/(?:[\w-]+\.)*(?:hc-ping\.com|hchk\.io|nosnch\.in|cronitor\.link|deadmanssnitch\.com)\/|\b(?:runitor|hchk|healthchecks-monitor|snitch-run|sentry-cron|cronmonitor)\s|\bcronitor\s+exec\s|\bsentry-cli\s+monitors\s+run\s/i

/** `variables`: what lines above assign, as in `HC=https://hc-ping.com/…`. */
export function isWatched(command: string, variables: ReadonlyMap<string, string>): boolean {
  const whole = command.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (text, one?: string, two?: string) => variables.get(one ?? two ?? '')?.slice(0, 500) ?? text,
  )
  return watched.test(whole)
}

/** A condition that never holds on a computer with systemd, where a timer does the job. */
export function isForOtherInits(command: string): boolean {
  return (
    /(?:!|\\!)\s+-d\s+"?\/run\/systemd\/system/.test(command) ||
    /-[de]\s+"?\/run\/systemd\/system"?(?:\s+\]{1,2})?\s+\|\|/.test(command)
  )
}

export function notesOn(seconds: number, tool: string | null): readonly string[] {
  return [
    ...(seconds >= 60
      ? [`It may wait ${durationWords(seconds * 1_000)} first: the grace allows for it.`]
      : []),
    ...(tool === null ? [] : [`${tool} writes this line: add the ping there, too.`]),
  ]
}
