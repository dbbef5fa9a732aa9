import { atClockWords, durationWords, periodWords } from '../time.ts'
import { capitalised } from '../wording.ts'
import { type Check, type CheckStatus, isLate } from './check.ts'

// Every `now` here is the server's: our clock plus `board.serverOffsetMs`. The words describe the
// last answer; if it is old, the caller shows that beside them.

/** An unknown status is shown in the server's own words, cut to this length. */
const longestRawStatus = 40

const words: Readonly<Record<CheckStatus, string>> = {
  new: 'new',
  up: 'up',
  grace: 'late',
  down: 'down',
  paused: 'paused',
  unknown: 'unknown',
}

/** The status in one word, as shown beside its shape. */
export function statusWord(status: CheckStatus): string {
  return words[status]
}

/**
 * When the check goes down unless a signal arrives, epoch ms; null if there is no deadline. Only a
 * hint for when to ask again and what to say: a check is down when the server says so.
 *
 * `next_ping` + grace is that moment whatever the status, except that a stored "down" has none. A
 * new or paused check has a deadline only while a start signal is pending: an overdue start takes
 * even those down.
 */
export function goesDownAt(check: Check): number | null {
  if (check.nextPingAt === null || check.status === 'down') return null
  if ((check.status === 'paused' || check.status === 'new') && !check.started) return null
  return check.nextPingAt + check.graceSeconds * 1000
}

/**
 * When the current run began, if the record shows it: while a start is pending, `next_ping` is the
 * earlier of the start and the expected time, and the latter is in the future unless the check is
 * late.
 */
export function runningSince(check: Check, now: number): number | null {
  if (!check.started || isLate(check.status) || check.status === 'down') return null
  return check.nextPingAt !== null && check.nextPingAt <= now ? check.nextPingAt : null
}

/**
 * The text of a row: "down for 2 h 13 min", "late, goes down in 12 min", "next in 3 h". `since`: when
 * its list was read, if only the counts are known since.
 */
export function statusSentence(check: Check, now: number, since: number | null = null): string {
  switch (check.status) {
    case 'down':
      return withRunning(check, now, downWords(check, now))
    case 'grace':
      return `late${check.started ? ', running' : ''}${deadlineWords(check, now)}`
    case 'up':
      return check.started ? runningWords(check, now) : nextWords(check, now, since)
    case 'paused':
      return withRunning(check, now, 'paused')
    case 'new':
      return withRunning(check, now, newWords(check))
    case 'unknown':
      return check.rawStatus === 'started' ? runningWords(check, now) : unknownWords(check, now)
  }
}

function downWords(check: Check, now: number): string {
  return check.since !== null && check.since <= now
    ? `down for ${durationWords(now - check.since)}`
    : 'down'
}

function withRunning(check: Check, now: number, sentence: string): string {
  return check.started ? `${sentence}, ${runningWords(check, now)}` : sentence
}

function runningWords(check: Check, now: number): string {
  const since = runningSince(check, now)
  return since === null ? 'running' : `running ${durationWords(now - since)}`
}

function deadlineWords(check: Check, now: number): string {
  const at = goesDownAt(check)
  if (at === null) return ''
  return at > now ? `, goes down in ${durationWords(at - now)}` : ', about to go down'
}

/** It was due since only the counts are known: had no ping come, one more would be late. */
function wasDue({ nextPingAt }: Check, now: number, since: number | null): boolean {
  return since !== null && nextPingAt !== null && nextPingAt > since && nextPingAt <= now
}

/** Doesn't say "up" after the expected time: the status may have changed since the poll. */
function nextWords(check: Check, now: number, since: number | null): string {
  if (wasDue(check, now, since))
    return `up by the counts, was due ${atClockWords(check.nextPingAt ?? now, now)}`
  if (check.nextPingAt === null) return 'up, nothing else scheduled'
  return check.nextPingAt > now
    ? `next in ${durationWords(check.nextPingAt - now)}`
    : `expected ${durationWords(now - check.nextPingAt)} ago`
}

/** A resumed check has no last ping but keeps its ping count. */
function newWords(check: Check): string {
  return `new: waiting for the ${check.pingCount > 0 ? 'next' : 'first'} ping`
}

function unknownWords(check: Check, now: number): string {
  const raw = [...check.rawStatus.trim()].slice(0, longestRawStatus).join('')
  return withRunning(check, now, raw === '' ? 'status not given' : `status “${raw}”`)
}

/**
 * The sentences on the check's page: "Next in 50 min. The last ping came at 14:15." The cause,
 * shown elsewhere, says why a check is down or late. `zone`: for times of day, by default this
 * computer's. `since`: as for `statusSentence`.
 */
export function longSentence(
  check: Check,
  now: number,
  zone?: string,
  since: number | null = null,
): string {
  const first = statusSentence(check, now, since)
  const sentences = [`${capitalised(first)}.`]
  const when = (at: number) => atClockWords(at, now, zone)
  if (!wasDue(check, now, since) || check.status !== 'up') sentences.push(...reasons(check, when))
  if (check.started && check.status !== 'up') sentences.push(...runReasons(check, now, when))
  return sentences.join(' ')
}

/** "at 14:15". */
type WhenWords = (at: number) => string

function reasons(check: Check, when: WhenWords): string[] {
  const last = check.lastPingAt === null ? [] : [`The last ping came ${when(check.lastPingAt)}.`]
  switch (check.status) {
    // The cause says the rest.
    case 'down':
      return []
    case 'grace':
      return [`The grace period is ${periodWords(check.graceSeconds)}.`]
    case 'up':
      return upReasons(check, when, last)
    case 'paused':
      return [
        check.manualResume
          ? 'Pings are ignored until it is resumed.'
          : 'The next ping ends the pause.',
        ...last,
      ]
    case 'new':
      return [
        check.pingCount > 0
          ? 'Nothing is expected until a ping arrives.'
          : 'It has never been pinged, and nothing is expected until it is.',
      ]
    case 'unknown':
      return check.rawStatus === 'started'
        ? ['This server reports nothing more while a job runs.', ...last]
        : ['This version of Belfry does not know that status.', ...last]
  }
}

function upReasons(check: Check, when: WhenWords, last: string[]): string[] {
  const deadline = goesDownAt(check)
  if (deadline === null) return last
  const till = check.started
    ? `It goes down ${when(deadline)} unless the run ends by then.`
    : `It goes down ${when(deadline)} unless a ping arrives.`
  return [...last, till]
}

function runReasons(check: Check, now: number, when: WhenWords): string[] {
  const deadline = goesDownAt(check)
  if (deadline === null || deadline <= now) return []
  return [`It goes down ${when(deadline)} unless the run ends by then.`]
}
