import type { AccountId } from '../account.ts'
import type { DependencyNow } from './dependencies/dependency.ts'
import type { AttentionEvent } from './event.ts'
import type { Pending, Why } from './memory.ts'
import type { Outcome, Reason } from './notice.ts'
import type { AttentionSettings } from './rules.ts'
import type { KeptSilence } from './silence.ts'

/** The input of a decision besides the event and the memory. */
export interface AttentionContext {
  readonly settings: AttentionSettings
  /** The master switch for sounds. */
  readonly sounds: boolean
  readonly silences: readonly KeptSilence[]
  /** Absent in steps that older versions stored. */
  readonly dependencies?: readonly DependencyNow[]
  /** The desktop's own do-not-disturb is on. */
  readonly systemQuiet: boolean
  /** The computer slept, and not everything has been read again: events go into one digest. */
  readonly away: { readonly from: number; readonly to: number } | null
  /**
   * Accounts not read since the start, or only counted since: it is unknown whether their checks are
   * still down.
   */
  readonly unread: readonly AccountId[]
  /** How many checks of each project are down after these events. */
  readonly down: Readonly<Record<string, number>>
}

/** What became of one event, and why: the answer to "why was I (not) notified?". */
export interface Decision {
  readonly event: AttentionEvent
  readonly outcome: Outcome
  readonly sound: boolean
  readonly reasons: readonly Reason[]
  /** The notice that reports it; null when none does. */
  readonly noticeId: string | null
}

/** An event that will pop up unless flapping or a storm holds it back. */
export interface Candidate extends Pending {
  /** Empty for events that were decided earlier. */
  readonly reasons: readonly Reason[]
  /** Why earlier changes of its check were still waiting. */
  readonly waitedFor?: Why | undefined
}
