import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { defined, type Immutable, timeSchema } from '../schemas.ts'
import { checkEventSchema, eventSchema, isChange, messageEventSchema } from './event.ts'

/** Why something waits to be shown; what releases it is one row of `releases` (engine.ts). */
const whys = [
  /** An outage that is still shorter than the rules require. */
  'brief',
  /** An outage that nobody has seen: it has been shown, and will be again. */
  'reminder',
  'maintenance',
  /** What its check depends on is down, or has yet to be read. */
  'dependency',
  /** Do not disturb or quiet hours. */
  'quiet',
  'sleep',
  /** Its check changes too often. */
  'flapping',
  /** Too much happens at once. */
  'storm',
  /** The last digest said it; a digest that follows soon replaces that one, and says it again. */
  'said',
] as const
export type Why = (typeof whys)[number]

/**
 * What waits to be shown. A check's changes wait as one, in place of which a later change comes: the
 * newest, what the user knew before the first, and how many there were.
 */
const waiting = v.object({
  event: eventSchema,
  why: v.picklist(whys),
  /** Epoch ms at which it is released; null: not by time alone. */
  until: v.nullable(v.number()),
  /** Whether it would have had a sound. */
  sound: v.boolean(),
  /** Whether the check was down by what the user was told last. */
  wasDown: v.boolean(),
  changes: v.number(),
  /** For `brief`: epoch ms at which the first outage that was read began; the event may be of another. */
  beganAt: v.exactOptional(v.number()),
  /** The maintenance whose digest it goes into. `scope` is JSON; it stays when it is extended. */
  maintenance: v.exactOptional(v.object({ scope: v.string(), label: v.string() })),
  /** How often a reminder was shown. */
  times: v.exactOptional(v.number()),
})
export type Waiting = Immutable<v.InferOutput<typeof waiting>>
/** What is known of an event before it is decided whether it waits. */
export type Pending = Pick<Waiting, 'event' | 'sound' | 'wasDown' | 'changes'>

/** The changes of a check wait as one, its reminder and what a digest said of it beside them. */
export function keyOf({ why, event }: Pick<Waiting, 'why' | 'event'>): string {
  const of = isChange(event) ? event.subject : event.id
  return why === 'reminder' || why === 'said' ? `${why} ${of}` : of
}

/** Checks of one account with one recent pop-up each, at the same time: a storm has thousands. */
const once = v.object({
  /** Epoch ms. */
  at: v.number(),
  accountId: v.string(),
  checks: v.array(v.string()),
})
export type NotifiedOnce = Immutable<v.InferOutput<typeof once>>

/** The recent notifications about a check that had more than one pop-up. */
const lately = v.object({
  /** Epoch ms of the pop-ups of the last five minutes, ascending. */
  shownAt: v.array(v.number()),
  /** It was notified as flapping, and has not been stable for five minutes since. */
  flapping: v.boolean(),
})
export type NotifiedLately = Immutable<v.InferOutput<typeof lately>>

/** The rate limit of pop-ups. */
const popUpLimit = v.object({
  /** Epoch ms of the latest pop-ups, ascending. */
  popUps: v.array(v.number()),
  /** How many times in a row events were deferred: checks wait twice as long each time. */
  level: v.number(),
})
export type PopUpLimit = Immutable<v.InferOutput<typeof popUpLimit>>
export type LimitName = 'checks' | 'others'

const idleLimit: PopUpLimit = { popUps: [], level: 0 }

/** A time during which nothing was shown. */
const span = v.object({
  /** Epoch ms. */
  from: timeSchema,
  /** Epoch ms of its end, if known. */
  to: v.nullable(timeSchema),
  why: v.picklist(['quiet', 'away']),
})
export type QuietSpan = Immutable<v.InferOutput<typeof span>>

/** Everything a decision needs to know about earlier ones, as it is stored. */
export const memorySchema = v.object({
  waits: v.array(waiting),
  /** Checks have a limit of their own, so that a storm of them doesn't delay a mention. */
  lanes: v.object({ checks: popUpLimit, others: popUpLimit }),
  /** Epoch ms of the last sound. */
  soundAt: v.number(),
  /** May include checks that `checks` has more about. */
  once: v.array(once),
  /** By subject. */
  checks: v.array(v.tuple([v.string(), lately])),
  /** The quiet or sleep in which something was held back; null: none. */
  quiet: v.nullable(span),
  /** The last digest of a quiet time or sleep. `at`: epoch ms. */
  lastDigest: v.nullable(v.object({ at: v.number(), quiet: span })),
  /** Notices about several subjects, by their own: withdrawn when none of those is left. */
  groups: v.optional(v.array(v.tuple([v.string(), v.array(v.string())])), []),
  /** Flips of the last two minutes, to recognise a bot's message about one of them. */
  recentChecks: v.array(checkEventSchema),
  /** Bots' messages of the last two minutes, to recognise a flip that one of them reported. */
  recentMessages: v.array(messageEventSchema),
  /** By subject, epoch ms: when checks changed in the last two minutes, notified or not. */
  changedAt: v.array(v.tuple([v.string(), v.number()])),
  /** Subjects of checks that are down without the user having been notified. */
  untold: v.array(v.string()),
  /** By subject, epoch ms: when the user was last told that a check is down. */
  downToldAt: v.optional(v.array(v.tuple([v.string(), v.number()])), []),
})
export type StoredMemory = Immutable<v.InferOutput<typeof memorySchema>>

