import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { Immutable } from '../schemas.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  checkEventSchema,
  checkSubject,
  eventSchema,
  messageEventSchema,
} from './event.ts'
import { waySchema } from './rules.ts'

/** A check that is down; the user is notified if it still is at `dueAt` (epoch ms). */
const waiting = v.object({ event: checkEventSchema, way: waySchema, dueAt: v.number() })
export type WaitingEvent = Immutable<v.InferOutput<typeof waiting>>

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
  /** The number of changes since then without a notification, and the last of them. */
  held: v.number(),
  last: v.nullable(checkEventSchema),
  /** It was notified as flapping, and has not been stable for five minutes since. */
  flapping: v.boolean(),
})
export type NotifiedLately = Immutable<v.InferOutput<typeof lately>>

/** An event that is held back. `sound`: whether it would have had one. */
const deferred = v.object({ event: eventSchema, sound: v.boolean() })
export type DeferredEvent = Immutable<v.InferOutput<typeof deferred>>

/** A notified outage that nobody has seen yet. `at`: epoch ms of the last notification. */
const unseen = v.object({ event: checkEventSchema, at: v.number(), times: v.number() })
export type UnseenOutage = Immutable<v.InferOutput<typeof unseen>>

/** What happened in a maintenance. `scope` is JSON and identifies it, even after it is extended. */
const maintained = v.object({ scope: v.string(), label: v.string(), held: v.array(deferred) })

/** The rate limit of pop-ups. */
const lane = v.object({
  /** Epoch ms of the pop-ups of the last ten seconds, ascending. */
  popUps: v.array(v.number()),
  /** Events held back in a storm, to be shown together at `until`. */
  held: v.array(deferred),
  /** Epoch ms; null: nothing is held, or its accounts must be read first. */
  until: v.nullable(v.number()),
  /** How many times in a row events were held: checks are held twice as long each time. */
  level: v.number(),
})
export type Lane = Immutable<v.InferOutput<typeof lane>>
export type LaneName = 'checks' | 'others'

const idleLane: Lane = { popUps: [], held: [], until: null, level: 0 }

/** A time during which nothing was shown. */
const span = v.object({
  /** Epoch ms. */
  from: v.number(),
  /** Epoch ms of its end, if known. */
  to: v.nullable(v.number()),
  why: v.picklist(['quiet', 'away']),
})
export type QuietSpan = Immutable<v.InferOutput<typeof span>>

/** Everything a decision needs to know about earlier ones, as it is stored. */
export const memorySchema = v.object({
  /** Checks have a lane of their own, so that a storm of them doesn't delay a mention. */
  lanes: v.object({ checks: lane, others: lane }),
  /** Epoch ms of the last sound. */
  soundAt: v.number(),
  /** May include checks that `checks` has more about. */
  once: v.array(once),
  /** By subject. */
  checks: v.array(v.tuple([v.string(), lately])),
  /** By subject. */
  waiting: v.array(v.tuple([v.string(), waiting])),
  /** Held back by quiet or sleep, to be shown as one digest. */
  missed: v.array(deferred),
  /** Shown in a digest of its own when the maintenance is over. */
  maintained: v.optional(v.array(maintained), []),
  /** The quiet or sleep in which something was held back; null: none. */
  quiet: v.nullable(span),
  /** The last digest. If the computer sleeps again soon after it, the next one includes it. */
  lastDigest: v.nullable(v.object({ at: v.number(), events: v.array(deferred), quiet: span })),
  /** Flips of the last two minutes, to recognise a bot's message about one of them. */
  recentChecks: v.array(checkEventSchema),
  /** Bots' messages of the last two minutes, to recognise a flip that one of them reported. */
  recentMessages: v.array(messageEventSchema),
  /** By subject, epoch ms: when checks changed in the last two minutes, notified or not. */
  changedAt: v.array(v.tuple([v.string(), v.number()])),
  /** By subject: outages that a rule repeats. */
  unseen: v.optional(v.array(v.tuple([v.string(), unseen])), []),
  /** Subjects of checks that are down without the user having been notified. */
  untold: v.array(v.string()),
})
export type StoredMemory = Immutable<v.InferOutput<typeof memorySchema>>

/** The memory in use, with maps and sets in place of the stored arrays. */
export interface AttentionMemory
  extends Omit<StoredMemory, 'checks' | 'waiting' | 'changedAt' | 'unseen' | 'untold'> {
  readonly checks: ReadonlyMap<string, NotifiedLately>
  readonly waiting: ReadonlyMap<string, WaitingEvent>
  readonly changedAt: ReadonlyMap<string, number>
  readonly unseen: ReadonlyMap<string, UnseenOutage>
  readonly untold: ReadonlySet<string>
}

