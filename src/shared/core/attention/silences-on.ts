import type { AccountId } from '../account.ts'
import type { Check, CheckId } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  checkSubject,
  isWished,
  oddRunWords,
} from './event.ts'
import { isNewsOf } from './same-event.ts'
import { eachSilence, isOver, type KeptSilence, type Silence } from './silence.ts'

/**
 * The silences that cover an event, those that last longest first. A colleague's acknowledgement
 * doesn't cover the change that the user has silenced the check until.
 */
export function silencesOn(
  event: AttentionEvent,
  silences: readonly KeptSilence[],
  now: number,
): readonly Silence[] {
  const isForUser = isAwaited(event, silences, now)
  return candidates(event, silences)
    .filter(
      (silence) =>
        !isOver(silence, now) &&
        covers(silence, event) &&
        !endsWith(silence, event) &&
        !(isForUser && silence.by !== null),
    )
    .sort((one, other) => endOf(other) - endOf(one))
}

/** Whether the event is the change or answer that the user silenced something until. */
export function isAwaited(
  event: AttentionEvent,
  silences: readonly KeptSilence[],
  now: number,
): boolean {
  return candidates(event, silences).some(
    (silence) => !isOver(silence, now) && covers(silence, event) && endsWith(silence, event),
  )
}

/**
 * The maintenance whose digest an event goes into. That includes the reminder, when it ends, that a
 * check is still down.
 */
export function maintenanceOn(
  event: AttentionEvent,
  silences: readonly KeptSilence[],
  now: number,
): Silence | null {
  const last = silencesOn(event, silences, now)[0]
  if (last !== undefined) return last.how === 'maintenance' ? last : null
  if (event.of !== 'check' || event.isReminder !== true) return null
  const all = candidates(event, silences)
  return all.find((one) => one.how === 'maintenance' && covers(one, event)) ?? null
}

/** Silences by check, since there may be tens of thousands. */
const byCheck = memoized((silences: readonly KeptSilence[]) => {
  const checks = new Map<string, Silence[]>()
  const others: Silence[] = []
  for (const silence of eachSilence(silences)) {
    const { scope } = silence
    if (scope.of !== 'check') {
      others.push(silence)
      continue
    }
    const subject = checkSubject(scope.accountId, scope.checkId)
    const known = checks.get(subject)
    if (known === undefined) checks.set(subject, [silence])
    else known.push(silence)
  }
  return { checks, others }
})

/** Those that may cover the event: all that are about its check, or about no check. */
function candidates(event: AttentionEvent, silences: readonly KeptSilence[]): readonly Silence[] {
  const { checks, others } = byCheck(silences)
  if (checks.size === 0) return others
  const { accountIds, checkId } = aboutCheck(event)
  const own = accountIds.flatMap((id) => checks.get(checkSubject(id, checkId)) ?? [])
  return own.length === 0 ? others : [...own, ...others]
}

/** The check that the event, or the report in its message, is about: under each of these accounts. */
function aboutCheck(event: AttentionEvent) {
  if (event.of === 'check') return { accountIds: [event.accountId], checkId: event.checkId }
  const news = event.of === 'message' ? event.news : undefined
  return { accountIds: news?.accountIds ?? [], checkId: news?.checkId ?? '' }
}

/** A silence of the check that a bot's message certainly means. */
export function silenceOnReport(
  event: AttentionEvent,
  silences: readonly KeptSilence[],
  now: number,
): Silence | null {
  if (event.of !== 'message') return null
  const isMeant = ({ scope }: Silence) => scope.of === 'check' && isNewsOf(event.news, scope)
  const all = candidates(event, silences)
  return all.find((one) => !isOver(one, now) && isMeant(one)) ?? null
}

function endOf({ until }: Silence): number {
  return until.kind === 'time' ? until.at : Number.MAX_VALUE
}

function isOf(
  { accountId, checkId }: { readonly accountId: AccountId; readonly checkId: CheckId },
  event: AttentionEvent,
): boolean {
  return event.of === 'check' && event.checkId === checkId && event.accountId === accountId
}