/** The memory in use, with maps and sets in place of the stored arrays. */
export interface AttentionMemory
  extends Omit<
    StoredMemory,
    'waits' | 'lanes' | 'checks' | 'groups' | 'changedAt' | 'untold' | 'downToldAt'
  > {
  /** By `keyOf`, those that came first first. */
  readonly waits: ReadonlyMap<string, Waiting>
  readonly popUpLimits: Readonly<Record<LimitName, PopUpLimit>>
  readonly checks: ReadonlyMap<string, NotifiedLately>
  readonly groups: ReadonlyMap<string, readonly string[]>
  readonly changedAt: ReadonlyMap<string, number>
  readonly unnotified: ReadonlySet<string>
  readonly downNotifiedAt: ReadonlyMap<string, number>
}

export const emptyMemory: AttentionMemory = {
  waits: new Map(),
  popUpLimits: { checks: idleLimit, others: idleLimit },
  soundAt: 0,
  once: [],
  checks: new Map(),
  quiet: null,
  lastDigest: null,
  groups: new Map(),
  recentChecks: [],
  recentMessages: [],
  changedAt: new Map(),
  unnotified: new Set(),
  downNotifiedAt: new Map(),
}

/** Whether an outage is shown again until somebody has seen it. */
export function isRepeated({ waits }: AttentionMemory, subject: string): boolean {
  return waits.has(`reminder ${subject}`)
}

export function byKey(all: readonly Waiting[]): Map<string, Waiting> {
  return new Map(all.map((one) => [keyOf(one), one]))
}

/** Keeps a night of storms from filling the disk. */
export const missedLimit = 1_000

/**
 * The memory restricted to accounts that are `isIn`: a removed account, or the demo after a
 * restart, must not cause any more notifications.
 */
export function memoryOf(
  memory: AttentionMemory,
  isIn: (accountId: AccountId) => boolean,
): AttentionMemory {
  const isOf = ({ accountId }: { readonly accountId: AccountId }): boolean => isIn(accountId)
  /** All subjects in the memory are those of checks. */
  const isSubject = (subject: string): boolean => isIn(subject.split('/')[0] ?? '')
  const bySubject = <V>(kept: ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
    new Map([...kept].filter(([subject]) => isSubject(subject)))
  return {
    ...memory,
    waits: new Map([...memory.waits].filter(([, { event }]) => isOf(event))),
    once: memory.once.filter(isOf),
    checks: bySubject(memory.checks),
    recentChecks: memory.recentChecks.filter(isOf),
    recentMessages: memory.recentMessages.filter(isOf),
    changedAt: bySubject(memory.changedAt),
    unnotified: new Set([...memory.unnotified].filter(isSubject)),
    downNotifiedAt: bySubject(memory.downNotifiedAt),
  }
}

/** The memory with all its times moved back by `ms`, as this computer's clock was. */
export function setBack(memory: AttentionMemory, ms: number): AttentionMemory {
  const back = <One extends { readonly at: number }>(one: One): One => ({ ...one, at: one.at - ms })
  const earlier = (times: readonly number[]) => times.map((at) => at - ms)
  const spanBack = (one: QuietSpan): QuietSpan => ({
    ...one,
    from: one.from - ms,
    to: one.to === null ? null : one.to - ms,
  })
  const limitBack = (one: PopUpLimit): PopUpLimit => ({ ...one, popUps: earlier(one.popUps) })
  const mapBack = <V>(kept: ReadonlyMap<string, V>, of: (value: V) => V) =>
    new Map([...kept].map(([subject, value]) => [subject, of(value)]))
  const { popUpLimits, quiet, lastDigest } = memory
  return {
    ...memory,
    waits: mapBack(memory.waits, (one) => ({
      ...one,
      event: back(one.event),
      until: one.until === null ? null : one.until - ms,
      ...defined({ beganAt: one.beganAt && one.beganAt - ms }),
    })),
    popUpLimits: {
      checks: limitBack(popUpLimits.checks),
      others: limitBack(popUpLimits.others),
    },
    soundAt: memory.soundAt - ms,
    once: memory.once.map(back),
    checks: mapBack(memory.checks, (one) => ({ ...one, shownAt: earlier(one.shownAt) })),
    quiet: quiet && spanBack(quiet),
    lastDigest: lastDigest && { at: lastDigest.at - ms, quiet: spanBack(lastDigest.quiet) },
    recentChecks: memory.recentChecks.map(back),
    recentMessages: memory.recentMessages.map(back),
    changedAt: mapBack(memory.changedAt, (at) => at - ms),
    downNotifiedAt: mapBack(memory.downNotifiedAt, (at) => at - ms),
  }
}
