import * as v from 'valibot'
import type { Account, AccountId } from '../account.ts'
import type { ConversationKey } from '../chat/conversation.ts'
import { type Check, type CheckId, statusOrder } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { type Immutable, idSchema, numberId, tagSchema } from '../schemas.ts'
import { clockUntilWords, relativeWords } from '../time.ts'
import { type AttentionEvent, type CheckEvent, checkSubject } from './event.ts'
import { isNewsOf } from './same-event.ts'

/** What is silenced. */
export const scopeSchema = v.variant('of', [
  v.object({ of: v.literal('check'), accountId: idSchema, checkId: idSchema }),
  v.object({ of: v.literal('tag'), tag: tagSchema }),
  v.object({ of: v.literal('project'), accountId: idSchema }),
  v.object({
    of: v.literal('conversation'),
    accountId: idSchema,
    key: v.pipe(v.string(), v.maxLength(1_100)),
  }),
  v.object({ of: v.literal('channel'), accountId: idSchema, channelId: numberId }),
  /** Do not disturb. */
  v.object({ of: v.literal('everything') }),
])
export type Scope = Immutable<v.InferOutput<typeof scopeSchema>>

/** Epoch ms; up to the year 2200, far beyond any sensible snooze. */
const moment = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(7_258_118_400_000))

export const untilSchema = v.variant('kind', [
  v.object({ kind: v.literal('time'), at: moment }),
  /** Until the check's status changes; for a conversation, until a mention. */
  v.object({ kind: v.literal('change') }),
  /** Until somebody else writes there; for a check, where it is discussed, or until it changes. */
  v.object({ kind: v.literal('answer') }),
  v.object({ kind: v.literal('ever') }),
])
export type Until = Immutable<v.InferOutput<typeof untilSchema>>

/** In characters. */
export const reasonLimit = 200

/** Set by the user, or by somebody who acknowledged an outage in the chat. */
export const silenceSchema = v.object({
  id: v.string(),
  /** `maintenance`: what happens meanwhile is shown as one digest afterwards. */
  how: v.picklist(['snooze', 'acknowledge', 'mute', 'maintenance']),
  scope: scopeSchema,
  until: untilSchema,
  /** Epoch ms. */
  since: v.number(),
  /** Who set it; null: the user. */
  by: v.nullable(v.string()),
  /** What it is about, in words. */
  label: v.string(),
  /** A check's status when it began: any other ends a silence until a change or an answer. */
  status: v.nullable(v.picklist(statusOrder)),
  /** The message that has its 👀: removing the reaction ends the silence. */
  messageId: v.nullable(numberId),
  /** Why, in the user's own words. */
  reason: v.exactOptional(v.pipe(v.string(), v.maxLength(reasonLimit))),
  /** Projects that must be read before an expired silence ends: is a check of theirs still down? */
  awaited: v.exactOptional(v.array(idSchema)),
})
export type Silence = Immutable<v.InferOutput<typeof silenceSchema>>

export const howWords: Readonly<Record<Silence['how'], string>> = {
  snooze: 'snoozed',
  acknowledge: 'acknowledged',
  mute: 'muted',
  maintenance: 'in maintenance',
}

export const silenceLimit = 500

/** Why there can't be one more. None is ever dropped for it: its check would alarm unasked. */
export const fullWords = `Belfry can keep at most ${silenceLimit} silences: end some, or snooze a tag or a whole project instead.`

/**
 * Extends the silence of a check to all accounts on its server, since a project may have been added
 * with several keys and another account may stand for it now. Not to other servers, since a copy of
 * a service has checks with the same ids. Returns the same list if there is nothing to add.
 */
export const withTwins = memoized((silences: readonly Silence[], accounts: readonly Account[]) => {
  const all = silences.flatMap((silence) => {
    const { scope } = silence
    if (scope.of !== 'check') return silence
    const own = accounts.find(({ id }) => id === scope.accountId)
    const twins = accounts.filter((one) => one !== own && one.baseUrl === own?.baseUrl)
    return [silence, ...twins.map(({ id }) => ({ ...silence, scope: { ...scope, accountId: id } }))]
  })
  return all.length === silences.length ? silences : all
})

/**
 * The silences that cover an event, those that last longest first. A colleague's acknowledgement
 * doesn't cover the change that the user has silenced the check until.
 */
export function silencesOn(
  event: AttentionEvent,
  silences: readonly Silence[],
  now: number,
): readonly Silence[] {
  const isForUser = isAwaited(event, silences, now)
  return silences
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
  silences: readonly Silence[],
  now: number,
): boolean {
  return silences.some(
    (silence) => !isOver(silence, now) && covers(silence, event) && endsWith(silence, event),
  )
}

/**
 * The maintenance whose digest an event goes into. That includes the reminder, when it ends, that a
 * check is still down.
 */
