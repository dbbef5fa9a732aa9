import { type AttentionEvent, checkSubject } from '../event.ts'
import type { Work } from '../work.ts'
import { type DependencyNow, isIn } from './dependency.ts'

/** A read may be late by so much before the account counts as stale. */
const lateMs = 10_000

/** Why an event waits for what its check depends on. */
export interface Hold {
  /** Epoch ms of the latest end; null: until that is read as up. */
  readonly until: number | null
  /** “Because gateway is down.” */
  readonly why: string
}

/** Null: it doesn’t have to wait. */
export function holdOn(work: Work, event: AttentionEvent): Hold | null {
  const { dependencies = [] } = work.context
  if (dependencies.length === 0 || event.of !== 'check') return null
  const own = dependencies.filter((one) => isAbout(one, event))
  const out = own.find(({ why }) => why !== null)
  if (out !== undefined) return { until: null, why: `Because ${out.why}.` }
  const ends = own.flatMap(({ reads, overAt }) => {
    const since = Math.min(work.now, Math.max(event.at, overAt))
    return reads.flatMap(({ readAt, intervalMs }) => {
      const until = since + intervalMs + lateMs
      return readAt > since || until <= work.now ? [] : [until]
    })
  })
  if (ends.length === 0) return null
  return { until: Math.max(...ends), why: 'It waits for the next read of what it depends on.' }
}

/** Why nothing is said of the event, as what its check depends on is out; null: it isn’t. */
export function becauseOf(work: Work, event: AttentionEvent): string | null {
  const { dependencies = [] } = work.context
  const out = dependencies.find((one) => one.why !== null && isAbout(one, event))
  return out === undefined ? null : `Because ${out.why}.`
}

/** A bot’s message is about the check that it certainly means. */
function isAbout({ scope, except }: DependencyNow, event: AttentionEvent): boolean {
  if (event.of === 'check') {
    const { accountId, checkId, tags, subject } = event
    return isIn(scope, accountId, checkId, tags) && !except.includes(subject)
  }
  const news = event.of === 'message' ? event.news : undefined
  if (news === undefined) return false
  const { accountIds, checkId, tags = [] } = news
  const subjects = accountIds.map((id) => checkSubject(id, checkId))
  return (
    accountIds.some((id) => isIn(scope, id, checkId, tags)) &&
    !subjects.some((subject) => except.includes(subject))
  )
}
