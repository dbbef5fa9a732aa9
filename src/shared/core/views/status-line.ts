import {
  type Account,
  type Freshness,
  freshnessOf,
  isFresh,
  isRead,
  neverRead,
} from '../account.ts'
import type { Board } from '../checks/board.ts'
import { unreadableWords } from '../checks/status-counts.ts'
import type { Failure } from '../failure.ts'
import { failureWords, missingKeyWords, refusalWords, unreachableWords } from '../failure-words.ts'
import { memoized } from '../identity.ts'
import { type AppState, showsDemo } from '../state.ts'
import type { Target } from '../target.ts'
import { clockWords, durationWords } from '../time.ts'
import { lowerFirst, numberWords } from '../wording.ts'
import { oldestRead, readAgeWords } from './read-words.ts'

/** The line at the bottom of the window: how current the view above it is. */
export interface StatusLine {
  /** `trouble` needs the user; `stale` recovers by itself; `calm` means all is well. */
  readonly tone: 'calm' | 'stale' | 'trouble'
  readonly text: string
  /** How many other accounts also have something to report. */
  readonly more: number
  /** What to do about it, if anything but a retry (which has its own button) would help. */
  readonly action: { readonly label: string; readonly target: Target } | null
}

/** Worst first: a missing key, then accounts that can't be read, then pending reads. */
export function statusLine(state: AppState, now: number): StatusLine {
  const lines = state.accounts.flatMap((account) => accountLine(state, account, now) ?? [])
  const isOf = (wanted: StatusLine['tone']) => lines.find(({ tone }) => tone === wanted)
  const worst = isOf('trouble') ?? isOf('stale') ?? lines[0]
  if (worst !== undefined) return { ...worst, more: lines.length - 1 }
  return { tone: 'calm', text: calmWords(state, now), more: 0, action: null }
}

/** Null if the account is fresh and has nothing to report. */
function accountLine(state: AppState, account: Account, now: number): StatusLine | null {
  const { id, label } = account
  if (account.key !== 'present') return keyLine(account, freshnessOf(state, id)?.failure ?? null)
  const freshness = freshnessOf(state, id)
  if (freshness === null) return calm(`${label}: updating`)
  const { failure, readAt } = freshness
  if (failure !== null) {
    const { what, action } = failureWords(failure)
    const age = readAt === null ? 'No data yet.' : `Showing data from ${clockWords(readAt, now)}.`
    const advice =
      failure.kind === 'network' && /^(tls|proxy|notHttp)/.test(failure.reason) ? ` ${action}` : ''
    const unreachable = unreachableWords(failure)
    const isOfAll = failure.kind === 'network' && failure.reason === 'offline'
    const text =
      unreachable !== null
        ? `${label} is ${unreachable}.`
        : isOfAll
          ? what
          : `${label}: ${lowerFirst(what)}`
    return stale(`${text} ${age}${advice}`)
  }
  if (readAt === null || !isRead(freshness)) return calm(`${label}: updating`)
  if (!isFresh(freshness, now))
    return stale(`${label}: not updated since ${clockWords(readAt, now)}.`)
  const unreadable = state.boards.get(id)?.unreadable ?? 0
  return unreadable === 0 ? null : stale(`${label}: ${unreadableWords(unreadable)}.`)
}

function calm(text: string): StatusLine {
  return { tone: 'calm', text, more: 0, action: null }
}

function stale(text: string): StatusLine {
  return { ...calm(text), tone: 'stale' }
}

function keyLine(account: Account, failure: Failure | null): StatusLine {
  const { id, label, key } = account
  const tone = 'trouble'
  if (key === 'locked')
    return { ...calm(`${label}: the keyring is locked. Unlock it, then refresh.`), tone }
  const rejected = key === 'rejected'
  return {
    tone,
    text: rejected
      ? `${label}: ${lowerFirst(refusalWords(failure, 'key rejected'))}`
      : `${label}: ${lowerFirst(missingKeyWords(account))}`,
    more: 0,
    action: {
      label: rejected ? 'Replace key' : 'Enter key',
      target: { view: 'replaceKey', accountId: id },
    },
  }
}

/** Ages advance in these steps: each change makes the whole window lay out and paint again. */
const stepMs = 4_000

/**
 * "Updated 12 s ago" refers to the project read longest ago. Chat is pushed to us, so its age is
 * only that of a heartbeat; it is shown only if there is no project.
 */
function calmWords(state: AppState, now: number): string {
  const projects = state.accounts.filter(({ kind }) => kind === 'monitoring')
  const oldest = oldestRead(projects.map(({ id }) => freshnessOf(state, id)))
  const read =
    projects.length === 0
      ? state.accounts.length === 0
        ? 'No account yet'
        : 'Chat is live'
      : ((oldest?.seenAt === undefined ? allUpWords(state, now) : null) ??
        readAgeWords(inStepsOf(oldest ?? { ...neverRead, readAt: now }, now), now))
  return showsDemo(state) ? `Demo world · ${lowerFirst(read)}` : read
}

interface AllUp {
  /** Epoch ms by the server's clock, as is `dueAt`; null where the service doesn't say. */
  readonly since: number | null
  /** When the next ping is expected; null if none has a time. */
  readonly dueAt: number | null
}

/** When the last of these checks came up, and when the next ping is due; null unless all are up. */
const allUp = memoized((checks: Board['checks']): AllUp | null => {
  let since: number | null = 0
  let dueAt: number | null = null
  for (const check of checks.values()) {
    if (check.status !== 'up') return null
    since = since === null || check.since === null ? null : Math.max(since, check.since)
    // While it runs, the time is that of its start.
    const due = check.started ? null : check.nextPingAt
    if (due !== null) dueAt = Math.min(dueAt ?? due, due)
  }
  return { since, dueAt }
})

/** "All 38 up since Tue 14:03, next due in 3 min"; null unless every check of every project is up. */
function allUpWords(state: AppState, now: number): string | null {
  let count = 0
  let since: number | null = 0
  let dueIn = Number.POSITIVE_INFINITY
  for (const { checks, serverOffsetMs } of state.boards.values()) {
    const of = allUp(checks)
    if (of === null) return null
    count += checks.size
    since = since === null || of.since === null ? null : Math.max(since, of.since - serverOffsetMs)
    if (of.dueAt !== null) dueIn = Math.min(dueIn, of.dueAt - serverOffsetMs - now)
  }
  if (count < 2) return null
  const from = since === null ? '' : ` since ${clockWords(since, now)}`
  const due =
    dueIn === Number.POSITIVE_INFINITY
      ? ''
      : dueIn < stepMs
        ? ', next due now'
        : `, next due in ${durationWords(inSteps(dueIn))}`
  return `All ${numberWords(count)} up${from}${due}`
}

/** With ages that advance in steps. */
function inStepsOf({ readAt, seenAt, ...freshness }: Freshness, now: number): Freshness {
  const stepped = (at: number): number => now - inSteps(now - at)
  if (seenAt !== undefined) return { ...freshness, readAt, seenAt: stepped(seenAt) }
  return { ...freshness, readAt: readAt === null ? null : stepped(readAt) }
}

function inSteps(ms: number): number {
  return ms - (ms % stepMs)
}
