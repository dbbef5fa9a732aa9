import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { ConversationKey } from '../chat/conversation.ts'
import { type Check, statusOrder } from '../checks/check.ts'
import { isSameList, mapped, memoized } from '../identity.ts'
import {
  defined,
  type Immutable,
  idSchema,
  inPart,
  numberId,
  tagSchema,
  timeSchema,
} from '../schemas.ts'
import { clockUntilWords, relativeWords } from '../time.ts'
import { counted } from '../wording.ts'
import { checkSubject } from './event.ts'

/** What can be in maintenance. */
export const checksScopeSchema = v.variant('of', [
  v.object({ of: v.literal('check'), accountId: idSchema, checkId: idSchema }),
  v.object({ of: v.literal('tag'), tag: tagSchema }),
  v.object({ of: v.literal('project'), accountId: idSchema }),
])

export type ChecksScope = Immutable<v.InferOutput<typeof checksScopeSchema>>

/** What is silenced. */
export const scopeSchema = v.variant('of', [
  ...checksScopeSchema.options,
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
export const momentSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(7_258_118_400_000),
)

export const untilSchema = v.variant('kind', [
  v.object({ kind: v.literal('time'), at: momentSchema }),
  /** Until the check's status changes; for a conversation, until a mention. */
  v.object({ kind: v.literal('change') }),
  /** Until somebody else writes there; for a check, where it is discussed, or until it changes. */
  v.object({ kind: v.literal('answer') }),
  v.object({ kind: v.literal('ever') }),
])
export type Until = Immutable<v.InferOutput<typeof untilSchema>>

/** In characters. */
export const reasonLimit = 200
export const reasonSchema = v.pipe(v.string(), v.maxLength(reasonLimit))

/** Set by the user, or by somebody who acknowledged an outage in the chat. */
export const silenceSchema = v.object({
  id: v.string(),
  /** `maintenance`: what happens meanwhile is shown as one digest afterwards. */
  how: v.picklist(['snooze', 'acknowledge', 'mute', 'maintenance']),
  scope: scopeSchema,
  until: untilSchema,
  /** Epoch ms. */
  since: timeSchema,
  /** Who set it; null: the user. */
  by: v.nullable(v.string()),
  /** What it is about, in words. */
  label: v.string(),
  /** A check's status when it began: any other ends a silence until a change or an answer. */
  status: v.nullable(v.picklist(statusOrder)),
  /** The message that has its 👀: removing the reaction ends the silence. */
  messageId: v.nullable(numberId),
  /** Why, or what is being done, in the user's own words. */
  reason: v.exactOptional(reasonSchema),
  /** Projects that must be read before an expired silence ends: is a check of theirs still down? */
  awaited: v.exactOptional(v.array(idSchema)),
})
export type Silence = Immutable<v.InferOutput<typeof silenceSchema>>

const { status: statusField, reason: reasonField, awaited: awaitedField } = silenceSchema.entries

/** A check of a silence of many, with what is its own. */
const silencedCheckSchema = v.object({
  accountId: idSchema,
  checkId: idSchema,
  label: v.string(),
  status: statusField,
  messageId: v.exactOptional(numberId),
  /** Instead of the reason of all. */
  reason: reasonField,
  awaited: awaitedField,
})
type SilencedCheck = Immutable<v.InferOutput<typeof silencedCheckSchema>>

/** Set in one go on many checks, of which each ends by itself: `eachSilence` has one for each. */
export interface SilenceOfMany extends Omit<Silence, 'scope' | 'awaited'> {
  readonly scope: { readonly of: 'checks' }
  /** By `checkSubject`. */
  readonly checks: ReadonlyMap<string, SilencedCheck>
}

/** As the state holds them. */
export type KeptSilence = Silence | SilenceOfMany

/** The silences as a part of the app's state: snoozed, acknowledged, muted, and do not disturb. */
export interface SilencesSlice {
  readonly silences: readonly KeptSilence[]
}

const silenceOfManySchema = v.object({
  ...v.omit(silenceSchema, ['awaited']).entries,
  scope: v.object({ of: v.literal('checks') }),
  checks: inPart(
    v.pipe(
      v.array(silencedCheckSchema),
      v.minLength(1),
      v.transform((checks) => bySubject(checks)),
    ),
  ),
})

export const keptSilenceSchema: v.GenericSchema<unknown, KeptSilence> = v.union([
  silenceSchema,
  silenceOfManySchema,
])

/** As it is kept on disk. */
export function savedSilence(silence: KeptSilence): unknown {
  return isOfMany(silence) ? { ...silence, checks: [...silence.checks.values()] } : silence
}

/** Checks of one silence. */
export const checksLimit = 50_000

export function isOfMany(silence: KeptSilence): silence is SilenceOfMany {
  return 'checks' in silence
}

function bySubject(checks: readonly SilencedCheck[]): SilenceOfMany['checks'] {
  return new Map(checks.map((one) => [subjectOf(one), one]))
}

function subjectOf({ accountId, checkId }: Pick<SilencedCheck, 'accountId' | 'checkId'>): string {
  return checkSubject(accountId, checkId)
}

/** One silence of each scope. The id of one that belongs to a silence of many begins with that one’s id. */
export const eachOf = memoized((silence: KeptSilence): readonly Silence[] => {
  if (!isOfMany(silence)) return [silence]
  const { checks, ...common } = silence
  return [...checks].map(([subject, { accountId, checkId, ...own }]) => ({
    ...common,
    ...own,
    id: `${silence.id}/${subject}`,
    scope: { of: 'check', accountId, checkId },
  }))
})

export const eachSilence = memoized((silences: readonly KeptSilence[]): readonly Silence[] =>
  // With one argument, by which they are kept: the same objects, whoever asks for them.
  silences.flatMap((one) => eachOf(one)),
)

/** One silence of all the checks that these are about. Undefined if they are about none. */
export function silenceOfMany(
  common: Omit<SilenceOfMany, 'scope' | 'label' | 'status' | 'messageId' | 'checks'>,
  each: readonly Silence[],
): SilenceOfMany | undefined {
  const own = { scope: { of: 'checks' }, label: '', status: null, messageId: null } as const
  return ofChecks({ ...common, ...own, checks: new Map() }, each) ?? undefined
}

/** The silence of those checks; the same one if nothing changed, null without any. */
export function ofChecks(silence: SilenceOfMany, parts: readonly Silence[]): SilenceOfMany | null {
  if (isSameList(parts, eachOf(silence))) return silence
  const known = new Map(eachOf(silence).map((part) => [part.id, part]))
  const checks = new Map(
    parts.flatMap((part): [string, SilencedCheck][] => {
      const { scope, label, status, messageId, awaited } = part
      const reason = part.reason === silence.reason ? undefined : part.reason
      if (scope.of !== 'check') return []
      const { of: _check, ...ids } = scope
      const before = known.get(part.id) === part ? silence.checks.get(subjectOf(ids)) : undefined
      const own = { messageId: messageId ?? undefined, reason, awaited }
      return [[subjectOf(ids), before ?? { ...ids, label, status, ...defined(own) }]]
    }),
  )
  return checks.size === 0 ? null : withChecks(silence, checks)
}

export function withChecks(
  silence: Omit<SilenceOfMany, 'label' | 'checks'>,
  checks: SilenceOfMany['checks'],
): SilenceOfMany {
  return { ...silence, checks, label: counted(checks.size, 'check') }
}

export const howWords: Readonly<Record<Silence['how'], string>> = {
  snooze: 'snoozed',
  acknowledge: 'acknowledged',
  mute: 'muted',
  maintenance: 'in maintenance',
}

/** What the button that ends it says: its verb undone. */
export const endVerbs: Readonly<Record<Silence['how'], string>> = {
  snooze: 'Unsnooze',
  acknowledge: 'Unacknowledge',
  mute: 'Unmute',
  maintenance: 'End maintenance',
}

/** The same for several: "Unsnooze all" or, if they are of several kinds, "Unsilence all". */
export function endAllWords(silences: readonly KeptSilence[]): string {
  const hows = new Set(silences.map(({ how }) => how))
  const [only] = hows
  if (only === undefined || hows.size > 1) return 'Unsilence all'
  return only === 'maintenance' ? endVerbs[only] : `${endVerbs[only]} all`
}

export const silenceLimit = 500

/** Why there can't be one more. None is ever dropped for it: its check would alarm unasked. */
export const fullWords = `Belfry can keep at most ${silenceLimit} silences: end some, or snooze a tag or a whole project instead.`

/** Whether its time has passed. */
export function isOver({ until }: Pick<Silence, 'until'>, now: number): boolean {
  return until.kind === 'time' && until.at <= now
}

/** With the times that this computer's clock would have had. It lasts as long as before. */
export function movedBy(silence: KeptSilence, ms: number): KeptSilence {
  const { since, until } = silence
  const moved = until.kind === 'time' ? { ...until, at: Math.max(0, until.at + ms) } : until
  return { ...silence, since: Math.max(0, since + ms), until: moved }
}

/** Those that begin in the future were set before the clock was set back, while Belfry was off. */
export function begunBy(silences: readonly KeptSilence[], now: number): readonly KeptSilence[] {
  return mapped(silences, (one) => (one.since > now ? movedBy(one, now - one.since) : one))
}

/** When do not disturb ends, epoch ms; `Infinity` if it has no end, null if it is off. */
export function disturbUntil(silences: readonly KeptSilence[], now: number): number | null {
  const ends = silences
    .filter((silence) => silence.scope.of === 'everything' && !isOver(silence, now))
    .map(({ until }) => (until.kind === 'time' ? until.at : Number.POSITIVE_INFINITY))
  return ends.length === 0 ? null : Math.max(...ends)
}

/** Epoch ms at which the next silence expires; null: none does. */
export function nextSilenceEnd(silences: readonly KeptSilence[], now: number): number | null {
  const ends = silences.flatMap(({ until }) =>
    until.kind === 'time' && until.at > now ? [until.at] : [],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

/** "snoozed until 15:25", "acknowledged by Ana in the chat 2 min ago". */
export function quietWords(
  { how, by, until, since, scope, label, messageId, reason }: KeptSilence,
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
export function endWords(until: Until, of: KeptSilence['scope']['of'], now: number): string {
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
 * isn't counted but leaves a mark.
 */
export function quietChecks(silences: readonly KeptSilence[], now: number): QuietCheck {
  const checks = new Map<string, Silence>()
  const tags = new Map<string, Silence>()
  const projects = new Map<AccountId, Silence>()
  for (const silence of eachSilence(silences)) {
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

const ofOne = memoized((silences: readonly KeptSilence[]) =>
  silences.filter((one): one is Silence => !isOfMany(one)),
)

/** The silence on a conversation or its channel, in Belfry; null: none. */
export function silenceOnConversation(
  silences: readonly KeptSilence[],
  accountId: AccountId,
  key: ConversationKey,
  channelId: number | null,
  now: number,
): Silence | null {
  const ours = ofOne(silences).filter((one) => !isOver(one, now))
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
