import * as v from 'valibot'
import type { Account, AccountId } from '../account.ts'
import type { ConversationKey } from '../chat/conversation.ts'
import { type Check, type CheckId, statusOrder } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { type Immutable, idSchema, numberId, tagSchema } from '../schemas.ts'
import { clockUntilWords, relativeWords } from '../time.ts'
import { type AttentionEvent, type CheckEvent, checkSubject } from './event.ts'
import { isNewsOf } from './same-event.ts'

/** What is to be quiet. */
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
  /** The check changes its status; a conversation gets a mention. */
  v.object({ kind: v.literal('change') }),
  /** Somebody else writes in the conversation; of a check: where it is discussed, or it changes. */
  v.object({ kind: v.literal('answer') }),
  v.object({ kind: v.literal('ever') }),
])
export type Until = Immutable<v.InferOutput<typeof untilSchema>>

/** Characters of a reason. */
export const reasonLimit = 200

/** A promise to be quiet about something, made by the user or by somebody who took care of it. */
export const silenceSchema = v.object({
  id: v.string(),
  /** `maintenance`: what happens meanwhile comes as one digest after it. */
  how: v.picklist(['snooze', 'acknowledge', 'mute', 'maintenance']),
  scope: scopeSchema,
  until: untilSchema,
  /** Epoch ms. */
  since: v.number(),
  /** Who; null: the user. */
  by: v.nullable(v.string()),
  /** What it is about, in words. */
  label: v.string(),
  /** Of a check when it began: any other status ends an `until` of kind `change`. */
  status: v.nullable(v.picklist(statusOrder)),
  /** The message whose reaction it is; taking the reaction back ends it. */
  messageId: v.nullable(numberId),
  /** Why, in the user's own words. */
  reason: v.exactOptional(v.pipe(v.string(), v.maxLength(reasonLimit))),
  /** Where it is over and its checks could not be read: the projects that are still to be asked about. */
  awaited: v.exactOptional(v.array(idSchema)),
})
export type Silence = Immutable<v.InferOutput<typeof silenceSchema>>

/** What was done to something that is silenced. */
export const howWords: Readonly<Record<Silence['how'], string>> = {
  snooze: 'snoozed',
  acknowledge: 'acknowledged',
  mute: 'muted',
  maintenance: 'in maintenance',
}

export const silenceLimit = 500

/**
 * Silences as they hold. A project may be here through several keys, and another of them may stand for it
 * now: a check is silenced for all accounts of its server. Not for those of another one, since a copy of a
 * service has checks of the same ids. The very same list where there are no others.
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

/** The silences that cover an event, the ones that last longest first. */
export function silencesOn(
  event: AttentionEvent,
  silences: readonly Silence[],
  now: number,
): readonly Silence[] {
  return silences
    .filter(
      (silence) => !isOver(silence, now) && covers(silence, event) && !endsWith(silence, event),
    )
    .sort((one, other) => endOf(other) - endOf(one))
}

/**
 * The maintenance that an event is kept for, to come in its digest. It also takes the reminder that a
 * check is still down when it ends.
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

/** Do not disturb covers everything but has its own place in a decision: what it holds comes as a digest. */
function covers(silence: Silence, event: AttentionEvent): boolean {
  const { scope } = silence
  switch (scope.of) {
    case 'check':
      return event.of === 'message'
        ? isNewsOf(event.news, scope) // No more news than the check's own.
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

/** Over by time. */
export function isOver({ until }: Silence, now: number): boolean {
  return until.kind === 'time' && until.at <= now
}

/** Whether this event is the change or the answer that the silence was waiting for: it is notified. */
function endsWith(silence: Silence, event: AttentionEvent): boolean {
  const { scope, until, status, by } = silence
  if (until.kind === 'time' || until.kind === 'ever') return false
  if (scope.of === 'check') {
    // What was acknowledged and recovers is news for whoever acknowledged it.
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

/** Whether the check changed since it was silenced: an outage that was missed may have been long before. */
function isChangeOf({ status, since }: Silence, { from, endedAt }: CheckEvent): boolean {
  return from === status && (endedAt === undefined || endedAt > since)
}

/** Do not disturb: epoch ms of its end, `Infinity` while it has none, null when it is not on. */
export function disturbUntil(silences: readonly Silence[], now: number): number | null {
  const ends = silences
    .filter((silence) => silence.scope.of === 'everything' && !isOver(silence, now))
    .map(({ until }) => (until.kind === 'time' ? until.at : Number.POSITIVE_INFINITY))
  return ends.length === 0 ? null : Math.max(...ends)
}

/** The moment at which the next silence ends by itself. */
export function nextSilenceEnd(silences: readonly Silence[], now: number): number | null {
  const ends = silences.flatMap(({ until }) =>
    until.kind === 'time' && until.at > now ? [until.at] : [],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

/** Those that are over by time or because of what happened. */
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

/** How a silence stands on a row: "snoozed until 15:25", "acknowledged by Ana in the chat 2 min ago". */
export function quietWords(
  { how, by, until, since, scope, label, messageId, reason }: Silence,
  now: number,
  /** What it is about stands beside it. */
  isNamed = false,
): string {
  const what = howWords[how]
  const who = by === null ? '' : ` by ${by}`
  const where = messageId === null ? '' : ' in the chat'
  const isWhole = scope.of === 'tag' || scope.of === 'project'
  const whole = isWhole && !isNamed ? ` with ${label}` : ''
  const isSaid = how === 'acknowledge' && until.kind !== 'time'
  // The clocks of two processes: what just happened is not to come.
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

/** What keeps a check quiet now, or null. Of several, the one that is about it alone. */
export type QuietCheck = (accountId: AccountId, check: Pick<Check, 'id' | 'tags'>) => Silence | null

const none: QuietCheck = () => null

/**
 * What keeps checks from being notified now: such a check is drawn dimmed, does not count on the icon,
 * and leaves a mark there. Looked up once, for 10,000 rows. `silences`: see `withTwins`.
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

/** What keeps a conversation quiet in Belfry, by itself or with its channel; null: nothing does. */
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
