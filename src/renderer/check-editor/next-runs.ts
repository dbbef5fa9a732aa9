import { Cron } from 'croner'

/**
 * The next times of a cron expression in its zone, epoch ms; null when it can't be read here. A
 * preview and nothing else: when a ping is expected, and whether it is late, only the server says.
 * Its parser holds day and weekday both to it as soon as one of the two begins with a star.
 */
export function nextRuns(
  expression: string,
  zone: string,
  from: number,
  count: number,
): readonly number[] | null {
  // Of a crontab line: the zone is a field of its own here.
  const pattern = expression.trim().replace(/^(?:CRON_)?TZ=\S+\s+/, '')
  const [, , day = '', , weekday = ''] = pattern.split(/\s+/)
  const domAndDow = day.startsWith('*') || weekday.startsWith('*')
  try {
    const cron = new Cron(pattern, { timezone: zone.trim(), mode: '5-part', domAndDow })
    return cron.nextRuns(count, new Date(from)).map((run) => run.getTime())
  } catch {
    // An expression or a zone that only the server knows, or neither does: it has the last word.
    return null
  }
}
