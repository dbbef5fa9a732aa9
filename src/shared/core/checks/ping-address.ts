import type { Check, CheckDetails } from './check.ts'

/** What a person takes away to where the job is: the address alone, or a command around it. */
export type PingForm = 'url' | 'curl' | 'wget' | 'cron'

/** Made once: one for each check costs more than all else that is read of it. */
const pingAddress =
  /^https?:\/\/(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\/[\w.~%-]+)*\/([\da-f-]+)$/i

/**
 * Whether a server's word may be used as the ping address of a check: plain http or https, ending
 * in the uuid, and of characters that mean nothing to a shell beyond what quotes take away.
 */
export function isPingAddress(url: string, uuid: string): boolean {
  return url.length <= 2_000 && pingAddress.exec(url)?.[1]?.toLowerCase() === uuid.toLowerCase()
}

/**
 * The text for the clipboard, or null when there is none: without an address (a read-only key), and
 * in cron's form for an OnCalendar schedule, which cron has no words for.
 */
export function pingAddressText(
  check: Pick<CheckDetails, 'pingUrl' | 'methods' | 'schedule'>,
  form: PingForm,
): string | null {
  const { pingUrl, methods } = check
  if (pingUrl === null) return null
  if (form === 'url') return pingUrl
  const isPost = methods === 'POST'
  if (form === 'wget')
    return `wget -q -T 10 -t 5 -O /dev/null ${isPost ? "--post-data='' " : ''}${word(pingUrl)}`
  const curl = `curl -fsS -m 10 --retry 5 -o /dev/null ${isPost ? '-X POST ' : ''}${word(pingUrl)}`
  return form === 'curl' ? curl : cronLine(check.schedule, curl)
}

/** For a POSIX shell: brackets (an IPv6 host) would be a file pattern there. */
function word(url: string): string {
  return /^[\w.:/~%-]+$/.test(url) ? url : `'${url}'`
}

/** Where the user's own command goes. */
const command = '/path/to/command'

/** The ping goes out only when the command succeeded, as a check expects. */
function cronLine(schedule: Check['schedule'], curl: string): string | null {
  const when = cronSchedule(schedule)
  if (when === null) return null
  // A bare % ends the command in a crontab and begins its input.
  const line = `${when} ${command} && ${curl.replaceAll('%', '\\%')}`
  const zone = schedule.kind === 'period' ? null : schedule.zone
  // Not CRON_TZ: half of the crons in use take it for an environment variable and run on local time.
  return zone === null || !/^[\w/+-]+$/.test(zone) ? line : `# Times are those of ${zone}.\n${line}`
}

function cronSchedule(schedule: Check['schedule']): string | null {
  if (schedule.kind === 'period') return cronOfPeriod(schedule.periodSeconds)
  if (schedule.kind === 'onCalendar') return null
  const expression = schedule.expression.trim().split(/\s+/).join(' ')
  // It is about to stand in a crontab: whatever else a server says is no schedule.
  return /^[\w*,/#?-]+(?: [\w*,/#?-]+){4}$/.test(expression) ? expression : null
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** From long to short; each divides its hour or day evenly, or the last gap would be a short one. */
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

/** The longest rhythm of cron that is not longer than the period, so that no ping comes late. */
function cronOfPeriod(seconds: number): string {
  return cronPeriods.find(([length]) => length <= seconds)?.[1] ?? '* * * * *'
}
