import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import type { AttentionEvent, CheckEvent, MessageEvent } from './event.ts'
import type { Way } from './rules.ts'

/** A check that is down, and is told of when it still is at `dueAt`. */
export interface WaitingEvent {
  readonly event: CheckEvent
  readonly way: Way
  /** Epoch ms. */
  readonly dueAt: number
}

/** Checks of one account of which one pop-up was seen lately, all at once: a storm brings thousands. */
export interface NotifiedOnce {
  /** Epoch ms. */
  readonly at: number
  readonly accountId: AccountId
  readonly checks: readonly CheckId[]
}

/** What was told lately of one check, of which there was more than one pop-up. */
export interface NotifiedLately {
  /** Epoch ms of the pop-ups of the last five minutes, ascending. */
  readonly shownAt: readonly number[]
  /** Changes since then that were not told, and the last of them. */
  readonly held: number
  readonly last: CheckEvent | null
  /** It was told of as flapping, and has not been calm for five minutes since. */
  readonly flapping: boolean
}

/** Events on their way into one notice. */
export interface DeferredEvent {
  readonly event: AttentionEvent
  readonly sound: boolean
}

export type LaneName = 'checks' | 'others'

/** What keeps pop-ups from coming too fast. */
export interface Lane {
  /** Epoch ms of the pop-ups of the last ten seconds, ascending. */
  readonly popUps: readonly number[]
  /** In a storm: told in one when its time has come. */
  readonly held: readonly DeferredEvent[]
  /** Epoch ms; null: nothing is held. */
  readonly until: number | null
  /** How often in a row something was held: each time it is held twice as long. */
  readonly level: number
}

const calmLane: Lane = { popUps: [], held: [], until: null, level: 0 }

/** A time in which nothing was told. */
export interface QuietSpan {
  /** Epoch ms. */
  readonly from: number
  /** Epoch ms of its end, where it is known; `null` while it lasts. */
  readonly to: number | null
  readonly why: 'quiet' | 'away'
}

/** All that one decision needs to know of the decisions before it. Plain data, kept over restarts. */
export interface AttentionMemory {
  /** News of checks and all other news: a storm of one must not keep a mention waiting. */
  readonly lanes: Readonly<Record<LaneName, Lane>>
  /** Epoch ms of the last sound. */
  readonly soundAt: number
  /** What `checks` says more of is here as well. */
  readonly once: readonly NotifiedOnce[]
  /** By subject. */
  readonly checks: ReadonlyMap<string, NotifiedLately>
  /** By subject. */
  readonly waiting: ReadonlyMap<string, WaitingEvent>
  /** While it is quiet or nobody is there: told as one digest. */
  readonly missed: readonly DeferredEvent[]
  /** When the quiet or the absence began; null: neither, or nothing came. */
  readonly quiet: QuietSpan | null
  /** The last digest: a computer that wakes and sleeps again tells of both times in one. */
  readonly lastDigest: {
    readonly at: number
    readonly events: readonly DeferredEvent[]
    readonly quiet: QuietSpan
  } | null
  /** Flips of the last two minutes, for the message that tells of one of them. */
  readonly recentChecks: readonly CheckEvent[]
  /** What bots wrote in the last two minutes, for the flip that one of them tells of. */
  readonly recentMessages: readonly MessageEvent[]
  /** By subject, epoch ms: when checks changed in the last two minutes, told or not. */
  readonly changedAt: ReadonlyMap<string, number>
  /** Subjects of checks that are down and of whose being down the user was not told. */
  readonly untold: ReadonlySet<string>
}

export const emptyMemory: AttentionMemory = {
  lanes: { checks: calmLane, others: calmLane },
  soundAt: 0,
  once: [],
  checks: new Map(),
  waiting: new Map(),
  missed: [],
  quiet: null,
  lastDigest: null,
  recentChecks: [],
  recentMessages: [],
  changedAt: new Map(),
  untold: new Set(),
}

/** A night of storms must not fill the disk: the digest counts what it does not list. */
export const missedLimit = 1_000

/**
 * What is remembered of these accounts, and nothing of those that are gone: of one that was removed,
 * and of the demo after a restart, nothing is told any more.
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
    lastDigest: lastDigest === null ? null : { ...lastDigest, events: ofTheirs(lastDigest.events) },
    recentChecks: memory.recentChecks.filter(isTheirs),
    recentMessages: memory.recentMessages.filter(isTheirs),
    changedAt: new Map([...memory.changedAt].filter(([subject]) => isOfTheirs(subject))),
    untold: new Set([...memory.untold].filter(isOfTheirs)),
  }
}
