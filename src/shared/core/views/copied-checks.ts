import type { Account } from '../account.ts'
import { howWords, type Silence } from '../attention/silence.ts'
import { type Check, checkName, type Schedule } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { withoutSecrets } from '../secrets.ts'
import { type Copied, csvRecord, csvText, fitting } from './copied.ts'

/** A check as it stands on the board. */
export interface CopiedCheck {
  readonly check: Check
  readonly account: Account | null
  /** What was read is too old to be taken as true. */
  readonly stale: boolean
  readonly silence: Silence | null
}

const columns = [
  'check',
  'project',
  'tags',
  'status',
  'since',
  'last ping',
  'next ping',
  'schedule',
  'pings',
  'silenced',
]

/** As comma-separated values, times in UTC. */
export function checksCsv(checks: readonly CopiedCheck[]): Copied {
  const lines = fitting(checks, (one) => {
    const { name, project, tags, status, since, lastPing, nextPing, ...rest } = fieldsOf(one)
    const times = [since, lastPing, nextPing].map((time) => time ?? '')
    const { schedule, pings, silenced } = rest
    return csvRecord([
      ...[name, project, tags.join(' '), status, ...times],
      ...[schedule, String(pings), silenced ?? ''],
    ])
  })
  return { text: csvText(columns, lines), count: lines.length }
}

/** As a JSON array, times in UTC. */
export function checksJson(checks: readonly CopiedCheck[]): Copied {
  const lines = fitting(checks, (one) => JSON.stringify(fieldsOf(one)))
  return { text: `[\n${lines.join(',\n')}\n]\n`, count: lines.length }
}

/** Without its id, which would be enough to open its page. */
function fieldsOf({ check, account, stale, silence }: CopiedCheck) {
  const word = statusWord(check.status)
  return {
    name: withoutSecrets(checkName(check)),
    project: account?.label ?? '',
    tags: check.tags,
    status: stale ? `was ${word}` : word,
    since: time(check.since),
    lastPing: time(check.lastPingAt),
    nextPing: time(check.nextPingAt),
    schedule: scheduleOf(check.schedule),
    pings: check.pingCount,
    silenced: silence === null ? null : howWords[silence.how],
  }
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** "3600 s", "0 2 * * * Europe/Vienna". */
function scheduleOf(schedule: Schedule): string {
  return schedule.kind === 'period'
    ? `${schedule.periodSeconds} s`
    : `${schedule.expression} ${schedule.zone}`
}
