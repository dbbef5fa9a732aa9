import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { Immutable } from '../schemas.ts'
import { checkEventSchema, eventSchema, messageEventSchema } from './event.ts'
import { waySchema } from './rules.ts'

/** A check that is down, and is notified if it still is at `dueAt` (epoch ms). */
const waiting = v.object({ event: checkEventSchema, way: waySchema, dueAt: v.number() })
export type WaitingEvent = Immutable<v.InferOutput<typeof waiting>>

/** Checks of one account of which one pop-up was seen lately, all at once: a storm brings thousands. */
const once = v.object({
  /** Epoch ms. */
  at: v.number(),
  accountId: v.string(),
  checks: v.array(v.string()),
})
export type NotifiedOnce = Immutable<v.InferOutput<typeof once>>

/** What was notified lately of one check, where that was more than one pop-up. */
const lately = v.object({
  /** Epoch ms of the pop-ups of the last five minutes, ascending. */
  shownAt: v.array(v.number()),
  /** Changes since then that were not notified, and the last of them. */
  held: v.number(),
  last: v.nullable(checkEventSchema),
  /** It was notified as flapping, and has not been calm for five minutes since. */
  flapping: v.boolean(),
})
export type NotifiedLately = Immutable<v.InferOutput<typeof lately>>

/** Events on their way into one notice. */
const deferred = v.object({ event: eventSchema, sound: v.boolean() })
export type DeferredEvent = Immutable<v.InferOutput<typeof deferred>>

/** An outage that was notified and that nobody has seen. `at`: epoch ms of the last notification. */
const unseen = v.object({ event: checkEventSchema, at: v.number(), times: v.number() })
export type UnseenOutage = Immutable<v.InferOutput<typeof unseen>>

/** What happened in a maintenance, by its scope as JSON: extending it goes on. */
const maintained = v.object({ scope: v.string(), label: v.string(), held: v.array(deferred) })

/** What keeps pop-ups from coming too fast. */
const lane = v.object({
  /** Epoch ms of the pop-ups of the last ten seconds, ascending. */
  popUps: v.array(v.number()),
  /** In a storm: shown in one when its time has come. */
  held: v.array(deferred),
  /** Epoch ms; null: nothing is held. */
  until: v.nullable(v.number()),
  /** How often in a row something was held: each time it is held twice as long. */
  level: v.number(),
})
export type Lane = Immutable<v.InferOutput<typeof lane>>
export type LaneName = 'checks' | 'others'

const calmLane: Lane = { popUps: [], held: [], until: null, level: 0 }

/** A time in which nothing was shown. */
const span = v.object({
  /** Epoch ms. */
  from: v.number(),
  /** Epoch ms of its end, where it is known; `null` while it lasts. */
  to: v.nullable(v.number()),
  why: v.picklist(['quiet', 'away']),
})
export type QuietSpan = Immutable<v.InferOutput<typeof span>>

/** All that one decision needs to know of the decisions before it, as it is stored. */
export const memorySchema = v.object({
  /** News of checks and all other news: a storm of one must not keep a mention waiting. */
  lanes: v.object({ checks: lane, others: lane }),
  /** Epoch ms of the last sound. */
  soundAt: v.number(),
  /** What `checks` says more of is here as well. */
  once: v.array(once),
  /** By subject. */
  checks: v.array(v.tuple([v.string(), lately])),
  /** By subject. */
  waiting: v.array(v.tuple([v.string(), waiting])),
  /** While it is quiet or nobody is there: shown as one digest. */
  missed: v.array(deferred),
  /** Shown in a digest of its own when the maintenance is over. */
  maintained: v.optional(v.array(maintained), []),
  /** When the quiet or the absence began; null: neither, or nothing came. */
  quiet: v.nullable(span),
  /** The last digest: a computer that wakes and sleeps again shows both times in one. */
  lastDigest: v.nullable(v.object({ at: v.number(), events: v.array(deferred), quiet: span })),
  /** Flips of the last two minutes, for the message that reports one of them. */
  recentChecks: v.array(checkEventSchema),
  /** What bots wrote in the last two minutes, for the flip that one of them reports. */
  recentMessages: v.array(messageEventSchema),
  /** By subject, epoch ms: when checks changed in the last two minutes, notified or not. */
  changedAt: v.array(v.tuple([v.string(), v.number()])),
  /** By subject: where a rule repeats them. */
  unseen: v.optional(v.array(v.tuple([v.string(), unseen])), []),
  /** Subjects of checks that are down without the user having been notified. */
  untold: v.array(v.string()),
})
export type StoredMemory = Immutable<v.InferOutput<typeof memorySchema>>

/** The same in use: what is stored as pairs is looked up. Plain data, kept over restarts. */
export interface AttentionMemory
  extends Omit<StoredMemory, 'checks' | 'waiting' | 'changedAt' | 'unseen' | 'untold'> {
  readonly checks: ReadonlyMap<string, NotifiedLately>
  readonly waiting: ReadonlyMap<string, WaitingEvent>
  readonly changedAt: ReadonlyMap<string, number>
  readonly unseen: ReadonlyMap<string, UnseenOutage>
  readonly untold: ReadonlySet<string>
}

export const emptyMemory: AttentionMemory = {
  lanes: { checks: calmLane, others: calmLane },
  soundAt: 0,
  once: [],
  checks: new Map(),
  waiting: new Map(),
  missed: [],
  maintained: [],
  quiet: null,
  lastDigest: null,
  recentChecks: [],
  recentMessages: [],
  changedAt: new Map(),
  unseen: new Map(),
  untold: new Set(),
}

/** A night of storms must not fill the disk: the digest counts what it does not list. */
export const missedLimit = 1_000

/**
 * The memory of these accounts only: an account that was removed, or the demo after a restart, must not
 * cause any more notifications.
 */
export function memoryOf(
  memory: AttentionMemory,
  isIn: (accountId: AccountId) => boolean,
): AttentionMemory {
  const isTheirs = ({ accountId }: { readonly accountId: AccountId }): boolean => isIn(accountId)
  const ofTheirs = (held: readonly DeferredEvent[]): DeferredEvent[] =>
    held.filter(({ event }) => isTheirs(event))
  const isOfTheirs = (subject: string): boolean => isIn(subject.split('/')[0] ?? '')
  const { lanes, lastDigest } = memory
  return {
    ...memory,
    lanes: {
      checks: { ...lanes.checks, held: ofTheirs(lanes.checks.held) },
      others: { ...lanes.others, held: ofTheirs(lanes.others.held) },
    },
    once: memory.once.filter(isTheirs),
    checks: new Map([...memory.checks].filter(([subject]) => isOfTheirs(subject))),
    waiting: new Map([...memory.waiting].filter(([, { event }]) => isTheirs(event))),
    missed: ofTheirs(memory.missed),
    maintained: memory.maintained.map((one) => ({ ...one, held: ofTheirs(one.held) })),
    lastDigest: lastDigest === null ? null : { ...lastDigest, events: ofTheirs(lastDigest.events) },
    recentChecks: memory.recentChecks.filter(isTheirs),
    recentMessages: memory.recentMessages.filter(isTheirs),
    changedAt: new Map([...memory.changedAt].filter(([subject]) => isOfTheirs(subject))),
    unseen: new Map([...memory.unseen].filter(([, { event }]) => isTheirs(event))),
    untold: new Set([...memory.untold].filter(isOfTheirs)),
  }
}