/** Do not disturb (`everything`) isn't included: `quietReason` handles it, and a digest follows. */
function covers(silence: Silence, event: AttentionEvent): boolean {
  if (isWished(event)) return false
  const { scope } = silence
  switch (scope.of) {
    case 'check':
      return event.of === 'message'
        ? isNewsOf(event.news, scope) // A bot's message about the check.
        : isOf(scope, event)
    case 'tag':
      return event.of === 'message'
        ? event.news?.tags?.includes(scope.tag) === true
        : event.of === 'check' && event.tags.includes(scope.tag)
    case 'project':
      return (
        (event.of !== 'trouble' && event.accountId === scope.accountId) ||
        (event.of === 'message' && event.news?.accountIds.includes(scope.accountId) === true)
      )
    case 'conversation':
      return (
        event.of === 'message' && event.accountId === scope.accountId && event.key === scope.key
      )
    case 'channel':
      return (
        event.of === 'message' &&
        event.accountId === scope.accountId &&
        event.channelId === scope.channelId
      )
    case 'everything':
      return false
  }
}

/** Whether the event is the change or answer that ends the silence, so the user is notified. */
function endsWith(silence: Silence, event: AttentionEvent): boolean {
  const { scope, until, status, by } = silence
  if (until.kind === 'time' || until.kind === 'ever') return false
  if (scope.of === 'check') {
    // The recovery is news only to those who acknowledged it themselves.
    if (by !== null) return false
    if (event.of === 'check') return isChangeOf(silence, event)
    return (
      event.of === 'message' &&
      isNewsOf(event.news, scope) &&
      event.news.state === (status === 'down' ? 'up' : 'down')
    )
  }
  if (event.of !== 'message') return false
  return until.kind === 'change' ? event.kind === 'mention' : !event.isBot
}

/**
 * Whether the check changed after it was silenced: a missed outage may have ended before, what was
 * held back or only the flips show may be older, and an odd run leaves the check as it is.
 */
function isChangeOf({ status, since }: Silence, event: CheckEvent): boolean {
  const { kind, from, at, readAt = at, endedAt } = event
  if (kind in oddRunWords) return false
  return from === status && (endedAt === undefined ? readAt >= since : endedAt > since)
}

/** The silences that have expired or that one of the events ends. */
export function endedAmong(
  silences: readonly KeptSilence[],
  events: readonly AttentionEvent[],
  now: number,
): readonly Silence[] {
  const ended = new Set(
    events.flatMap((event) =>
      candidates(event, silences).filter((silence) => endedBy(silence, event)),
    ),
  )
  return eachSilence(silences).filter((silence) => isOver(silence, now) || ended.has(silence))
}

function endedBy(silence: Silence, event: AttentionEvent): boolean {
  const { scope, until } = silence
  if (until.kind === 'ever' || until.kind === 'time') return false
  if (scope.of === 'check')
    return event.of === 'check' && isOf(scope, event) && isChangeOf(silence, event)
  return covers(silence, event) && endsWith(silence, event)
}

/** The silences that apply to a check. */
export function silencesOnCheck(
  silences: readonly KeptSilence[],
  accountId: AccountId,
  { id, tags }: Pick<Check, 'id' | 'tags'>,
  now: number,
): readonly Silence[] {
  const { checks, others } = byCheck(silences)
  const whole = others.filter(
    ({ scope }) =>
      (scope.of === 'tag' && tags.includes(scope.tag)) ||
      (scope.of === 'project' && scope.accountId === accountId),
  )
  const own = checks.get(checkSubject(accountId, id)) ?? []
  return [...own, ...whole].filter((one) => !isOver(one, now))
}

/** The scopes, as JSON, that are in maintenance. */
export const maintenances = memoized(
  (silences: readonly KeptSilence[]): ReadonlySet<string> =>
    new Set(
      eachSilence(silences).flatMap(({ how, scope }) =>
        how === 'maintenance' ? [JSON.stringify(scope)] : [],
      ),
    ),
)