export const emptyMemory: AttentionMemory = {
  lanes: { checks: idleLane, others: idleLane },
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

/** Keeps a night of storms from filling the disk. */
export const missedLimit = 1_000

/**
 * The memory restricted to accounts that are `isIn`: a removed account, or the demo after a
 * restart, must not cause any more notifications.
 */
export function memoryOf(
  memory: AttentionMemory,
  isIn: (accountId: AccountId) => boolean,
  /** The account under which events of a project's checks are kept; null drops them. */
  keptUnder: (accountId: AccountId) => AccountId | null = (id) => (isIn(id) ? id : null),
): AttentionMemory {
  const eventOf = <Event extends AttentionEvent>(event: Event): Event[] => {
    if (event.of !== 'check') return isIn(event.accountId) ? [event] : []
    const id = keptUnder(event.accountId)
    if (id === null) return []
    return [id === event.accountId ? event : { ...event, ...placeOf(id, event.checkId) }]
  }
  const deferredOf = (all: readonly DeferredEvent[]): DeferredEvent[] =>
    all.flatMap((one) => eventOf(one.event).map((event) => ({ ...one, event })))
  /** All subjects in the memory are those of checks. */
  const subjectOf = (subject: string): string[] => {
    const [before = '', ...rest] = subject.split('/')
    const id = keptUnder(before)
    return id === null ? [] : [[id, ...rest].join('/')]
  }
  const bySubject = <V>(kept: ReadonlyMap<string, V>, of: (value: V) => V[]): Map<string, V> =>
    new Map(
      [...kept].flatMap(([before, value]) =>
        subjectOf(before).flatMap((subject) => of(value).map((one): [string, V] => [subject, one])),
      ),
    )
  const withEvent = <V extends { readonly event: CheckEvent }>(value: V): V[] =>
    eventOf(value.event).map((event) => ({ ...value, event }))
  const { lanes, lastDigest } = memory
  return {
    ...memory,
    lanes: {
      checks: { ...lanes.checks, held: deferredOf(lanes.checks.held) },
      others: { ...lanes.others, held: deferredOf(lanes.others.held) },
    },
    once: memory.once.flatMap((one) => {
      const accountId = keptUnder(one.accountId)
      return accountId === null ? [] : [{ ...one, accountId }]
    }),
    checks: bySubject(memory.checks, (one) => [
      { ...one, last: one.last === null ? null : (eventOf(one.last)[0] ?? null) },
    ]),
    waiting: bySubject(memory.waiting, withEvent),
    missed: deferredOf(memory.missed),
    maintained: memory.maintained.map((one) => ({
      ...one,
      scope: one.scope.replace(ofProject, (id) => keptUnder(id) ?? id),
      held: deferredOf(one.held),
    })),
    lastDigest:
      lastDigest === null ? null : { ...lastDigest, events: deferredOf(lastDigest.events) },
    recentChecks: memory.recentChecks.flatMap(eventOf),
    recentMessages: memory.recentMessages.flatMap(eventOf),
    changedAt: bySubject(memory.changedAt, (at) => [at]),
    unseen: bySubject(memory.unseen, withEvent),
    untold: new Set([...memory.untold].flatMap(subjectOf)),
  }
}

/** The memory with all its times moved back by `ms`, as this computer's clock was. */
export function setBack(memory: AttentionMemory, ms: number): AttentionMemory {
  const back = <One extends { readonly at: number }>(one: One): One => ({ ...one, at: one.at - ms })
  const earlier = (times: readonly number[]) => times.map((at) => at - ms)
  const heldBack = (held: readonly DeferredEvent[]) =>
    held.map((one) => ({ ...one, event: back(one.event) }))
  const spanBack = (one: QuietSpan): QuietSpan => ({
    ...one,
    from: one.from - ms,
    to: one.to === null ? null : one.to - ms,
  })
  const laneBack = (one: Lane): Lane => ({
    ...one,
    popUps: earlier(one.popUps),
    held: heldBack(one.held),
    until: one.until === null ? null : one.until - ms,
  })
  const mapBack = <V>(kept: ReadonlyMap<string, V>, of: (value: V) => V) =>
    new Map([...kept].map(([subject, value]) => [subject, of(value)]))
  const { lanes, quiet, lastDigest } = memory
  return {
    ...memory,
    lanes: { checks: laneBack(lanes.checks), others: laneBack(lanes.others) },
    soundAt: memory.soundAt - ms,
    once: memory.once.map(back),
    checks: mapBack(memory.checks, (one) => ({
      ...one,
      shownAt: earlier(one.shownAt),
      last: one.last && back(one.last),
    })),
    waiting: mapBack(memory.waiting, (one) => ({
      ...one,
      event: back(one.event),
      dueAt: one.dueAt - ms,
    })),
    missed: heldBack(memory.missed),
    maintained: memory.maintained.map((one) => ({ ...one, held: heldBack(one.held) })),
    quiet: quiet && spanBack(quiet),
    lastDigest: lastDigest && {
      at: lastDigest.at - ms,
      events: heldBack(lastDigest.events),
      quiet: spanBack(lastDigest.quiet),
    },
    recentChecks: memory.recentChecks.map(back),
    recentMessages: memory.recentMessages.map(back),
    changedAt: mapBack(memory.changedAt, (at) => at - ms),
    unseen: mapBack(memory.unseen, (one) => ({ ...back(one), event: back(one.event) })),
  }
}

/** The account in the scope of a maintenance of a project or a check. */
const ofProject = /(?<=^{"of":"(?:project|check)","accountId":")[^"]+/

function placeOf(accountId: AccountId, checkId: string) {
  const target = { view: 'check', accountId, checkId } as const
  return { accountId, subject: checkSubject(accountId, checkId), target }
}
