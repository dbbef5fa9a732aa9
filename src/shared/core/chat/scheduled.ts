import * as v from 'valibot'
import { type Immutable, numberId } from '../schemas.ts'
import { serverText } from '../text-length.ts'
import { conversationKey, conversationSchema } from './conversation.ts'
import type { ScheduledMessage } from './kept-for-later.ts'

/**
 * Servers check once a minute for messages that are due, and send one twice if it is changed just
 * then: it may only be cancelled.
 */
export function isBeingSent({ at, failed }: ScheduledMessage, now: number): boolean {
  return !failed && at - now < 60_000 && now - at < 120_000
}

/** A message that is being scheduled, until it is known whether the server has it. */
export const schedulingSchema = v.object({
  id: v.string(),
  accountId: v.string(),
  conversation: conversationSchema,
  text: v.string(),
  /** Epoch ms. */
  at: v.number(),
  triedAt: v.number(),
  /** Ids of the messages that were scheduled before, which can't be this one. */
  known: v.array(numberId),
})
export type Scheduling = Immutable<v.InferOutput<typeof schedulingSchema>>

/** Messages not yet confirmed as scheduled, as a part of the app's state. */
export interface SchedulingSlice {
  readonly scheduling: readonly Scheduling[]
}

/** A request that got no response is over by then: what it was to create exists or never will. */
export const surelyOverMs = 60_000

/** The message that this request scheduled, on a list read since; undefined if there is none. */
export function scheduledOf(
  { conversation, text, at, known }: Scheduling,
  list: readonly ScheduledMessage[],
): ScheduledMessage | undefined {
  return list.find(
    (one) =>
      !known.includes(one.id) &&
      one.at === at &&
      one.content === serverText(text) &&
      conversationKey(one.conversation) === conversationKey(conversation),
  )
}

export function withoutScheduling<State extends SchedulingSlice>(state: State, id: string): State {
  return { ...state, scheduling: state.scheduling.filter((entry) => entry.id !== id) }
}