export function maintenanceOn(
  event: AttentionEvent,
  silences: readonly Silence[],
  now: number,
): Silence | null {
  const last = silencesOn(event, silences, now)[0]
  if (last !== undefined) return last.how === 'maintenance' ? last : null
  if (event.of !== 'check' || event.isReminder !== true) return null
  return silences.find((one) => one.how === 'maintenance' && covers(one, event)) ?? null
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

/** Whether its time has passed. */
export function isOver({ until }: Silence, now: number): boolean {
  return until.kind === 'time' && until.at <= now
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

/** Whether the check changed after it was silenced: a missed outage may have ended before. */
function isChangeOf({ status, since }: Silence, { from, endedAt }: CheckEvent): boolean {
  return from === status && (endedAt === undefined || endedAt > since)
}

/** When do not disturb ends, epoch ms; `Infinity` if it has no end, null if it is off. */
export function disturbUntil(silences: readonly Silence[], now: number): number | null {
  const ends = silences
    .filter((silence) => silence.scope.of === 'everything' && !isOver(silence, now))
    .map(({ until }) => (until.kind === 'time' ? until.at : Number.POSITIVE_INFINITY))
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Epoch ms at which the next silence expires; null: none does. */
export function nextSilenceEnd(silences: readonly Silence[], now: number): number | null {
  const ends = silences.flatMap(({ until }) =>
    until.kind === 'time' && until.at > now ? [until.at] : [],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

/** The silences that have expired or that one of the events ends. */
export function endedAmong(
  silences: readonly Silence[],
  events: readonly AttentionEvent[],
  now: number,
): readonly Silence[] {
  return silences.filter(
    (silence) => isOver(silence, now) || events.some((event) => endedBy(silence, event)),
  )
}

function endedBy(silence: Silence, event: AttentionEvent): boolean {
  const { scope, until } = silence
  if (until.kind === 'ever' || until.kind === 'time') return false
  if (scope.of === 'check')
    return event.of === 'check' && isOf(scope, event) && isChangeOf(silence, event)
  return covers(silence, event) && endsWith(silence, event)
}

/** "snoozed until 15:25", "acknowledged by Ana in the chat 2 min ago". */
export function quietWords(
  { how, by, until, since, scope, label, messageId, reason }: Silence,
  now: number,
  /** Its label is shown beside it. */
  isNamed = false,
): string {
  const what = howWords[how]
  const who = by === null ? '' : ` by ${by}`
  const where = messageId === null ? '' : ' in the chat'
  const isWhole = scope.of === 'tag' || scope.of === 'project'
  const whole = isWhole && !isNamed ? ` with ${label}` : ''
  const isSaid = how === 'acknowledge' && until.kind !== 'time'
  // `since` is by another process's clock: something that just happened must not be "in 1 s".
  const when = isSaid ? relativeWords(Math.min(since, now), now) : endWords(until, scope.of, now)
  return `${what}${whole}${who}${where} ${when}${reason ? `: ${reason}` : ''}`.trim()
}

/** "until 15:25", "until it changes", "until someone mentions you". */
export function endWords(until: Until, of: Silence['scope']['of'], now: number): string {
  switch (until.kind) {
    case 'time':
      return clockUntilWords(until.at, now)
    case 'change':
      return of === 'conversation' || of === 'channel'
        ? 'until someone mentions you'
        : 'until it changes'
    case 'answer':
      return 'until someone answers'
    case 'ever':
      return 'until you turn it off'
  }
}

/** The silence on a check, or null. Of several, prefers the one on the check alone. */
export type QuietCheck = (accountId: AccountId, check: Pick<Check, 'id' | 'tags'>) => Silence | null

const none: QuietCheck = () => null

/**
 * Indexes the silences on checks, for 10,000 rows. A silenced check is dimmed, and on the icon it
 * isn't counted but leaves a mark. `silences`: see `withTwins`.
 */
export function quietChecks(silences: readonly Silence[], now: number): QuietCheck {
  const checks = new Map<string, Silence>()
  const tags = new Map<string, Silence>()
  const projects = new Map<AccountId, Silence>()
  for (const silence of silences) {
    const { scope } = silence
    if (isOver(silence, now)) continue
    if (scope.of === 'check') checks.set(checkSubject(scope.accountId, scope.checkId), silence)
    if (scope.of === 'tag') tags.set(scope.tag, silence)
    if (scope.of === 'project') projects.set(scope.accountId, silence)
  }
  if (checks.size + tags.size + projects.size === 0) return none
  return (accountId, { id, tags: own }) =>
    (checks.size === 0 ? undefined : checks.get(checkSubject(accountId, id))) ??
    own.map((tag) => tags.get(tag)).find((silence) => silence !== undefined) ??
    projects.get(accountId) ??
    null
}

/** The silence on a conversation or its channel, in Belfry; null: none. */
export function silenceOnConversation(
  silences: readonly Silence[],
  accountId: AccountId,
  key: ConversationKey,
  channelId: number | null,
  now: number,
): Silence | null {
  const ours = silences.filter((silence) => !isOver(silence, now))
  return (
    ours.find(
      ({ scope }) =>
        scope.of === 'conversation' && scope.accountId === accountId && scope.key === key,
    ) ??
    ours.find(
      ({ scope }) =>
        scope.of === 'channel' && scope.accountId === accountId && scope.channelId === channelId,
    ) ??
    null
  )
}
