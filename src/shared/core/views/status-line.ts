import { type Account, freshnessOf, isFresh } from '../account.ts'
import { unreadableWords } from '../checks/status-counts.ts'
import type { Failure } from '../failure.ts'
import { failureWords, missingKeyWords, refusalWords, unreachableWords } from '../failure-words.ts'
import { type AppState, showsDemo } from '../state.ts'
import type { Target } from '../target.ts'
import { clockWords, relativeWords } from '../time.ts'
import { lowerFirst } from '../wording.ts'

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
  if (readAt === null) return calm(`${label}: updating`)
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
  const ages = state.accounts
    .filter(({ kind }) => kind === 'monitoring')
    .map(({ id }) => freshnessOf(state, id)?.readAt ?? now)
  const read =
    ages.length === 0
      ? state.accounts.length === 0
        ? 'No account yet'
        : 'Chat is live'
      : `Updated ${relativeWords(now - inSteps(now - Math.min(...ages)), now)}`
  return showsDemo(state) ? `Demo world · ${lowerFirst(read)}` : read
}

function inSteps(ms: number): number {
  return ms - (ms % stepMs)
}
